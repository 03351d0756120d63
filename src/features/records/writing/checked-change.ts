import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { Action } from '#core/history/revision.ts'
import { lastSegment } from '#core/key.ts'
import { checkLookups, claimsOf, type LookupAnswers } from '#core/queries/lookups.ts'
import type { Claim } from '#core/store.ts'
import { withNames } from '#core/terms/names.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { Conflict } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { AddressChange } from '../links/address-change.ts'
import type { Deps } from '../parts.ts'
import { mustMayChange, mustReach } from '../rights.ts'
import { actionOfChange } from './commit-messages.ts'
import { differing, type Sent } from './input.ts'
import { mustPass } from './other-checks.ts'
import { checkStatusMove, publishingStamp } from './status-moves.ts'

/** A change that was sent for a record. The caller may change the record as such. */
export interface ChangeWish {
  readonly type: ContentType
  readonly document: Document
  readonly sent: Sent
}

/** A change that is allowed, as it is to be written, and the action that the history names it by. */
export interface CheckedChange {
  readonly change: AddressChange
  readonly action: Action
}

/**
 * Checks what is to be written to a record: rights on its fields, the move of its status, and what the rules ask the store.
 * Returns what it comes to, with the time of publishing where that begins; undefined if it changes nothing. Its address is the
 * concern of the caller. `answers` are those to questions of other records.
 */
export async function checkedChange(
  deps: Deps,
  access: Access,
  { type, document, sent }: ChangeWish,
  { redirect = true }: { readonly redirect?: boolean | undefined },
  answers?: LookupAnswers,
): Promise<CheckedChange | undefined> {
  const set = differing(type, sent.fields, document.fields)
  const body = sent.body === undefined || sent.body === document.body ? undefined : sent.body
  mustMayChange(access, type, body === undefined ? Object.keys(set) : [...Object.keys(set), 'body'])
  Object.assign(set, publishingStamp(type, document.fields, set, deps.clock.now()))
  if (Object.keys(set).length === 0 && body === undefined) return undefined
  checkStatusMove(access, type, document.fields, set)
  // Unclean HTML on a page is as good as publishing, whatever the status.
  if (body !== undefined && type.html === 'trusted') mustReach(access, 'content:publish', type, document.fields)
  await checkLookups(deps, access, type, set, document, answers)
  const after = { ...document.fields, ...set }
  const write = { action: 'update', type: type.name, id: document.key.id, fields: after, body: body ?? document.body } as const
  await mustPass(deps, access, write)
  const put = { set: withNames(set, sent.termNames ?? {}), ...(body !== undefined && { body }) }
  const unique = [...(await slugClaim(deps, type, document, set)), ...claimsOf(type, set, document.fields)]
  // What comes next may start from here: it must be known when it does.
  deps.bases.remember(document)
  const change: AddressChange = {
    going: { type, before: document, after: { ...document, fields: fieldsAfter(document, set) } },
    change: { key: document.key, put, expects: document.version, unique },
    hasBody: body !== undefined,
    redirect,
  }
  return { change, action: actionOfChange(type, document.fields, set) }
}

async function slugClaim({ store }: Deps, type: ContentType, document: Document, set: Fields): Promise<Claim[]> {
  if (typeof set.slug !== 'string') return []
  const where = [{ field: 'slug', op: 'eq' as const, value: set.slug, as: 'text' as const }]
  const { items } = await store.heads(type.name, { where, limit: 2 })
  if (items.some(({ key }) => key.id !== document.key.id)) throw new Conflict(`The slug "${set.slug}" is taken.`)
  return [{ field: 'slug', value: set.slug }]
}

/** Returns the fields of a record once `set` is written, as far as its address depends on them. */
function fieldsAfter({ key, fields }: Document, set: Fields): Fields {
  const after = Object.fromEntries(Object.entries({ ...fields, ...set }).filter(([, value]) => value !== null))
  return { ...after, slug: after.slug ?? lastSegment(key.id) }
}
