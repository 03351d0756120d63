import { isDeepStrictEqual } from 'node:util'
import type { Head } from '#core/document.ts'
import { senseOf } from '#core/format/names.ts'
import { instantsIn, namedTerms, namesIn, terms } from '#core/format/values.ts'
import { type MediaLookup, withMediaPaths } from '#core/media/media-values.ts'
import { checkFields, storedFields } from '#core/rules/rules.ts'
import { COMPUTED_FIELDS, type ContentType } from '#core/types/content-type.ts'
import { targetOf } from '#core/types/fields.ts'
import { toInstant } from '#frontmatter/instants.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'

/**
 * The content of a request, in Quire's forms: times in RFC 3339 UTC, terms and references as ids, a stored status. The body is
 * separate.
 */
export interface Sent {
  readonly fields: Fields
  readonly body?: string
  /** The names of terms that were sent so: what a file is to call those that are new to it. */
  readonly termNames?: NonNullable<Head['termNames']>
}

/**
 * The context in which a sent record is read. Values equal to those in `shown` presentations are no change; `status` is the
 * stored one.
 */
export interface Background {
  readonly shown: readonly Readonly<Fields>[]
  readonly status: string | undefined
  /** A version the request may name as its own, beside those shown. */
  readonly base?: string | undefined
}

/** Checks and reads what a new record is to be; throws InvalidInput with all that is wrong. */
export function readNew(type: ContentType, input: Fields): Sent {
  const set = Object.entries(withIds(type, input)).filter(([, value]) => value !== null)
  const fields = Object.fromEntries(set.filter(([name, value]) => name !== 'type' || value !== type.name))
  return read(type, fields, { shown: [], status: undefined }, false)
}

/**
 * Checks and reads what is to change of a record; what is sent as it is shown is left out, also where the rules would refuse it
 * now.
 */
export function readChange(type: ContentType, input: Fields, background: Background): Sent {
  const entries = Object.entries(withIds(type, input)).filter(([name, value]) => !isShown(background, name, value))
  return read(type, Object.fromEntries(entries), background, true)
}

/** Returns what was sent with media named by their paths; `media` is undefined where there are none. */
export function withPaths(type: ContentType, sent: Sent, media: MediaLookup | undefined): Sent {
  return media ? { ...sent, fields: withMediaPaths(sent.fields, type.fields, media.site) } : sent
}

function isShown({ shown, base }: Background, name: string, value: Json): boolean {
  if (name === 'version' && base !== undefined && value === base) return true
  return shown.some((record) => isDeepStrictEqual(record[name] ?? null, value))
}

function read(type: ContentType, input: Fields, background: Background, partial: boolean): Sent {
  const errors: FieldErrors = checkFields(type, input, { partial, held: background.shown })
  for (const name of COMPUTED_FIELDS) {
    if (Object.hasOwn(input, name)) errors[name] = [`The ${name} is made by Quire and can not be set.`]
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  const { body, ...rest } = storedFields(type, input)
  const fields: Fields = {}
  for (const [name, value] of Object.entries(rest)) fields[name] = canonical(type, name, value, background.status)
  return { fields, ...(body !== undefined && { body: typeof body === 'string' ? body : '' }), termNames: termNamesIn(type, rest) }
}

function termNamesIn({ taxonomies }: ContentType, fields: Fields): Record<string, string[]> {
  const sent = taxonomies.filter(({ name }) => Object.hasOwn(fields, name))
  return Object.fromEntries(sent.map(({ name }) => [name, namesIn(namedTerms(fields[name] ?? null))]))
}

function canonical(type: ContentType, name: string, value: Json, stored: string | undefined): Json {
  if (value === null) return null
  const sense = senseOf(name, type)
  if (sense === 'instant') return toInstant(String(value), 'UTC') ?? value
  if (sense === 'instants') return instantsIn(name, value, { ...type, timezone: 'UTC' })
  if (sense === 'terms') return terms(value)
  return sense === 'status' ? storedStatus(type, String(value), stored) : value
}

/** A status of the clock means the stored one: a live status reads as that. */
function storedStatus(type: ContentType, status: string, stored: string | undefined): string {
  if (type.statuses.has(status)) return status
  return stored !== undefined && type.statuses.get(stored)?.live ? stored : type.liveStatus
}

/** Records that were included by the answer a request sends back stand for their ids. */
function withIds(type: ContentType, input: Fields): Fields {
  const fields: Fields = { ...input }
  for (const name of ['author', ...type.fields.keys()]) {
    const field = type.fields.get(name)
    const isReference = name === 'author' || (field && targetOf(field) !== undefined)
    const value = fields[name]
    if (isReference && value !== undefined) fields[name] = idOf(value)
  }
  return fields
}

function idOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(idOf)
  if (value === null || typeof value !== 'object') return value
  return typeof value.id === 'string' ? value.id : value
}

/**
 * Of the fields, those that differ from what a document holds; null and absent are the same, as are no terms and an empty list.
 */
export function differing(type: ContentType, fields: Fields, held: Readonly<Fields>): Fields {
  const isTerms = (name: string) => type.taxonomies.some((kind) => kind.name === name)
  const changed = Object.entries(fields).filter(([name, value]) => {
    const now = held[name] ?? null
    if (isTerms(name) && now === null && Array.isArray(value) && value.length === 0) return false
    return !isDeepStrictEqual(value, now)
  })
  return Object.fromEntries(changed)
}
