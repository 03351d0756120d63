import type { Head } from '#core/document.ts'
import { type Key, type Kind, keyOf, parseKey } from '#core/key.ts'
import type { Comparison, Condition, Query, Sort } from '#core/queries/query.ts'
import type { Change, Store } from '#core/store.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Conflict, Stale } from '#lib/errors.ts'
import { type Fields, type Json, jsonLength } from '#lib/json.ts'
import type { Collection, StoredItem, StoreQuery } from '#module/context.ts'
import { ModuleError } from '#module/module.ts'
import { authorOf } from '../module-access.ts'
import { asked } from './faults.ts'

/** The most characters of a document, as JSON. */
const MOST_CHARACTERS = 256 * 1024
/** Documents of a list where no limit is named, and the most. */
const DEFAULT_LIMIT = 100
const MOST_LIMIT = 1000
/** Times that a write is tried anew where another came between. */
const TRIES = 20

const FIELD = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

/** Put before the names of fields in documents, where some names have a meaning. */
const PREFIX = 'f_'

/** The private kind of a collection of a module. */
export function kindOf(module: string, collection: string): Kind {
  return `.${module}-${collection}`
}

/** The documents of a module in one private kind. */
export class StoredCollection implements Collection {
  readonly kind: Kind
  readonly #module: string
  readonly #store: Store
  readonly #mutex = new KeyedMutex()

  constructor(module: string, name: string, store: Store) {
    this.kind = kindOf(module, name)
    this.#module = module
    this.#store = store
  }

  async get(id: string): Promise<StoredItem | undefined> {
    const key = parseKey(this.kind, String(id))
    const head = key && (await asked(() => this.#store.head(key)))
    return head && itemOf(head)
  }

  async list(query: StoreQuery = {}): Promise<{ items: readonly StoredItem[]; total: number }> {
    const { items, total } = await asked(() => this.#store.heads(this.kind, queryOf(query)))
    return { items: items.map(itemOf), total }
  }

  async put(id: string, fields: Fields, expects?: string): Promise<StoredItem> {
    const key = this.#key(id)
    const whole = checkedFields(fields)
    return this.#mutex.run(key.id, () => asked(() => this.#put(key, whole, expects)))
  }

  async remove(id: string): Promise<boolean> {
    const key = parseKey(this.kind, String(id))
    if (!key) return false
    return this.#mutex.run(key.id, () =>
      asked(async () => {
        if (!(await this.#store.head(key))) return false
        await this.#store.write([{ key, remove: true }], authorOf(this.#module))
        return true
      }),
    )
  }

  #key(id: string): Key {
    const key = parseKey(this.kind, String(id))
    if (!key) throw new ModuleError(422, `"${String(id).slice(0, 100)}" can't be the id of a document.`)
    return keyOf(key.kind, key.id)
  }

  async #put(key: Key, fields: Fields, expects: string | undefined): Promise<StoredItem> {
    for (let n = 1; ; n++) {
      const now = await this.#store.head(key)
      const version = now?.version ?? 'absent'
      if (expects !== undefined && expects !== version)
        throw new Conflict(expects === 'absent' ? `The id "${key.id}" is taken.` : 'The document has changed since it was read.')
      const gone = Object.keys(now?.fields ?? {}).filter((name) => name.startsWith(PREFIX) && !Object.hasOwn(fields, name))
      const set = { ...Object.fromEntries(gone.map((name) => [name, null])), ...fields }
      const change: Change = { key, put: { set }, expects: version }
      try {
        const [written] = await this.#store.write([change], authorOf(this.#module))
        if (written) return itemOf(written)
        throw new Error('The store gave no document back.')
      } catch (error) {
        const isLate = error instanceof Stale || (error instanceof Conflict && version === 'absent')
        if (!isLate || expects !== undefined || n === TRIES) throw error
      }
    }
  }
}

function itemOf(head: Head): StoredItem {
  return { id: head.key.id, fields: fieldsOfDocument(head), version: head.version }
}

/** Null is no value: such a field is left out. */
function checkedFields(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  const wrong = entries.find(([name]) => !FIELD.test(name))
  if (wrong) throw new ModuleError(422, `"${wrong[0].slice(0, 100)}" can't be the name of a field.`)
  // What JSON can't hold (a date, a function) is no value of a document, and what is kept is nobody else's object.
  const plain = JSON.parse(JSON.stringify(Object.fromEntries(entries))) as Fields
  if (jsonLength(plain) > MOST_CHARACTERS) throw new ModuleError(413, 'The document is larger than 256 KiB.')
  return documentFields(plain)
}

function queryOf({ where = {}, sort = [], offset = 0, limit = DEFAULT_LIMIT }: StoreQuery): Query {
  return {
    where: Object.entries(where).map(([field, value]) => condition(field, value)),
    sort: sort.map((text): Sort => {
      const descending = text.startsWith('-')
      return { field: nameInDocument(descending ? text.slice(1) : text), descending, as: 'any' }
    }),
    offset: Math.max(0, Math.floor(offset) || 0),
    limit: Math.min(MOST_LIMIT, Math.max(0, Math.floor(limit))),
  }
}

function condition(field: string, value: Json): Condition {
  return { field: nameInDocument(field), op: 'eq', value, as: comparisonOf(value) }
}

/** Returns the name that a field has in documents. */
export function nameInDocument(field: string): string {
  return field === 'id' ? field : PREFIX + field
}

/** Returns the fields of a document by the names that the module gave them. */
export function fieldsOfDocument({ fields }: Pick<Head, 'fields'>): Fields {
  const own = Object.entries(fields).filter(([name]) => name.startsWith(PREFIX))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(PREFIX.length), value]))
}

/** Returns fields as a document has them. */
export function documentFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [PREFIX + name, value]))
}

function comparisonOf(value: Json): Comparison {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  return typeof value === 'boolean' ? 'boolean' : 'any'
}
