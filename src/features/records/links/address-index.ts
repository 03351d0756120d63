import { changedKeys } from '../../../core/changed-keys.ts'
import type { ContentType, ContentTypes } from '../../../core/content-type.ts'
import type { Head } from '../../../core/document.ts'
import { type Key, keyText } from '../../../core/key.ts'
import { urlOf } from '../../../core/permalink.ts'
import type { Cursor, Store } from '../../../core/store.ts'
import { Turns } from '../../../core/turns.ts'

/** More changes than this are read as a whole. */
const MOST_SINGLE_LOOKUPS = 500

/** The addresses of all records that have a page, whatever their status: read when first asked for, and kept current from the store's feed of changes. */
export class AddressIndex {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #turns = new Turns()
  #urls = new Map<string, string>()
  #keys = new Map<string, Map<string, Key>>()
  #cursor: Cursor | undefined

  constructor({ store, types }: { store: Store; types: ContentTypes }) {
    this.#store = store
    this.#types = types
  }

  /** Gives the records whose page has this path, as of every write that resolved before the call. */
  async at(url: string): Promise<Key[]> {
    await this.#turns.run('refresh', () => this.#refresh())
    return [...(this.#keys.get(url)?.values() ?? [])]
  }

  async #refresh(): Promise<void> {
    const { keys, next, isLost } = await changedKeys(this.#store, this.#cursor, MOST_SINGLE_LOOKUPS)
    // What was not looked at, since it failed, is looked at the next time.
    if (isLost || keys.length > MOST_SINGLE_LOOKUPS) await this.#readAll()
    else await this.#look(keys)
    this.#cursor = next
  }

  /** Asks for heads, a kind at a time: they need no file to be read. */
  async #look(keys: readonly Key[]): Promise<void> {
    for (const kind of new Set(keys.map((key) => key.kind))) {
      if (!this.#typeOf(kind)) continue
      const ids = keys.filter((key) => key.kind === kind).map((key) => key.id)
      const { items } = await this.#store.heads(kind, { where: [{ field: 'id', op: 'in', value: ids, as: 'text' }] })
      const heads = new Map(items.map((head) => [head.key.id, head]))
      for (const key of keys) if (key.kind === kind) this.#keep(key, heads.get(key.id))
    }
  }

  async #readAll(): Promise<void> {
    const heads: Head[] = []
    for (const kind of await this.#store.kinds()) {
      if (this.#typeOf(kind)) heads.push(...(await this.#store.heads(kind, {})).items)
    }
    this.#urls = new Map()
    this.#keys = new Map()
    for (const head of heads) this.#keep(head.key, head)
  }

  #keep(key: Key, head: Head | undefined): void {
    const name = keyText(key)
    const type = this.#typeOf(key.kind)
    const before = this.#urls.get(name)
    const url = head && type && urlOf(type, head)
    if (before !== undefined) this.#drop(before, name)
    if (url == null) return
    this.#urls.set(name, url)
    const others = this.#keys.get(url)
    if (others) others.set(name, key)
    else this.#keys.set(url, new Map([[name, key]]))
  }

  #drop(url: string, name: string): void {
    this.#urls.delete(name)
    const others = this.#keys.get(url)
    others?.delete(name)
    if (others?.size === 0) this.#keys.delete(url)
  }

  /** The type of a kind whose records have pages. */
  #typeOf(kind: string): ContentType | undefined {
    const type = kind.startsWith('.') || kind.includes('/') ? undefined : this.#types.get(kind)
    return type?.permalink == null ? undefined : type
  }
}
