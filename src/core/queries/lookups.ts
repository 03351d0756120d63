import { cacheKey } from '#lib/cache-key.ts'
import type { Clock } from '#lib/clock.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Access } from '../access/access.ts'
import type { Document } from '../document.ts'
import { type Key, parseKey } from '../key.ts'
import { type MediaLookup, mediaErrors } from '../media/media-values.ts'
import { type Lookup, lookups } from '../rules/rules.ts'
import type { Claim, Store } from '../store.ts'
import type { ContentType, ContentTypes } from '../types/content-type.ts'
import { comparisonOf } from '../types/types.ts'
import { isThere } from './extent.ts'
import type { Condition } from './query.ts'

/** The dependencies of questions to a store. */
export interface LookupDeps {
  readonly store: Store
  readonly types: ContentTypes
  readonly clock: Clock
  /** Finds media; undefined where the site has none, and any value of their fields is taken. */
  readonly media?: () => MediaLookup | undefined
}

/** Different questions that the fields of one record may ask of the store. */
const MOST_LOOKUPS = 1000

/** Answers of the store to questions that several records ask, by question. */
export type LookupAnswers = Map<string, Promise<unknown>>

/**
 * Asks the store what the rules of the changed fields want to know, each thing once; throws InvalidInput. `self` is the record as
 * it is, where there is one. What is in `answers` is not asked again.
 */
export async function checkLookups(
  deps: LookupDeps,
  access: Access,
  type: Pick<ContentType, 'fields'>,
  set: Fields,
  self: Document | undefined,
  answers: LookupAnswers = new Map(),
): Promise<void> {
  const asked = lookups(type, set, self?.fields)
  if (new Set(asked.map(nameOf)).size > MOST_LOOKUPS) throw new InvalidInput({ fields: [TOO_MANY] })
  const media = deps.media?.()
  const errors = media ? await mediaErrors(media, access, type.fields, set, self?.fields) : {}
  const answered = <T>(lookup: Lookup, ask: () => Promise<T>): Promise<T> => {
    const name = nameOf(lookup)
    const known = answers.get(name) as Promise<T> | undefined
    const answer = known ?? ask()
    if (!known) answers.set(name, answer)
    return answer
  }
  // A store may answer at once, having looked at the disk: a thousand times is long.
  const slices = new Slices()
  for (const lookup of asked) {
    if (slices.isOver) await slices.pause()
    const holds =
      lookup.kind === 'unique'
        ? isFree(await answered(lookup, () => holders(deps, access, lookup)), self?.key)
        : await answered(lookup, () => exists(deps, access, lookup))
    if (!holds) errors[lookup.field] = [...new Set([...(errors[lookup.field] ?? []), messageFor(access, lookup)])]
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
}

const TOO_MANY = `A record can't be sent with more than ${MOST_LOOKUPS.toLocaleString('en')} new references.`

function nameOf({ kind, type, target, value }: Lookup): string {
  return cacheKey(kind, type, target, value)
}

/** The values that must be unique, for the store to check in the same step as the write. */
export function claimsOf(type: ContentType, set: Fields, held?: Readonly<Fields>): Claim[] {
  return lookups(type, set, held).flatMap(({ kind, type: kindOf, target, value }) =>
    kind === 'unique' && kindOf === type.name && typeof value === 'string' ? [{ field: target, value }] : [],
  )
}

/** A type that the reader may not know of is not named. */
function messageFor(access: Access, { kind, type, field, message }: Lookup): string {
  return kind === 'unique' || type.includes('/') || access.sees(type) ? message : `The selected ${field} is invalid.`
}

/** The records that have a value, two of them at most; none of another type that the reader may not know of. */
async function holders({ store, types }: LookupDeps, access: Access, { type, target, value }: Lookup): Promise<readonly Key[]> {
  if (!access.sees(type)) return []
  const { items } = await store.heads(type, { where: [wanted(types, { type, target, value })], limit: 2 })
  return items.map(({ key }) => key)
}

function isFree(holders: readonly Key[], self: Key | undefined): boolean {
  return holders.every(({ kind, id }) => self !== undefined && kind === self.kind && id === self.id)
}

/** The condition that a record has the value of a question. */
export function wanted(types: ContentTypes, { type, target, value }: Pick<Lookup, 'type' | 'target' | 'value'>): Condition {
  return { field: target, op: 'eq', value, as: comparisonOf(target, types.get(type)?.fields ?? new Map()) }
}

/**
 * Checks whether a referenced record exists for the reader. One that the reader may not see does not exist, since a rule must not
 * reveal it.
 */
async function exists({ store, types, clock }: LookupDeps, access: Access, { type: name, value }: Lookup): Promise<boolean> {
  const type = access.sees(name) ? types.get(name) : undefined
  const key = type && parseKey(name, String(value))
  const document = key && (await store.get(key))
  return type !== undefined && document !== undefined && isThere(access, type, document, clock.now())
}
