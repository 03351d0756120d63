import { createHash } from 'node:crypto'
import { type Key, keyText } from '#core/key.ts'
import { instantOf, isLive } from '#core/status.ts'
import type { Changed, ChangedState } from '#core/store.ts'
import { actorOf, type MadeEvent, type SiteEvent } from './event.ts'
import { deedsOf, type Statuses, type Thing } from './things.ts'

/** Milliseconds that nobody looked for, from which on a server was down: one that runs looks each minute. */
const DOWN_MS = 300_000

/** A moment at which the clock makes a record public, or ends that. */
export interface Crossing {
  readonly what: 'published' | 'expired'
  /** Milliseconds since 1970. */
  readonly at: number
  /** The same each time; no two moments of any records have the same. It begins with the time, in base 36. */
  readonly id: string
}

/** The address and circumstances of a change, beside what the feed says. */
export interface Circumstances {
  readonly thing: Thing
  /** Different for each change. */
  readonly name: string
  readonly url: string | null
  /** The time from which on crossings may not be told yet, and the time up to which the clock's are, in milliseconds since 1970. */
  readonly since: number
  readonly until: number
  readonly now: number
}

/** The events of a change in their order, those of the clock that came before it first. */
export interface Made {
  readonly events: readonly MadeEvent[]
  /** The crossings that are told by this: the clock has no event to make of them. `event` is the name of the one that tells it. */
  readonly crossings: readonly { readonly id: string; readonly event: string | undefined }[]
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
    at !== undefined && at > since && at <= until ? [{ what, at, id: crossingId(at, key, what) }] : [],
  )
}

function crossingId(at: number, key: Key, what: Crossing['what']): string {
  return `${at.toString(36)}.${createHash('sha256')
    .update(`${keyText(key)} ${what}`)
    .digest('base64url')
    .slice(0, 12)}`
}

/** Returns the event that the clock makes. */
export function clockEvent(crossing: Crossing, key: Key, type: string, version: string, url: string | null): MadeEvent {
  const isBegin = crossing.what === 'published'
  return {
    name: crossing.id,
    event: {
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
  // An edit from outside while no server ran may be as old as that: what it changed was never seen to go live meanwhile.
  const seen = change.source === undefined && at - of.until > DOWN_MS ? of.until : at
  const live = (state: ChangedState | undefined, time: number) =>
    state !== undefined && statuses !== undefined && isLive({ ...state }, statuses, time)
  const state = { before: live(was, seen), after: live(is, at) }
  const passed = was && statuses && !change.from ? crossingsOf(key, was, statuses, { since: of.since, until: seen }) : []
  const now = is && statuses ? crossingsOf(key, is, statuses, { since: of.since, until: at }) : []
  const reached = now.filter(({ id }) => !passed.some((one) => one.id === id))
  const clock = passed.map((crossing) => clockEvent(crossing, key, of.thing.type, was?.version ?? '', of.url))
  const states = [was, is].filter((one) => one !== undefined)
  const authors = statuses && states.length > 0 && { authors: states.map(({ author = null }) => author) }
  const own = deedsOf(change, of.thing, state, at).map((type): MadeEvent => {
    const event = { type, created_at: new Date(at).toISOString(), ...rest(change, of, state) }
    return {
      name: `${of.name}\n${type}`,
      event,
      kind: key.kind,
      live: state,
      ...authors,
      ...(change.from && { from: change.from }),
    }
  })
  const turn = own.find(({ event: { type } }) => type === 'record.published' || type === 'record.unpublished')
  return {
    events: [...clock, ...own],
    crossings: [...passed.map(({ id }) => ({ id, event: id })), ...reached.map(({ id }) => ({ id, event: turn?.name }))],
  }
}

function rest(change: Changed, of: Circumstances, { after }: { after: boolean }): Pick<SiteEvent, 'data' | 'actor' | 'source'> {
  const { key, version, changed, by, source } = change
  const data = { type: of.thing.type, id: key.id, version: version || null, url: after ? of.url : null, changed: changed ?? null }
  return { data, actor: actorOf(by), source: source ?? 'external' }
}
