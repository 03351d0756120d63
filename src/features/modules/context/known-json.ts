import { Cache } from '#lib/cache.ts'
import type { Json } from '#lib/json.ts'

/** Bytes of JSON, and the object or list that they are. */
interface Known {
  readonly json: Buffer
  readonly value: object & Json
  /** The bytes between the texts that they were last answered with. */
  framed?: { readonly before: string; readonly after: string; readonly bytes: Buffer }
}

const KEPT_BYTES = 8 * 1024 * 1024
const LONGEST_KEPT = 512 * 1024

/** A name that no object can be copied with by setting its members. */
const PROTO = '"__proto__"'

/** Returns the name of a record. */
export function recordName(type: string, id: string): string {
  return `${type}/${id}`
}

/**
 * Returns a name of a list of records, by those of its first and its last. Another list may have the same: a name only finds, and
 * what is found is compared.
 */
export function listName(first: string, last: string, length: number): string {
  return `${first} ${last} ${length}`
}

function nameOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return nameOfRecord(value)
  const [first, last] = [nameOfRecord(value[0]), nameOfRecord(value.at(-1))]
  return first !== undefined && last !== undefined ? listName(first, last, value.length) : undefined
}

function nameOfRecord(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, id } = value as Readonly<Record<string, unknown>>
  return typeof type === 'string' && typeof id === 'string' ? recordName(type, id) : undefined
}

/**
 * The JSON that modules are given as values, each a copy of their own. Where an answer holds such a value as it was given, the bytes
 * serve again: nothing is written as JSON but what a module changed, or made.
 */
export class KnownJson {
  readonly #kept = new Cache<Known>({
    bytes: KEPT_BYTES,
    longest: LONGEST_KEPT,
    // The value takes about as much as its bytes, and so do those that are framed.
    sizeOf: ({ json }) => 3 * json.length,
  })

  /** Returns a record, or a list of them, of its JSON: to be changed at will. */
  valueOf(name: string, json: Buffer): Json {
    const kept = this.#kept.get(name)
    if (kept?.json === json) return copyOf(kept.value)
    const text = json.toString()
    const value = JSON.parse(text) as object & Json
    if (text.includes(PROTO)) return value
    this.#kept.set(name, { json, value })
    return copyOf(value)
  }

  /** Returns a value as `JSON.stringify` has it: as bytes where it is, or holds, what was given and is unchanged. */
  textOf(value: unknown): Buffer | string {
    return this.#unchanged(value)?.json ?? this.#framed(value) ?? JSON.stringify(value) ?? 'null'
  }

  #unchanged(value: unknown): Known | undefined {
    const name = nameOf(value)
    const known = name === undefined ? undefined : this.#kept.get(name)
    return known && isSame(value, known.value) ? known : undefined
  }

  /** The JSON of an object with a member that is known; undefined of any other. */
  #framed(value: unknown): Buffer | undefined {
    if (!isPlain(value)) return undefined
    const names = Object.keys(value)
    const at = names.findIndex((name) => nameOf(value[name]) !== undefined)
    if (at < 0) return undefined
    const before = `{${membersOf(value, names.slice(0, at), '', ',')}${JSON.stringify(names[at])}:`
    const known = this.#unchanged(value[names[at] as string])
    if (!known) return undefined
    const after = `${membersOf(value, names.slice(at + 1), ',', '')}}`
    if (known.framed?.before !== before || known.framed.after !== after)
      known.framed = { before, after, bytes: Buffer.concat([Buffer.from(before), known.json, Buffer.from(after)]) }
    return known.framed.bytes
  }
}

/** Returns some members of an object as JSON, between two texts where there are any. */
function membersOf(value: Readonly<Record<string, unknown>>, names: readonly string[], left: string, right: string): string {
  if (names.length === 0) return ''
  // One that JSON has no form of is left out.
  const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, value[name]]))).slice(1, -1)
  return text === '' ? '' : `${left}${text}${right}`
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)
}

function copyOf<T extends Json>(value: T): T
function copyOf(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((member) => copyOf(member))
  const copy = { ...value }
  for (const name in copy) {
    const member = copy[name]
    if (typeof member === 'object' && member !== null) copy[name] = copyOf(member)
  }
  return copy
}

/** Returns whether a value would be written as JSON as `known` is: with the same members in the same order, and nothing else. */
function isSame(value: unknown, known: Json | undefined): boolean {
  if (value === known) return true
  if (typeof value !== 'object' || value === null || typeof known !== 'object' || known === null) return false
  if (Array.isArray(known)) {
    if (!Array.isArray(value) || value.length !== known.length || 'toJSON' in value) return false
    for (let n = 0; n < known.length; n++) if (!isSame(value[n], known[n])) return false
    return true
  }
  if (!isPlain(value)) return false
  const names = Object.keys(known)
  let count = 0
  for (const name in value) {
    if (names[count++] !== name || !isSame(value[name], known[name])) return false
  }
  return count === names.length
}
