import { isDeepStrictEqual } from 'node:util'
import { isObject } from '#frontmatter/changes.ts'
import { UNSAFE_KEYS } from '#frontmatter/fault.ts'
import { toInstant } from '#frontmatter/instants.ts'
import { isUnlisted, plainName } from '#frontmatter/other-tools.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { termId } from '../terms/terms.ts'
import type { Shape } from '../types/content-type.ts'
import { rawInstant, spelledInstants } from './instants-within.ts'
import { canonicalName, isOwnKey, keysOf, senseOf, spentWords } from './names.ts'
import { boundsOf } from './times.ts'
import { instantsIn, termNames, terms } from './values.ts'

/** Edits of front matter under the file's own keys; undefined removes a key. */
export type RawEdits = Map<string, Json | undefined>

/** A file as an edit finds it: its own keys, and what they mean. */
export interface Now {
  data: Readonly<Fields>
  fields: Readonly<Fields>
}

/**
 * Converts `set` (Quire's names and forms, null removes) to edits of the file's own keys. Values that are equal to the current
 * ones are left out. Throws InvalidInput.
 */
export function rawEdits(set: Readonly<Fields>, now: Now, shape: Shape): RawEdits {
  const edits: RawEdits = new Map()
  for (const [name, value] of Object.entries(set)) {
    if (name === 'body') continue
    if (UNSAFE_KEYS.has(name)) throw new InvalidInput({ [name]: [`A field can't be called "${name}".`] })
    const form = formOf(name, value, shape)
    if (name === 'noindex' && value === true && isImplied(set, now, shape)) continue
    if (!isEqual(name, form, now, shape)) editField(edits, name, value, now, shape)
  }
  return edits
}

/** Returns whether `noindex` is implied: unlisted records are not for search engines either, so it is not written twice. */
function isImplied(set: Readonly<Fields>, { data }: Now, shape: Shape): boolean {
  return keysOf('noindex', data, shape).length === 0 && isUnlisted({ ...data, ...set })
}

/** The value as reading it from a file would give it. */
export function formOf(name: string, value: Json, shape: Shape): Json {
  if (value === null) return null
  const sense = senseOf(name, shape)
  if (sense === 'terms') return terms(value)
  if (sense === 'strings') return (Array.isArray(value) ? value : [value]).map(String)
  if (sense === 'instant') return instantForm(name, value, shape)
  if (sense === 'instants') return instantsIn(name, value, shape)
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

/** The keys that say what a field is: for a status those of other tools that make a draft, too. */
function ownKeys(name: string, now: Now, shape: Shape): string[] {
  const keys = keysOf(name, now.data, shape)
  if (!shape.record) return keys
  if (name === 'status') return [...keys, ...spentWords(now.data, shape).map(({ key }) => key)]
  return name === 'own' ? Object.keys(now.data).filter((key) => isOwnKey(key, now.data[key], shape)) : keys
}

function editField(edits: RawEdits, name: string, value: Json, now: Now, shape: Shape): void {
  if (value === null) {
    for (const key of ownKeys(name, now, shape)) edits.set(key, undefined)
  } else if (shape.record && name === 'status') {
    editStatus(edits, String(value), now, shape)
  } else if (shape.record && name === 'own') {
    editOwn(edits, value, ownKeys(name, now, shape), now)
  } else {
    const key = keyFor(name, value, now, shape)
    edits.set(key, rawValue(name, value, now.data[key], shape))
    if (shape.record) editBounds(edits, name, value, now, shape)
  }
}

/**
 * The key whose value becomes another; an address that is none (`false`) can't stand under the names that other tools have for
 * it.
 */
function keyFor(name: string, value: Json, now: Now, shape: Shape): string {
  const [key] = keysOf(name, now.data, shape)
  const fits = key !== undefined && canonicalName(key, value, shape) === name
  return fits ? key : newKey(name, value, shape)
}

/** A file that says `draft` or `published` goes on doing so as far as that can say it. */
function editStatus(edits: RawEdits, status: string, now: Now, shape: Shape): void {
  const [key] = keysOf('status', now.data, shape)
  const words = spentWords(now.data, shape)
  const drafts = status === 'draft'
  if (key !== undefined && now.data[key] !== null) edits.set(key, status)
  else if (words.length === 0 || !(drafts || status === shape.liveStatus))
    edits.set(key ?? newKey('status', status, shape), status)
  else for (const word of words) if (word.drafts !== drafts) edits.set(word.key, drafts === (plainName(word.key) === 'draft'))
}

/** Of several keys that say when a record begins or ends, none may say otherwise than the one that was set. */
function editBounds(edits: RawEdits, name: string, value: Json, now: Now, shape: Shape): void {
  const instant = typeof value === 'string' ? toInstant(value, shape.timezone) : undefined
  if (instant === undefined || (name !== 'published_at' && name !== 'expires_at')) return
  const { later, ends } = boundsOf(now.data, shape)
  const others =
    name === 'published_at' ? later.filter((bound) => bound.instant > instant) : ends.filter((bound) => bound.instant < instant)
  for (const { key } of others) if (!edits.has(key)) edits.set(key, rawInstant(String(value), now.data[key], shape.timezone))
}

/** The keys of a file that stand in `own`, each by itself. */
function editOwn(edits: RawEdits, value: Json, keys: readonly string[], now: Now): void {
  const own = isObject(value) ? value : {}
  for (const key of keys) if (!Object.hasOwn(own, key)) edits.set(key, undefined)
  for (const [key, item] of Object.entries(own)) if (!isDeepStrictEqual(item, now.data[key])) edits.set(key, item)
}

/** The key a field gets that the file does not have: Quire's name, unless the type's `map` has given that to something else. */
function newKey(name: string, value: Json, shape: Shape): string {
  if (canonicalName(name, value, shape) === name) return name
  return Object.keys(shape.map).find((key) => shape.map[key] === name) ?? name
}

function rawValue(name: string, value: Json, old: Json | undefined, shape: Shape): Json {
  const sense = senseOf(name, shape)
  if (sense === 'instant') return rawInstant(String(value), old, shape.timezone)
  const within = sense === 'instants' ? shape.instants[name] : undefined
  if (within) return spelledInstants(value, old, within, shape.timezone)
  if (sense !== 'terms' && sense !== 'strings') return formOf(name, value, shape)
  const list = (Array.isArray(value) ? value : [value]).filter((item) => item !== null && item !== '')
  const spelled = sense === 'terms' ? spelledAs(list, old) : list.map(String)
  if (typeof old !== 'string') return spelled
  // In one text a comma parts terms.
  const isPlain = sense !== 'terms' || !spelled.some((item) => String(item).includes(','))
  if (isPlain && sense === 'terms' && old.includes(',')) return spelled.join(', ')
  return isPlain && spelled.length === 1 ? (spelled[0] ?? '') : spelled
}

/** Terms as the file spells them already, else as they were sent. */
function spelledAs(sent: readonly Json[], old: Json | undefined): Json[] {
  const known = new Map<string, Json>()
  for (const item of Array.isArray(old) ? old : termNames(old ?? '')) {
    const id = item === null || typeof item === 'object' ? '' : termId(String(item))
    if (id !== '' && !known.has(id)) known.set(id, item)
  }
  return sent.map((term) => known.get(termId(String(term))) ?? String(term))
}
