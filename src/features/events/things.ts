import { isPrivate, type Key, MEDIA } from '#core/key.ts'
import { instantOf, isLive } from '#core/status.ts'
import type { Changed, ChangedState } from '#core/store.ts'
import type { ContentTypes, Status } from '#core/types/content-type.ts'
import type { EventType, KeptEvent, Sort } from './event.ts'

export type Statuses = ReadonlyMap<string, Status>

const TERMS = 'taxonomy/'
const OTHERS: Readonly<Record<string, Thing>> = {
  [MEDIA]: { sort: 'media', type: 'media' },
  menus: { sort: 'menu', type: 'menu' },
  settings: { sort: 'settings', type: 'setting' },
}

/** The kind of a changed document, for its events. */
export interface Thing {
  readonly sort: Sort
  /** `data.type` of its events. */
  readonly type: string
  /** Of content types alone. */
  readonly statuses?: Statuses
}

/** Returns what a document of content is; undefined of what no event is made of. */
export function thingOf({ kind }: Key, types: ContentTypes): Thing | undefined {
  if (isPrivate(kind)) return undefined
  const other = OTHERS[kind]
  if (other) return other
  if (kind.startsWith(TERMS)) {
    const taxonomy = types.taxonomies().find(({ name }) => name === kind.slice(TERMS.length))
    return taxonomy && { sort: 'term', type: taxonomy.singular }
  }
  const type = types.get(kind)
  return type && { sort: 'record', type: type.name, statuses: type.statuses }
}

/** Returns the names of what a change made at a time did, in their order; of a move, for the key that the document has now. */
export function deedsIn(change: Changed, thing: Thing, at: number): EventType[] {
  if (change.removed && change.action === 'moved') return []
  const { statuses } = thing
  const live = (state: ChangedState | undefined) =>
    state !== undefined && statuses !== undefined && isLive({ ...state }, statuses, at)
  return deedsOf(change, thing, { before: live(change.was), after: live(change.is) }, at)
}

/** As `deedsIn`, where it is known whether it was public before, and whether it is from then on. */
export function deedsOf(change: Changed, { sort, statuses }: Thing, live: KeptEvent['live'], at: number): EventType[] {
  const deed = deedOf(change)
  if (sort !== 'record' || !statuses) return [`${sort}.${deed}`] as EventType[]
  const turn = live.after && !live.before ? 'published' : live.before && !live.after ? 'unpublished' : undefined
  if (deed === 'deleted') return ['record.deleted']
  if (turn) return deed === 'updated' ? [`record.${turn}`] : [`record.${deed}`, `record.${turn}`]
  return isScheduled(change.is, statuses, at) && !isScheduled(change.was, statuses, at)
    ? deed === 'updated'
      ? ['record.scheduled']
      : [`record.${deed}`, 'record.scheduled']
    : [`record.${deed}`]
}

function deedOf({ action, removed, was, from }: Changed): 'created' | 'updated' | 'moved' | 'deleted' | 'restored' {
  if (removed) return 'deleted'
  if (from) return 'moved'
  if (!was) return action === 'restored' || action === 'rolled_back' ? 'restored' : action === 'updated' ? 'updated' : 'created'
  return action === 'restored' ? 'restored' : 'updated'
}

function isScheduled(state: ChangedState | undefined, statuses: Statuses, at: number): boolean {
  const begins = instantOf(state?.published_at)
  return statuses.get(state?.status ?? '')?.live === true && begins !== undefined && begins > at
}
