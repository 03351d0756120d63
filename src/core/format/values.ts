import { toInstant } from '#frontmatter/instants.ts'
import { draftWords, isUnlisted, yesOrNo } from '#frontmatter/other-tools.ts'
import type { Fields, Json } from '#lib/json.ts'
import { nameOfTerm } from '../terms/names.ts'
import { termId } from '../terms/terms.ts'
import type { Shape } from '../types/content-type.ts'
import { withInstants } from './instants-within.ts'
import { canonicalName, draftOf, isLater, isOwnKey, isSpent, senseOf } from './names.ts'
import { boundsOf, earliest, isBound, latest } from './times.ts'

/** A value in a file that could not be understood. It is an `error` if it might keep the text from the public. */
export interface Odd {
  readonly key: string
  readonly message: string
  readonly hint: string
  readonly severity: 'error' | 'warning'
  /** Set if the text may be one that is to come: an `error` unless the file is a draft. */
  readonly mayBeToCome?: true
}

/** A file's values under Quire's names and in Quire's forms, without what is derived; `odd` says what could not be understood. */
export interface Canonical {
  fields: Fields
  /** Of records: stored apart from their fields. */
  createdAt: string | undefined
  updatedAt: string | undefined
  /** See `Head.termNames`. */
  termNames: Record<string, string[]>
  odd: Odd | undefined
}

/** Brings front matter to Quire's names and forms. The body of a file that is `whole` YAML is left out: it is no field. */
export function canonical(data: Readonly<Fields>, shape: Shape, whole = false): Canonical {
  const fields: Fields = {}
  const result: Canonical = { fields, createdAt: undefined, updatedAt: undefined, termNames: {}, odd: undefined }
  const own: Fields = {}
  for (const key in data) {
    const raw = data[key] ?? null
    if (key === 'body' && (!shape.record || (whole && typeof raw === 'string'))) continue
    if (isSpent(key, raw, shape)) continue
    if (isOwnKey(key, raw, shape)) own[key] = raw
    else take(key, raw, data, shape, result)
  }
  if (!shape.record) return result
  if (Object.keys(own).length > 0) fields.own = own
  settle(data, shape, result)
  return result
}

function take(key: string, raw: Json, data: Readonly<Fields>, shape: Shape, result: Canonical): void {
  const { fields } = result
  const name = canonicalName(key, raw, shape)
  // Of several keys for one field, the one of Quire's own name wins, else the first.
  const isSecond = key !== name && (Object.hasOwn(data, name) || Object.hasOwn(fields, name))
  const later = isLater(key, raw, shape)
  const counts = !isSecond || later || isBound(key, shape)
  const value = counts ? read(name, key, raw, shape, result) : null
  if (!counts && shape.record) result.odd ??= doubled(key, name)
  // A field of another sense that counts all the same.
  if (name === key && raw !== null && (later || isBound(key, shape)))
    instant({ name: later ? 'published_at' : 'expires_at', key }, raw, shape, result)
  if (isSecond || (key !== name && later)) return
  if (shape.record && name === 'created_at') result.createdAt ??= textOf(value)
  else if (shape.record && name === 'updated_at') result.updatedAt ??= textOf(value)
  else fields[name] = value
}

/** Two keys of a file for one thing, of which this one does not count. */
function doubled(key: string, name: string): Odd {
  const message = `"${key}" says the same thing as another key (${name}), and does not count.`
  return { key, message, hint: 'Remove one of the two.', severity: 'warning' }
}

/** Resolves the keys that depend on each other: the status, the publication date, and whether the record is listed. */
function settle(data: Readonly<Fields>, shape: Shape, result: Canonical): void {
  const { fields } = result
  const draft = draftOf(data, shape)
  if (!textOf(fields.status)) fields.status = draft === undefined ? shape.defaultStatus : draft ? 'draft' : shape.liveStatus
  const isLive = shape.statuses.get(String(fields.status))?.live
  if (draft !== undefined && isLive === draft && Object.hasOwn(data, 'status')) {
    const message = `"status" (${fields.status}) and ${draft ? 'a draft mark' : 'the mark of no draft'} contradict each other: the status counts.`
    result.odd ??= { key: 'status', message, hint: 'Remove one of the two.', severity: 'warning' }
  }
  const word = draftWords(data).find(({ odd }) => odd)
  if (word) {
    const message = `"${word.key}" is neither true nor false: this is taken for a draft.`
    result.odd ??= { key: word.key, message, hint: `Write ${word.key}: true or ${word.key}: false.`, severity: 'warning' }
  }
  const { later, ends } = boundsOf(data, shape)
  if (later.length > 0) fields.published_at = latest(fields.published_at, later) ?? null
  if (ends.length > 0) fields.expires_at = earliest(fields.expires_at, ends) ?? null
  const isSaid = (fields.noindex ?? null) !== null
  if (isSaid) fields.noindex = yesOrNo(fields.noindex) ?? true
  else if (isUnlisted(fields)) fields.noindex = true
}

function read(name: string, key: string, value: Json, shape: Shape, result: Canonical): Json {
  const sense = senseOf(name, shape)
  if (sense === 'any' || (value === null && sense !== 'terms' && sense !== 'strings')) return value
  if (sense === 'terms') return termsOf(name, key, value, result)
  if (sense === 'strings') return strings(value)
  if (sense === 'instant') return instant({ name, key }, value, shape, result)
  if (sense === 'instants') return instantsIn(name, value, shape)
  if (typeof value !== 'object') return sense === 'status' ? statusIn(String(value), shape) : String(value)
  result.odd ??= { key, message: `"${key}" is not a text.`, hint: `Write ${key}: a text on one line.`, severity: 'warning' }
  return sense === 'status' ? JSON.stringify(value) : null
}

/** The most terms of one kind that a record may have: each is looked up, counted and listed. */
const MOST_TERMS = 10_000

function termsOf(taxonomy: string, key: string, value: Json, result: Canonical): string[] {
  const written = new Set(termNames(value))
  if (written.size > MOST_TERMS) {
    const message = `"${key}" has over ${MOST_TERMS.toLocaleString('en')} different terms.`
    result.odd = { key, message, hint: 'Divide the file, or call the list something else.', severity: 'error' }
    return []
  }
  const named = namedTerms([...written])
  const names = namesIn(named)
  if (names.length > 0) result.termNames[taxonomy] = names
  return [...named.keys()]
}

/** A status in the letters of the configuration, where it has that in others. */
function statusIn(written: string, { statuses }: Shape): string {
  const small = written.trim().toLowerCase()
  return statuses.has(small) ? small : written
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Names of terms, a list or one text with commas, as the list of their ids without doubles. */
export function terms(value: Json): string[] {
  return [...namedTerms(value).keys()]
}

/** As `terms`: the ids, each with what it is spelled as first. */
export function namedTerms(value: Json): Map<string, string> {
  const named = new Map<string, string>()
  for (const name of new Set(termNames(value))) {
    const id = termId(name)
    if (id !== '' && !named.has(id)) named.set(id, name)
  }
  return named
}

/** The names of terms that are not their ids; see `Head.termNames`. */
export function namesIn(named: ReadonlyMap<string, string>): string[] {
  return [...named].flatMap(([id, spelled]) => nameOfTerm(id, spelled) ?? [])
}

/** Names of terms as a file spells them. */
export function termNames(value: Json): string[] {
  return typeof value === 'string' ? strings(value.split(',').map((name) => name.trim())) : strings(value)
}

function strings(value: Json): string[] {
  const list = Array.isArray(value) ? value : [value]
  return list.filter((item) => item !== null && typeof item !== 'object' && item !== '').map(String)
}

/** The value of a field with the instants within it in Quire's form. */
export function instantsIn(name: string, value: Json, { instants, timezone }: Shape): Json {
  const within = instants[name]
  return within ? withInstants(value, within, timezone) : value
}

function instant({ name, key }: { name: string; key: string }, value: Json, shape: Shape, result: Canonical): string | null {
  const found = typeof value === 'string' ? toInstant(value, shape.timezone) : undefined
  if (found !== undefined || value === '') return found ?? null
  const odd: Odd = {
    key,
    message: `"${key}" is not a date that Quire can read: ${JSON.stringify(value)}.`,
    hint: 'Write it as 2026-01-31 or 2026-01-31T12:00:00Z.',
    severity: isBound(key, shape) ? 'error' : 'warning',
    ...(name === 'published_at' && { mayBeToCome: true }),
  }
  const comesFirst = odd.severity === 'error' || odd.mayBeToCome
  if (result.odd?.severity !== 'error') result.odd = comesFirst ? odd : (result.odd ?? odd)
  return null
}
