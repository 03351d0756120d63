import type { Fields } from '#lib/json.ts'
import type { Access } from '../access/access.ts'
import type { Head } from '../document.ts'
import { isLive } from '../status.ts'
import type { ContentType, Status } from '../types/content-type.ts'
import { matches } from './operators.ts'
import type { Condition, Query } from './query.ts'

/** The part of a kind's documents that is visible to a reader: all, live ones, or live ones together with those of `own`. */
export type Extent = 'all' | 'live' | { readonly own: string }

/**
 * Returns the extent of a type that is visible to a reader. Documents that are not live require content:drafts, for all or for
 * the reader's own.
 */
export function extentOf(access: Access, type: string): Extent {
  const reach = access.reach('content:drafts', type)
  if (reach === 'all') return 'all'
  return reach === 'own' && access.handle ? { own: access.handle } : 'live'
}

/** The part of a query that narrows a list to an extent. */
export function narrowedTo(extent: Extent): Pick<Query, 'live' | 'own'> {
  if (extent === 'all') return { live: false }
  return extent === 'live' ? { live: true } : { live: true, own: extent.own }
}

/** Returns whether a readable document with these fields is visible to a reader at `now`. */
export function isWithin(extent: Extent, fields: Readonly<Fields>, statuses: ReadonlyMap<string, Status>, now: number): boolean {
  if (extent === 'all' || isLive(fields, statuses, now)) return true
  return extent !== 'live' && isOwn(fields, extent.own)
}

/** Returns whether a record of this type exists for this reader at `now`. An unreadable one does: nobody can say if it is live. */
export function isThere(access: Access, type: ContentType, head: Pick<Head, 'fields' | 'problem'>, now: number): boolean {
  return head.problem?.severity === 'error' || isWithin(extentOf(access, type.name), head.fields, type.statuses, now)
}

/** The condition that a document is somebody's own: its `author` is their handle, or a list with it. */
export function ownBy(handle: string): Condition {
  return { field: 'author', op: 'eq', value: handle, as: 'text' }
}

/** As `ownBy`, of a document's fields. False without a handle. */
export function isOwn(fields: Readonly<Fields>, handle: string | undefined): boolean {
  return (
    handle !== undefined && handle !== '' && matches(Object.hasOwn(fields, 'author') ? fields.author : undefined, ownBy(handle))
  )
}
