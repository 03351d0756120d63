import { isDeepStrictEqual } from 'node:util'
import { UNSAFE_KEYS } from '#frontmatter/fault.ts'
import type { FieldErrors } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { isLonger } from '#lib/text/characters.ts'
import type { Field } from '../types/content-type.ts'
import { itemOf } from '../types/fields.ts'
import { say } from './checks.ts'
import { HeldItems, heldAt } from './held.ts'

/**
 * Limits of a request: fields, levels, characters of a string, items of a list, values in all fields that say what they hold,
 * characters of a key, bytes of a body.
 */
export const LIMITS = {
  ...{ fields: 100, depth: 20, string: 10_000, items: 1000, values: 20_000, key: 100, title: 200 },
  body: 1024 * 1024,
} as const

/** A value that is over a limit: its path, as deep as it is declared, and the end of a sentence about it. */
interface Fault {
  readonly path: string
  readonly text: string
}

/**
 * A place in what was sent: the field that is declared for it, if one is, the most characters of its strings, and what the record
 * has there.
 */
interface Place {
  readonly path: string
  readonly field: Field | undefined
  readonly longest: number
  readonly held: readonly (Json | undefined)[]
  readonly isInList: boolean
}

/**
 * Messages for what is over the limits of any request, by the path of the value; `refused` are the fields it is in. Strings may
 * be longer where a rule of their field says so. What lists and objects had before, in one of `held`, has no limits.
 */
export function limitErrors(
  declared: ReadonlyMap<string, Field>,
  fields: Fields,
  held: readonly Readonly<Fields>[],
): { errors: FieldErrors; refused: ReadonlySet<string> } {
  const names = Object.keys(fields)
  const refused = new Set<string>()
  const whole = (message: string) => ({ errors: { fields: [message] }, refused })
  if (names.length > LIMITS.fields) return whole(`A record can't be sent with more than ${LIMITS.fields} fields.`)
  const errors: FieldErrors = {}
  let values = 0
  for (const name of names) {
    // Not even a message can be kept under such a name.
    if (UNSAFE_KEYS.has(name)) return whole(`The field "${name}" is not allowed.`)
    const field = declared.get(name)
    const isDeep = field?.of !== undefined || field?.fields !== undefined
    if (isDeep) values += countOf(fields[name] ?? null, LIMITS.values - values)
    const fault = isDeep && values > LIMITS.values ? TOO_MANY : undefined
    const place = { ...placeOfField(name, field), held: isDeep ? held.map((one) => one[name]) : [], isInList: false }
    const found = textAt(place.path, keyFault(name) ?? fault) ?? treeFault(fields[name] ?? null, 1, place)
    if (!found) continue
    refused.add(name)
    errors[found.path] = [say(found.path, found.text)]
  }
  return { errors, refused }
}

const TOO_MANY = `must not hold more than ${LIMITS.values.toLocaleString('en')} values, with what is sent beside it.`

/** Counts the values in a value; stops where there are more than `most`. */
function countOf(value: Json, most: number): number {
  let count = 1
  if (typeof value !== 'object' || value === null) return count
  for (const part of Object.values(value)) {
    if (count > most) break
    count += countOf(part, most - count)
  }
  return count
}

function textAt(path: string, text: string | undefined): Fault | undefined {
  return text === undefined ? undefined : { path, text }
}

/** A place without what the record has there. */
type Bare = Pick<Place, 'path' | 'field' | 'longest'>

function placeOfField(name: string, field: Field | undefined): Bare {
  const path = printable(name)
  return name === 'body' ? { path, field: undefined, longest: LIMITS.body } : placeOf(path, field, LIMITS.string)
}

/** A place; within a value that nothing is declared of, limits are those of the value. */
function placeOf(path: string, field: Field | undefined, longest: number): Bare {
  return { path, field, longest: field ? longestOf(field) : longest }
}

function partOf({ path, field, longest }: Bare, key: string): Bare {
  const part = field?.fields?.get(key)
  return part ? placeOf(`${path}.${key}`, part, longest) : { path, field: undefined, longest }
}

/** A rule of its own says how long a field's strings may be, else the limit of all strings does. */
function longestOf({ type, rules }: Field): number {
  if (!['text', 'markdown', 'json'].includes(type)) return LIMITS.string
  const max =
    rules.find(({ name }) => name === 'max')?.argument ?? rules.find(({ name }) => name === 'between')?.argument?.split(',')[1]
  return max === undefined ? LIMITS.string : Math.max(LIMITS.string, Number(max))
}

function treeFault(value: Json, depth: number, place: Place): Fault | undefined {
  const { path } = place
  if (typeof value !== 'object' || value === null) return textAt(path, plainFault(value, place.longest))
  if (depth > LIMITS.depth) return textAt(path, `must not be nested more than ${LIMITS.depth} levels deep.`)
  // Pairs of keys and items are made of what is short enough alone.
  const { length } = Array.isArray(value) ? value : Object.keys(value)
  if (length > LIMITS.items) return textAt(path, `must not have more than ${LIMITS.items} items.`)
  return Array.isArray(value) ? itemFault(value, depth, place) : partFault(value, depth, place)
}

function plainFault(value: string | number | boolean | null, longest: number): string | undefined {
  if (typeof value === 'string') return stringFault(value, longest)
  return typeof value === 'number' && !Number.isFinite(value) ? 'must be a finite number.' : undefined
}

function itemFault(values: readonly Json[], depth: number, place: Place): Fault | undefined {
  const had = new HeldItems(place.held, place.isInList)
  const item = place.field && itemOf(place.field)
  const longest = item ? longestOf(item) : place.longest
  for (const [n, value] of values.entries()) {
    // Most items are plain and right: nothing more is made of these.
    if ((typeof value !== 'object' || value === null) && plainFault(value, longest) === undefined) continue
    if (had.has(value, n)) continue
    const at = { path: item ? `${place.path}.${n}` : place.path, field: item, longest, held: had.at(n), isInList: true }
    const fault = treeFault(value, depth + 1, at)
    if (fault) return fault
  }
  return undefined
}

function partFault(values: Readonly<Fields>, depth: number, place: Place): Fault | undefined {
  for (const [key, value] of Object.entries(values)) {
    const held = heldAt(place.held, key)
    if (held.some((one) => isDeepStrictEqual(one, value))) continue
    const at = { ...partOf(place, key), held, isInList: place.isInList }
    const fault = textAt(place.path, keyFault(key)) ?? treeFault(value, depth + 1, at)
    if (fault) return fault
  }
  return undefined
}

function stringFault(text: string, longest: number): string | undefined {
  if (isLonger(text, longest)) return `must not be greater than ${longest} characters.`
  if (/\p{Cs}/u.test(text)) return 'must be valid Unicode.'
  return text.includes('\0') ? 'must not hold a NUL character.' : undefined
}

function keyFault(key: string): string | undefined {
  if (UNSAFE_KEYS.has(key)) return `holds the key "${key}", which is not allowed.`
  if (key === '' || key.length > LIMITS.key || key !== key.trim())
    return `holds a key that is empty, over ${LIMITS.key} characters or padded with spaces.`
  return /[\p{Cc}\p{Cs}]/u.test(key) ? 'holds a key with a control character.' : undefined
}

function printable(name: string): string {
  return name.replaceAll(/\p{Cc}/gu, '\uFFFD').slice(0, LIMITS.key)
}
