import { isDeepStrictEqual } from 'node:util'
import type { Shape } from '../content-type.ts'
import { InvalidInput } from '../errors.ts'
import type { Fields, Json } from '../json.ts'
import { termId } from '../terms.ts'
import { UNSAFE_KEYS } from './fault.ts'
import { toDay, toInstant } from './instants.ts'
import { canonicalName, draftOf, keysOf, senseOf } from './names.ts'
import { terms } from './values.ts'

/** Edits of front matter under the file's own keys; undefined removes a key. */
export type RawEdits = Map<string, Json | undefined>

/** A file as an edit finds it: its own keys, and what they mean. */
export interface Now {
  data: Readonly<Fields>
  fields: Readonly<Fields>
}

/** What `set` (Quire's names and forms, null removes) means for the file's own keys. What is equal to now is left out. Throws InvalidInput. */
export function rawEdits(set: Readonly<Fields>, now: Now, shape: Shape): RawEdits {
  const edits: RawEdits = new Map()
  for (const [name, value] of Object.entries(set)) {
    if (name === 'body') continue
    if (UNSAFE_KEYS.has(name)) throw new InvalidInput({ [name]: [`A field can't be called "${name}".`] })
    const form = formOf(name, value, shape)
    if (!isEqual(name, form, now, shape)) editField(edits, name, value, now, shape)
  }
  return edits
}

/** The value as reading it from a file would give it. */
export function formOf(name: string, value: Json, shape: Shape): Json {
  if (value === null) return null
  const sense = senseOf(name, shape)
  if (sense === 'terms') return terms(value)
  if (sense === 'strings') return (Array.isArray(value) ? value : [value]).map(String)
  if (sense === 'instant') return instantForm(name, value, shape)
  return (sense === 'text' || sense === 'status') && typeof value !== 'object' ? String(value) : value
}

function instantForm(name: string, value: Json, shape: Shape): string {
  const instant = typeof value === 'string' ? toInstant(value, shape.timezone) : undefined
  if (instant === undefined)
    throw new InvalidInput({ [name]: [`The ${name} must be a date or time such as 2026-01-31T12:00:00Z.`] })
  return instant
}

function isEqual(name: string, form: Json, now: Now, shape: Shape): boolean {
  if (form === null) return ownKeys(name, now, shape).every((key) => now.data[key] === null)
  const held = now.fields[name]
  const isNothing = held === undefined && Array.isArray(form) && form.length === 0 && senseOf(name, shape) !== 'any'
  return isNothing || isDeepStrictEqual(held, form)
}

/** The keys that say what a field is: for a status that is `draft`, too. */
function ownKeys(name: string, now: Now, shape: Shape): string[] {
  const keys = keysOf(name, now.data, shape)
  return name === 'status' && shape.record && draftOf(now.data) !== undefined ? [...keys, 'draft'] : keys
}

function editField(edits: RawEdits, name: string, value: Json, now: Now, shape: Shape): void {
  const keys = keysOf(name, now.data, shape)
  if (value === null) {
    for (const key of ownKeys(name, now, shape)) edits.set(key, undefined)
  } else if (name === 'status' && shape.record) {
    editStatus(edits, keys[0], String(value), now, shape)
  } else {
    const key = keys[0] ?? newKey(name, shape)
    edits.set(key, rawValue(name, value, now.data[key], shape))
  }
}

/** A file that says `draft` goes on doing so as far as that can say it. */
function editStatus(edits: RawEdits, key: string | undefined, status: string, now: Now, shape: Shape): void {
  const sayable = status === 'draft' || status === shape.liveStatus
  if (key !== undefined && now.data[key] !== null) edits.set(key, status)
  else if (draftOf(now.data) !== undefined && sayable) edits.set('draft', status === 'draft')
  else edits.set(key ?? newKey('status', shape), status)
}

/** The key a field gets that the file does not have: Quire's name, unless the type's `map` has given that to something else. */
function newKey(name: string, shape: Shape): string {
  if (canonicalName(name, shape) === name) return name
  return Object.keys(shape.map).find((key) => shape.map[key] === name) ?? name
}

function rawValue(name: string, value: Json, old: Json | undefined, shape: Shape): Json {
  const sense = senseOf(name, shape)
  if (sense === 'instant') return rawInstant(String(value), old, shape)
  if (sense !== 'terms' && sense !== 'strings') return formOf(name, value, shape)
  const list = (Array.isArray(value) ? value : [value]).filter((item) => item !== null && item !== '')
  const spelled = sense === 'terms' ? list.map((item) => spelling(item, old)) : list.map(String)
  return typeof old === 'string' && spelled.length === 1 ? (spelled[0] ?? '') : spelled
}

/** A term as the file spells it already, else as it was sent. */
function spelling(term: Json, old: Json | undefined): Json {
  const known = Array.isArray(old) ? old : [old ?? '']
  const id = termId(String(term))
  return known.find((item) => item !== null && typeof item !== 'object' && termId(String(item)) === id) ?? String(term)
}

/** A file that gives days goes on giving days where the time is a midnight. */
function rawInstant(value: string, old: Json | undefined, shape: Shape): string {
  const isDay = typeof old === 'string' && /^\d{4}-\d\d-\d\d$/.test(old.trim())
  const instant = toInstant(value, shape.timezone)
  return (isDay && instant !== undefined ? toDay(instant, shape.timezone) : undefined) ?? value
}
