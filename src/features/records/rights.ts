import type { Access, Scope } from '#core/access/access.ts'
import type { Head } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import { extentOf, isOwn, isThere } from '#core/queries/extent.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { Forbidden } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { isIndex } from './writing/new-id.ts'
import { isLiveStatus, statusOf } from './writing/stored-status.ts'

/** Throws Forbidden, naming the right, where it is not held for all records of this type. */
export function mustMay(access: Access, scope: Scope, type: string): void {
  if (!access.may(scope, type)) throw new Forbidden(needs(access, scope, type))
}

/** Throws Forbidden, naming the right, where it is held for no record of this type. */
export function mustHold(access: Access, scope: Scope, type: string): void {
  if (access.reach(scope, type) === 'none') throw new Forbidden(needs(access, scope, type))
}

/** Throws Forbidden, naming the right, where it does not go as far as a record with these fields. */
export function mustReach(access: Access, scope: Scope, type: ContentType, fields: Readonly<Fields>): void {
  if (!reaches(access, scope, type, fields)) throw new Forbidden(needs(access, scope, type.name))
}

/** Returns whether a right applies to a record with these fields. */
export function reaches(access: Access, scope: Scope, type: ContentType, fields: Readonly<Fields>): boolean {
  const reach = access.reach(scope, type.name)
  if (reach === 'all' || reach === 'none') return reach === 'all'
  return isOwn(fields, access.handle) && (reach === 'own' || !isLiveStatus(type, statusOf(type, fields)))
}

function needs(access: Access, scope: Scope, type: string): string {
  const reach = access.reach(scope, type)
  if (reach === 'own') return `This needs the right ${scope} for all of "${type}"; yours is for your own records.`
  if (reach === 'own-drafts') return `This needs the right ${scope} for all of "${type}"; yours is for your own drafts.`
  return `This needs the right ${scope} for "${type}".`
}

/** Throws Forbidden where a record comes to be the `index` of its type, whose own all loose files of the type are. */
export function mustMayBecome(access: Access, { kind, id }: Key): void {
  if (!isIndex(id) || access.may('content:write', kind)) return
  throw new Forbidden(
    `To make the record "index" needs the right content:write for all of "${kind}": the files of the type would be its own.`,
  )
}

/** Throws Forbidden where a change is of fields that the reader may not write, naming them; `names` are those it changes. */
export function mustMayChange(access: Access, type: ContentType, names: readonly string[]): void {
  if (names.includes('author') && !access.may('content:write', type.name)) {
    throw new Forbidden(`To give a record another author needs the right content:write for all of "${type.name}".`)
  }
  const allowed = access.writable(type.name)
  const others = allowed ? names.filter((name) => !allowed.has(name)) : []
  if (others.length === 0) return
  const fields = [...(allowed ?? [])].join(', ')
  throw new Forbidden(`Your right content:write for "${type.name}" is for the fields ${fields}; not for ${others.join(', ')}.`)
}

/** Returns whether everything of a type exists for this reader, including everyone's drafts. */
export function seesAll(access: Access, type: string): boolean {
  return extentOf(access, type) === 'all'
}

/** Returns whether a reader may know at `now` that the record exists; a file that can't be read may be a draft of anybody's. */
export function isKnown(access: Access, type: ContentType, head: Pick<Head, 'fields' | 'problem'>, now: number): boolean {
  if (head.problem?.severity === 'error' && !seesAll(access, type.name)) return false
  return access.sees(type.name) && access.reach('content:read', type.name) !== 'none' && isThere(access, type, head, now)
}
