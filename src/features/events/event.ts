import type { Author } from '#core/document.ts'
import type { Key, Kind } from '#core/key.ts'
import type { Json } from '#lib/json.ts'

/** The deeds of each sort of thing. */
const DEEDS = {
  record: ['created', 'updated', 'published', 'unpublished', 'moved', 'deleted', 'restored', 'scheduled', 'expired'],
  term: ['created', 'updated', 'moved', 'deleted', 'restored'],
  media: ['created', 'updated', 'moved', 'deleted', 'restored'],
  menu: ['created', 'updated', 'moved', 'deleted', 'restored'],
  settings: ['created', 'updated', 'moved', 'deleted', 'restored'],
  user: ['created', 'updated', 'deleted'],
  subscription: ['created', 'updated'],
  module: ['published'],
} as const

type Deeds = typeof DEEDS

/** A sort of thing that events are of. */
export type Sort = keyof Deeds

/** The name of an event: `record.published`. */
export type EventType = { [S in Sort]: `${S}.${Deeds[S][number]}` }[Sort]

/** The names of all events, by sort of thing. */
export const EVENT_TYPES = Object.entries(DEEDS).flatMap(([sort, deeds]) =>
  deeds.map((deed) => `${sort}.${deed}`),
) as readonly EventType[]

/** An event, as clients get it. */
export interface SiteEvent {
  /** The same each time the event is told; no two events have the same. Later ones have a later one, in code point order. */
  readonly id: string
  readonly type: EventType
  /** RFC 3339 UTC with milliseconds. */
  readonly created_at: string
  readonly data: {
    /** The content type, the singular of a taxonomy, or the sort itself. */
    readonly type: string
    readonly id: string
    readonly version: string | null
    readonly url: string | null
    /** The names of what differs; null where it is not known, and of what is new or gone. */
    readonly changed: readonly string[] | null
  }
  /** Its author; null where nobody knows, or the reader is not told. */
  readonly actor: {
    readonly kind: 'user' | 'token' | 'local' | 'system'
    readonly id: string | null
    readonly name: string
  } | null
  readonly source: 'api' | 'panel' | 'cli' | 'external' | 'clock'
}

/** An event with what decides who may know of it. */
export interface KeptEvent {
  readonly event: SiteEvent
  readonly kind: Kind
  /** Of records: whether it was public before, and whether it is from then on. */
  readonly live: { readonly before: boolean; readonly after: boolean }
  /** Of records: the author before and after it, where it was there; as documents have them. */
  readonly authors?: readonly Json[]
  /** The key that it was moved here from, where the change moved it. */
  readonly from?: Key
}

/** An event that is not kept yet. `name` is no other event's. */
export interface MadeEvent extends Omit<KeptEvent, 'event'> {
  readonly name: string
  readonly event: Omit<SiteEvent, 'id'>
}

/** Returns who made a change, without the address; `source` is where. */
export function actorOf(by: Author | undefined): SiteEvent['actor'] {
  if (!by) return null
  const [, kind, id] = /^(user|token)\+([^@]+)@/.exec(by.email) ?? []
  const isKnown = kind === 'user' || kind === 'token'
  return { kind: isKnown ? kind : 'local', id: isKnown ? (id ?? null) : null, name: by.name }
}
