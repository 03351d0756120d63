import type { Access } from '#core/access/access.ts'
import { isPrivate, type Kind, keyOf } from '#core/key.ts'
import { extentOf, isOwn, isThere } from '#core/queries/extent.ts'
import { seesAllContent } from '#core/queries/known-types.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import type { KeptEvent, SiteEvent } from './event.ts'

const TERMS = 'taxonomy/'
/** The events that say that a record is public no more. */
const ENDS: ReadonlySet<string> = new Set(['record.unpublished', 'record.deleted', 'record.expired'])

/** Looks up whether a private thing exists for a caller now; one that is gone, whether it would. */
export type MayKnow = (access: Access, id: string) => Promise<boolean>

/** The site that events are of. */
export interface ShownDeps {
  readonly store: Pick<Store, 'head' | 'kinds'>
  readonly types: ContentTypes
  readonly clock: Clock
  /** By private kind; of others no event is shown. */
  readonly mayKnow: Readonly<Record<Kind, MayKnow>>
}

/**
 * Returns an event as a reader may know of it now; undefined where it does not exist for them. Who may not see drafts is told of what
 * is public, and of what was public before that it is so no more: `unpublished` or `deleted`, with type and id alone.
 */
export async function shownTo(access: Access, kept: KeptEvent, deps: ShownDeps): Promise<SiteEvent | undefined> {
  const { event, kind } = kept
  if (isPrivate(kind)) return (await deps.mayKnow[kind]?.(access, event.data.id)) ? event : undefined
  if (kind === 'settings') return access.may('settings:write') ? event : undefined
  // A file may be there for records alone that the reader may not know of.
  if (kind === 'media') return (await seesAllContent(deps.store, access)) ? event : undefined
  if (kind === 'menus') return access.may('content:read') ? whole(access, event) : undefined
  if (kind.startsWith(TERMS)) {
    const isSeen = deps.types
      .declared()
      .some((type) => reads(access, type) && type.taxonomies.some(({ name }) => TERMS + name === kind))
    return access.may('content:read') || isSeen ? whole(access, event) : undefined
  }
  const type = deps.types.get(kind)
  if (!type || !reads(access, type)) return undefined
  const extent = extentOf(access, kind)
  if (extent === 'all' || (extent !== 'live' && isOwnEvent(kept, extent.own))) return event
  return ofPublic(access, type, kept, deps)
}

/** Returns whether a record was somebody's own before the event as well as after it, as far as it was there. */
function isOwnEvent({ authors = [] }: KeptEvent, handle: string): boolean {
  return authors.length > 0 && authors.every((author) => isOwn({ author }, handle))
}

async function ofPublic(access: Access, type: ContentType, kept: KeptEvent, deps: ShownDeps): Promise<SiteEvent | undefined> {
  const { event, live } = kept
  if (!live.after) return live.before && ENDS.has(event.type) ? endOf(access, kept, deps) : undefined
  // Of a record that was made public in one step with something else, that it is public is all there is to know.
  const isSaid = live.before || event.type === 'record.published' || event.type === 'record.created'
  if (!isSaid) return undefined
  const head = await deps.store.head(keyOf(event.data.type, event.data.id))
  const isThereNow = head !== undefined && head.problem?.severity !== 'error' && isThere(access, type, head, deps.clock.now())
  if (!isThereNow) return undefined
  return live.before ? event : { ...event, data: { ...event.data, changed: null } }
}

/** The end of what was public, under the id by which it was known. */
function endOf(access: Access, { event, from }: KeptEvent, { types }: ShownDeps): SiteEvent | undefined {
  const type = event.type === 'record.deleted' ? event.type : 'record.unpublished'
  if (!from) return named(event, type)
  const former = types.get(from.kind)
  return former && reads(access, former)
    ? named({ ...event, data: { ...event.data, ...from, type: from.kind } }, type)
    : undefined
}

/** Returns the event of a thing that may be gone: that is told with type and id alone to who may not see drafts. */
function whole(access: Access, event: SiteEvent): SiteEvent {
  return !event.type.endsWith('.deleted') || access.may('content:drafts') ? event : named(event, event.type)
}

function named(event: SiteEvent, type: SiteEvent['type']): SiteEvent {
  const { id, data } = event
  return {
    ...{ id, type, created_at: event.created_at },
    data: { type: data.type, id: data.id, version: null, url: null, changed: null },
    ...{ actor: null, source: event.source },
  }
}

function reads(access: Access, { name }: ContentType): boolean {
  return access.sees(name) && access.reach('content:read', name) !== 'none'
}

/** Returns the log of events, and what shows them to a reader, as modules hear of them. */
export function toldEvents<L>({ log, shown }: { readonly log: L; readonly shown: ShownDeps }) {
  return { log, shown: (access: Access, event: KeptEvent) => shownTo(access, event, shown) }
}
