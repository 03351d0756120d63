import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import type { ContentType } from '#core/types/content-type.ts'
import type { Fields, Json } from '#lib/json.ts'
import { mustMayChange, mustReach } from '../rights.ts'
import { differing, type Sent } from './input.ts'
import { firstStatus } from './stored-status.ts'

/** The input of a new record, and the type that it is checked against. */
export interface Signed {
  readonly input: Fields
  readonly type: ContentType
}

/**
 * Returns the input of a new record, with the caller as its author if none is sent. A caller who may write all records may send
 * null for no author. The caller's own authorship needs no record of a person; any other author has to meet the rules of the
 * type.
 */
export function signed(access: Access, type: ContentType, input: Fields): Signed {
  if (!access.handle) return { input, type }
  const own = authorOf(type, access.handle)
  const isSent = (input.author ?? null) !== null || (Object.hasOwn(input, 'author') && access.may('content:write', type.name))
  if (isSent && !isDeepStrictEqual(input.author, own)) return { input, type }
  const fields = new Map([...type.fields].filter(([name]) => name !== 'author'))
  return { input: { ...input, author: own }, type: { ...type, fields } }
}

/**
 * Checks that who makes a record may write what is sent of it: what Quire sets by itself where nothing is sent is no breach.
 * Throws Forbidden.
 */
export function checkNew(access: Access, type: ContentType, { fields, body }: Sent): void {
  const status = firstStatus(type)
  const preset: Fields = access.handle ? { author: authorOf(type, access.handle), status } : { status }
  const others = Object.keys(differing(type, fields, preset))
  mustMayChange(access, type, body === undefined ? others : [...others, 'body'])
  mustReach(access, 'content:write', type, { ...fields, status })
  // Unclean HTML on a page is as good as publishing, whatever the status.
  if (body !== undefined && type.html === 'trusted') mustReach(access, 'content:publish', type, { ...fields, status })
}

function authorOf(type: ContentType, handle: string): Json {
  const field = type.fields.get('author')
  return field?.type === 'list' || field?.multiple ? [handle] : handle
}
