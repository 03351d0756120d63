import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import { isThere } from '#core/queries/extent.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { NotFound } from '#lib/errors.ts'
import type { Deps } from '../parts.ts'
import { mustHold, mustReach, seesAll } from '../rights.ts'
import { missing, unreadable } from '../unreadable.ts'

/** The right that it takes to change records, or to delete them. */
export type WriteRight = 'content:write' | 'content:delete'

/**
 * Returns the type of that name for a caller who would write its records. Who changes a record is answered with it, and so needs
 * the right to read it. Throws NotFound, or Forbidden where the right is held for no record of the type.
 */
export function writableType({ registry }: Deps, access: Access, name: string, right: WriteRight): ContentType {
  const type = right === 'content:write' ? registry.readable(access, name) : registry.named(access, name)
  mustHold(access, right, name)
  return type
}

/** Returns the record of a key for a caller who would write it; throws NotFound, Unreadable or Forbidden. */
export async function writableRecord(
  { store, clock }: Deps,
  access: Access,
  type: ContentType,
  right: WriteRight,
  key: Key,
): Promise<Document> {
  const document = await store.get(key)
  if (!document) throw await missing(store, access, type.name, key.id)
  if (!isThere(access, type, document, clock.now())) throw new NotFound()
  mustReach(access, right, type, document.fields)
  return document
}

/** Throws Unreadable for a record whose file can't be read, where the caller may not see all: it may be a draft of anybody's. */
export function mustBeRemovable(access: Access, type: ContentType, { problem }: Document): void {
  if (problem?.severity === 'error' && !seesAll(access, type.name)) throw unreadable(access, problem, type.name)
}
