import { createHash } from 'node:crypto'
import type { Version } from '#core/document.ts'
import { type Kind, keyOf } from '#core/key.ts'
import type { Sort } from '#core/queries/query.ts'
import type { Change, Cursor, Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import type { Json } from '#lib/json.ts'
import type { KeptEvent, MadeEvent } from './event.ts'

/**
 * The private kind that events are kept in: a document for each hundred of them, one a line of the body, and one that says how far
 * they are made.
 */
export const KIND: Kind = '.events'

const DAY_MS = 86_400_000
/** Milliseconds that events are kept. */
const KEPT_MS = 30 * DAY_MS
/** Most documents that are read, or removed, at once. */
const MOST = 20
/** Events of a document, and characters from which on it gets no more. */
const MOST_EVENTS = 100
const FULL = 64 * 1024

const SYSTEM = { name: 'Quire', email: 'quire@localhost' }
const STATE = keyOf(KIND, 'state')
const ORDER: readonly Sort[] = [{ field: 'n', descending: false, as: 'number' }]

/** Some events, in their order, and the number of the last. Each event has a number of its own; later ones have higher ones. */
export interface EventPart {
  readonly n: number
  readonly events: readonly KeptEvent[]
  /** True where it is not known what happened before this: readers have to read anew what they keep. */
  readonly isReset: boolean
}

/** The point that the making of events has come to. */
export interface EventState {
  /** The number of the last event. */
  readonly last: number
  /** The point of the feed up to which events are made of changes. */
  readonly upTo: Cursor | undefined
  /** Milliseconds since 1970 up to which the clock's events are made, and those until which they were at the time before. */
  readonly until: number
  readonly since: number
  /** The crossings after `since` that were told. */
  readonly told: ReadonlySet<string>
  /** The document with the last events. */
  readonly open: string | undefined
  /** Absent where there is none yet. */
  readonly version: Version | undefined
}

/** The events that are added, and what the state is then. */
export interface Addition extends Partial<Pick<EventState, 'upTo' | 'since' | 'until' | 'told'>> {
  readonly events: readonly MadeEvent[]
  /** Changes of private documents that are written in the same step. */
  readonly also?: readonly Change[]
}

/**
 * The events of the last 30 days, shared by all nodes. They are added in one step with the state that says so: of two who go on
 * from the same state one is refused, so that none is told twice and the order is that of their numbers.
 */
export class EventLog {
  readonly #store: Store
  readonly #clock: Clock

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /** Called when there may be news. */
  subscribe(listener: () => void): () => void {
    return this.#store.subscribe(listener)
  }

  /** Returns the number of the newest event; 0 where there is none. */
  async newest(): Promise<number> {
    return (await this.state()).last
  }

  /** Returns how far events are made: a site that has none yet begins with those from now on. */
  async state(): Promise<EventState> {
    const document = await this.#store.get(STATE)
    const now = Math.floor(this.#clock.now())
    const { last, up_to, until = now, since = now, told = [], open } = document?.fields ?? {}
    return {
      ...{ last: numberOf(last), until: numberOf(until), since: numberOf(since) },
      ...{ upTo: textOf(up_to), open: textOf(open), version: document?.version },
      told: new Set(Array.isArray(told) ? told.map(String) : []),
    }
  }

  /** Adds events to those there are. Throws Conflict or Stale where the state is another by now: nothing is added then. */
  async add(state: EventState, { events, also = [], ...next }: Addition): Promise<void> {
    const first = this.#nextNumber(state)
    const numbered = events.map((made, nth): KeptEvent => numberedAs(made, first + nth))
    const puts = await this.#puts(state.open, numbered)
    const last = numbered.length > 0 ? lastOf(numbered) : state.last
    await this.#write([...puts, ...also], { ...state, ...next, last, open: puts.at(-1)?.key.id ?? state.open })
  }

  /** Notes that it is not known what happened. Throws as `add` does. */
  async reset(state: EventState): Promise<void> {
    const n = this.#nextNumber(state)
    const put: Put = { key: keyOf(KIND, nameOf(n)), put: { set: { n, reset: true }, body: '' } }
    await this.#write([put], { ...state, last: n, open: undefined })
  }

  /** Returns the place of an event of the last 24 hours: its number; undefined where it is not known. */
  async find(id: string): Promise<number | undefined> {
    const n = numberIn(id)
    if (n === undefined || n < this.#clock.now() - DAY_MS) return undefined
    const [part] = await this.after(n - 1, 1)
    return part?.events[0]?.event.id === id ? n : undefined
  }

  /** Returns the events after a number, oldest first; some of them at a time. */
  async after(n: number, limit = MOST): Promise<EventPart[]> {
    const where = [{ field: 'n', op: 'gt', value: n, as: 'number' } as const]
    const { items } = await this.#store.heads(KIND, { where, sort: ORDER, limit })
    const parts: EventPart[] = []
    for (const { key } of items) {
      const document = await this.#store.get(key, 'once')
      const events = eventsIn(document?.body ?? '').filter(({ event }) => numberOfEvent(event.id) > n)
      const isReset = document?.fields.reset === true
      if (events.length > 0 || isReset) parts.push({ n: numberOf(document?.fields.n), events, isReset })
    }
    return parts
  }

  /** Removes what is too old. */
  async sweep(): Promise<void> {
    const where = [{ field: 'n', op: 'lt', value: this.#clock.now() - KEPT_MS, as: 'number' } as const]
    for (;;) {
      const { items } = await this.#store.heads(KIND, { where, limit: MOST })
      if (items.length === 0) return
      const removals = items.map(({ key }): Change => ({ key, remove: true }))
      await this.#store.write(removals, SYSTEM)
    }
  }

  #nextNumber({ last }: EventState): number {
    return Math.max(Math.floor(this.#clock.now()), last + 1)
  }

  async #write(changes: readonly Change[], state: EventState): Promise<void> {
    const { last, upTo = null, since, until, told, open = null, version } = state
    const set = { last, up_to: upTo, since, until, told: [...told].filter((id) => timeOf(id) > since), open }
    await this.#store.write([...changes, { key: STATE, put: { set }, expects: version ?? 'absent' }], SYSTEM)
  }

  /** The documents that keep these events: the open one goes on until it is full. */
  async #puts(open: string | undefined, events: readonly KeptEvent[]): Promise<Put[]> {
    if (events.length === 0) return []
    const before = open === undefined ? '' : ((await this.#store.get(keyOf(KIND, open), 'once'))?.body ?? '')
    const room = open === undefined || before.length >= FULL ? 0 : Math.max(MOST_EVENTS - eventsIn(before).length, 0)
    const puts = room === 0 || open === undefined ? [] : [putOf(open, events.slice(0, room), before)]
    for (let at = room; at < events.length; at += MOST_EVENTS) {
      const some = events.slice(at, at + MOST_EVENTS)
      puts.push(putOf(nameOf(lastOf(some.slice(0, 1))), some, ''))
    }
    return puts
  }
}

type Put = Extract<Change, { put: unknown }>

function putOf(id: string, events: readonly KeptEvent[], before: string): Put {
  return { key: keyOf(KIND, id), put: { set: { n: lastOf(events) }, body: before + linesOf(events) } }
}

/** Returns the event with the id by which its place is found. */
function numberedAs({ name, event, ...rest }: MadeEvent, n: number): KeptEvent {
  const digest = createHash('sha256').update(name).digest('base64url').slice(0, 15)
  return { ...rest, event: { id: `evt_${nameOf(n).slice(1)}${digest}`, ...event } }
}

/** Returns the number of an event by its id; 0 of what is none. */
export function numberOfEvent(id: string): number {
  return numberIn(id) ?? 0
}

function numberIn(id: string): number | undefined {
  const [, digits] = /^evt_([0-9a-z]{9})[\w-]{15}$/.exec(id) ?? []
  return digits === undefined ? undefined : Number.parseInt(digits, 36)
}

function nameOf(n: number): string {
  return `s${n.toString(36).padStart(9, '0')}`
}

function lastOf(events: readonly KeptEvent[]): number {
  return numberOfEvent(events.at(-1)?.event.id ?? '')
}

/** The time of a crossing is the beginning of its id. */
function timeOf(crossing: string): number {
  return Number.parseInt(crossing, 36)
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function linesOf(events: readonly KeptEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

/** The store is Quire's own, and nobody else writes there: what is no line of ours is left out. */
function eventsIn(body: string): KeptEvent[] {
  const lines = body.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line) as KeptEvent)
}
