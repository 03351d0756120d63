import { createHash } from 'node:crypto'
import type { Key } from '#core/key.ts'
import { instantOf, isLive } from '#core/status.ts'
import type { Changed, ChangedState } from '#core/store.ts'
import type { Status } from '#core/types/content-type.ts'
import { actorOf, type EventType, type KeptEvent, type SiteEvent, type Sort } from './event.ts'

type Statuses = ReadonlyMap<string, Status>

/** The kind of a changed document, for its events. */
export interface Thing {
  readonly sort: Sort
  /** `data.type` of its events. */
  readonly type: string
  /** Of content types alone. */
  readonly statuses?: Statuses
}

/** A moment at which the clock makes a record public, or ends that. */
export interface Crossing {
  readonly what: 'published' | 'expired'
  /** Milliseconds since 1970. */
  readonly at: number
  /** The same each time; no two moments of any records have the same. */
  readonly id: string
}

/** The address and circumstances of a change, beside what the feed says. */
export interface Circumstances {
  readonly thing: Thing
  /** The same each time the change is read, and different for each change. */
  readonly name: string
  readonly url: string | null
  /** The time up to which the clock's events were made, in milliseconds since 1970. */
  readonly since: number
  readonly now: number
}

/** The events of a change in their order, those of the clock that came before it first. */
export interface Made {
  readonly events: readonly KeptEvent[]
  /** The crossings that are told by this: the clock has no event to make of them. `event` is the id of the one that tells it. */
  readonly crossings: readonly { readonly id: string; readonly event: string | undefined }[]
}

/** Returns the text of an id, made of words that together are nobody else's. */
export function eventId(...words: readonly (string | number)[]): string {
  return `evt_${createHash('sha256').update(words.join('\n')).digest('base64url').slice(0, 24)}`
}

/** Returns the moments after a time, until another, at which the clock changed whether a state is public. */
export function crossingsOf(
  key: Key,
  state: ChangedState,
  statuses: Statuses,
  { since, until }: { since: number; until: number },
): Crossing[] {
  if (!statuses.get(state.status ?? '')?.live) return []
  const [begins, ends] = [instantOf(state.published_at), instantOf(state.expires_at)]
  const isShown = begins === undefined || ends === undefined || begins < ends
  if (!isShown) return []
  const moments = [{ what: 'published', at: begins } as const, { what: 'expired', at: ends } as const]
  return moments.flatMap(({ what, at }) =>
    at !== undefined && at > since && at <= until ? [{ what, at, id: eventId(key.kind, key.id, what, at) }] : [],
  )
}

/** Returns the event that the clock makes. */
export function clockEvent(crossing: Crossing, key: Key, type: string, version: string, url: string | null): KeptEvent {
  const isBegin = crossing.what === 'published'
  return {
    event: {
      id: crossing.id,
      type: `record.${crossing.what}`,
      created_at: new Date(crossing.at).toISOString(),
      data: { type, id: key.id, version, url: isBegin ? url : null, changed: null },
      actor: null,
      source: 'clock',
    },
    kind: key.kind,
    live: { before: !isBegin, after: isBegin },
  }
}

/** Returns the events of a change. A move is an event of the key that the document has now. */
export function eventsOf(change: Changed, of: Circumstances): Made {
  const { key, was, is, action, removed } = change
  if (removed && action === 'moved') return { events: [], crossings: [] }
  const at = change.at ?? of.now
  const { statuses } = of.thing
  const live = (state: ChangedState | undefined) =>
    state !== undefined && statuses !== undefined && isLive({ ...state }, statuses, at)
  const state = { before: live(was), after: live(is) }
  const span = { since: of.since, until: at }
  const passed = was && statuses && !change.from ? crossingsOf(key, was, statuses, span) : []
  const reached =
    is && statuses ? crossingsOf(key, is, statuses, span).filter(({ id }) => !passed.some((one) => one.id === id)) : []
  const clock = passed.map((crossing) => clockEvent(crossing, key, of.thing.type, was?.version ?? '', of.url))
  const own = deedsOf(change, of.thing, state, at).map((type): KeptEvent => {
    const event = { id: eventId(of.name, type), type, created_at: new Date(at).toISOString(), ...rest(change, of, state) }
    return { event, kind: key.kind, live: state }
  })
  const turn = own.find(({ event: { type } }) => type === 'record.published' || type === 'record.unpublished')
  return {
    events: [...clock, ...own],
    crossings: [...passed.map(({ id }) => ({ id, event: id })), ...reached.map(({ id }) => ({ id, event: turn?.event.id }))],
  }
}

function rest(change: Changed, of: Circumstances, { after }: { after: boolean }): Pick<SiteEvent, 'data' | 'actor' | 'source'> {
  const { key, version, changed, by, source } = change
  const data = { type: of.thing.type, id: key.id, version: version || null, url: after ? of.url : null, changed: changed ?? null }
  return { data, actor: actorOf(by), source: source ?? 'external' }
}

function deedsOf(change: Changed, { sort, statuses }: Thing, live: KeptEvent['live'], at: number): EventType[] {
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
