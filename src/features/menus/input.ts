import { isDeepStrictEqual } from 'node:util'
import { idFault } from '#core/key.ts'
import { DEEPEST, isSafeHref, type MenuTarget, MOST_ITEMS } from '#core/menu.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { isLonger } from '#lib/text/characters.ts'
import { nearest } from '#lib/text/nearest.ts'
import type { MenuView } from './schema.ts'
import { type Item, isSameTarget } from './tree.ts'

/** A menu as it was sent; what was not sent stays. */
export interface SentMenu {
  readonly label?: string | null
  readonly items?: readonly SentItem[]
}

/** An item as it was sent, and where in the request; without an id it is a new one. */
export interface SentItem extends Omit<Item, 'id' | 'children'> {
  readonly id: string | undefined
  readonly path: string
  readonly children: readonly SentItem[]
}

const NAME = /^[a-z0-9][a-z0-9._-]*$/
const MOST_NAME = 100
const MOST_LABEL = 200
const MOST_URL = 2000
const FIELDS = ['label', 'items'] as const
const ITEM_FIELDS = ['id', 'label', 'url', 'record', 'new_tab', 'children'] as const

/** Reads the name of a new menu; throws InvalidInput. */
export function readName(name: Json | undefined): string {
  if (name === undefined || name === null) throw new InvalidInput({ name: ['The name is required.'] })
  const isOne = typeof name === 'string' && !isLonger(name, MOST_NAME) && NAME.test(name) && !name.endsWith('.')
  const fault = isOne ? idFault(name) : undefined
  if (fault !== undefined) throw new InvalidInput({ name: [`The name "${name}" ${fault}.`] })
  if (isOne) return name
  throw new InvalidInput({
    name: [`The name must be of small letters, digits, ".", "_" and "-", ${MOST_NAME} at most, such as "main".`],
  })
}

/**
 * Reads what a menu is to be. A name and a version that are those of `shown` are ignored; an item of `known` that says what it
 * said is taken as it is. Throws InvalidInput with all that is wrong.
 */
export function readMenuInput(input: Fields, shown: readonly MenuView[], known: ReadonlyMap<string, readonly Item[]>): SentMenu {
  const errors: FieldErrors = {}
  for (const [name, value] of Object.entries(input)) {
    if (FIELDS.some((field) => field === name)) continue
    if (shown.some((view) => isDeepStrictEqual((view as unknown as Fields)[name], value))) continue
    errors[name] = [shown.some((view) => name in view) ? `The ${name} can not be set.` : noField(name, FIELDS)]
  }
  const { label, items } = input
  if (typeof label === 'string') checkLine('label', 'label', label, errors)
  else if (label !== undefined && label !== null) errors.label = ['The label must be a text.']
  if (items !== undefined && !Array.isArray(items)) errors.items = ['The items must be a list.']
  const read = Array.isArray(items) ? new ItemReader(known, errors).all(items) : undefined
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return {
    ...(label !== undefined && { label: typeof label === 'string' && label !== '' ? label : null }),
    ...(read && { items: read }),
  }
}

class ItemReader {
  readonly #known: ReadonlyMap<string, readonly Item[]>
  readonly #errors: FieldErrors
  readonly #ids = new Set<string>()

  constructor(known: ReadonlyMap<string, readonly Item[]>, errors: FieldErrors) {
    this.#known = known
    this.#errors = errors
  }

  all(items: readonly Json[]): SentItem[] {
    const count = countOf(items, 1)
    if (count <= MOST_ITEMS) return this.#level(items, 'items', 1)
    // Not read: a fault of each of half a million would take seconds.
    this.#fault('items', `A menu has ${MOST_ITEMS} items at most: these are ${count}.`)
    return []
  }

  #level(items: readonly Json[], path: string, depth: number): SentItem[] {
    if (items.length > 0 && depth > DEEPEST) {
      this.#fault('items', `A menu has ${DEEPEST} levels at most.`)
      return []
    }
    return items.flatMap((item, n) => this.#item(item, `${path}.${n}`, depth) ?? [])
  }

  #item(item: Json, path: string, depth: number): SentItem | undefined {
    if (!isObject(item)) {
      this.#fault(path, 'An item must be an object.')
      return undefined
    }
    for (const name of Object.keys(item)) {
      if (!ITEM_FIELDS.some((field) => field === name)) this.#fault(`${path}.${name}`, noField(name, ITEM_FIELDS))
    }
    const id = this.#id(item.id ?? null, `${path}.id`)
    const known = id === undefined ? [] : (this.#known.get(id) ?? [])
    const target = this.#target(item, path)
    const label = this.#label(item.label ?? null, target, known, path)
    const newTab = item.new_tab ?? false
    if (typeof newTab !== 'boolean') this.#fault(`${path}.new_tab`, 'The new_tab must be true or false.')
    const below = item.children ?? []
    if (!Array.isArray(below)) this.#fault(`${path}.children`, 'The children must be a list.')
    const children = Array.isArray(below) ? this.#level(below, `${path}.children`, depth + 1) : []
    return { id, path, label, target, newTab: newTab === true, children }
  }

  #id(id: Json, path: string): string | undefined {
    if (id === null) return undefined
    if (typeof id !== 'string' || id === '') this.#fault(path, 'The id must be one that Quire made; leave it out for a new item.')
    else if (this.#ids.has(id)) this.#fault(path, `The id "${id.slice(0, 64)}" is there twice.`)
    else {
      this.#ids.add(id)
      return id
    }
    return undefined
  }

  #label(label: Json, target: MenuTarget | null, known: readonly Item[], path: string): string | null {
    const at = `${path}.label`
    if (label === null) {
      const isAsWas = known.some((item) => item.label === null && isSameTarget(item.target, target))
      if (!isAsWas && !(target && 'record' in target)) this.#fault(at, 'The label is required where no record gives it.')
      return null
    }
    if (known.some((item) => item.label === label)) return label as string
    if (typeof label !== 'string') this.#fault(at, 'The label must be a text.')
    else if (label.trim() === '') this.#fault(at, 'The label must not be empty.')
    else checkLine(at, 'label', label, this.#errors)
    return typeof label === 'string' ? label : null
  }

  #target({ url = null, record = null }: Fields, path: string): MenuTarget | null {
    if (url !== null && record !== null) this.#fault(`${path}.url`, 'An item leads to a url or to a record, not to both.')
    if (record !== null) return this.#record(record, `${path}.record`)
    if (url === null) return null
    const at = `${path}.url`
    if (typeof url !== 'string' || url === '') this.#fault(at, 'The url must be a text that is not empty.')
    else if (isLonger(url, MOST_URL)) this.#fault(at, `The url must not be longer than ${MOST_URL} characters.`)
    else if (/\p{Cc}/u.test(url)) this.#fault(at, 'The url must be on one line.')
    else if (!isSafeHref(url)) this.#fault(at, 'The url must be a path, or begin with http:, https:, mailto: or tel:.')
    else return { url }
    return null
  }

  #record(record: Json, path: string): MenuTarget | null {
    const { type, id, ...rest }: Fields = isObject(record) ? record : {}
    if (typeof type === 'string' && typeof id === 'string' && Object.keys(rest).length === 0) return { record: { type, id } }
    this.#fault(path, 'The record must be its type and its id: {"type": "pages", "id": "about"}.')
    return null
  }

  #fault(path: string, message: string): void {
    this.#errors[path] ??= [message]
  }
}

function countOf(items: readonly Json[], depth: number): number {
  if (depth > DEEPEST) return items.length
  return items.reduce<number>((count, item) => {
    const below = isObject(item) ? item.children : undefined
    return Array.isArray(below) ? count + countOf(below, depth + 1) : count
  }, items.length)
}

function checkLine(at: string, name: string, text: string, errors: FieldErrors): void {
  if (/\p{Cc}/u.test(text)) errors[at] = [`The ${name} must be on one line.`]
  else if (isLonger(text, MOST_LABEL)) errors[at] = [`The ${name} must not be longer than ${MOST_LABEL} characters.`]
}

function noField(name: string, fields: readonly string[]): string {
  const near = nearest(name, fields)
  return `There is no field "${name.slice(0, 64)}". ${near ? `Did you mean "${near}"?` : `Known are ${fields.join(', ')}.`}`
}

function isObject(value: Json): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
