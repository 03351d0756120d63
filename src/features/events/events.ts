import { deliveredUpTo } from '#core/feed/change-delivery.ts'
import { stateOf } from '#core/feed/changed-state.ts'
import { type Key, keyOf, keyText } from '#core/key.ts'
import type { Ledger } from '#core/ledger.ts'
import { shownUrlOf } from '#core/permalink.ts'
import type { Condition } from '#core/queries/query.ts'
import { isLive } from '#core/status.ts'
import type { Changed, Cursor, Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import { Semaphore } from '#lib/concurrency/semaphore.ts'
import { Conflict, Stale, Unavailable } from '#lib/errors.ts'
import type { MadeEvent, SiteEvent } from './event.ts'
import type { EventLog, EventState } from './event-log.ts'
import { type Crossing, clockEvent, crossingsOf, eventsOf, type Made } from './events-of.ts'
import { newEvents } from './new-events.ts'
import { type Thing, thingOf } from './things.ts'

/** The name of the feature, under which its deliveries of the feed have their cursor. */
export const NAME = 'events'
/** Milliseconds that the clock's events come late: what a write did at that moment is told by its own first. */
const DELAY_MS = 2_000
/** Milliseconds after a look for which changes may come that were written before it, and are not taken yet. */
const LATE_MS = 10_000
/** Number of times that the clock's events are tried where others add some at the same time. */
const TRIES = 5
/** Most records of one sort that the clock is asked of at once. */
const MOST = 1_000

/** An event of the clock. */
export type ClockEvent = Omit<SiteEvent, 'id'>

/** The parts that events are made of. */
export interface EventsDeps {
  readonly store: Store
  readonly ledger: Ledger
  readonly types: ContentTypes
  readonly clock: Clock
  readonly log: EventLog
}

/** Makes the events of a site: of the feed of its store, of the clock, and of what is private. */
export class Events {
  readonly #deps: EventsDeps
  /** Of those who add events at the same time only one can. */
  readonly #turns = new Semaphore(1)

  constructor(deps: EventsDeps) {
    this.#deps = deps
  }

  /**
   * Keeps the events of a part of the feed between two cursors, without those that are kept: a part may come again with what came
   * since, and from who is late with it while others go on. Throws Stale or Conflict where others add some at the same time.
   */
  take(changes: readonly Changed[], from: Cursor, next: Cursor): Promise<void> {
    return this.#turns.run(() => this.#take(changes, from, next))
  }

  async #take(changes: readonly Changed[], from: Cursor, next: Cursor): Promise<void> {
    const state = await this.#deps.log.state()
    const begin = await this.#countTaken(from, state)
    const told = new Set(state.told)
    const events = new Map<string, MadeEvent>()
    for (const [nth, change] of changes.entries()) {
      if (nth < begin) continue
      const made = await this.#made(change, `${from}\n${nth}`, state)
      const known = new Set(made.crossings.flatMap(({ id, event }) => (told.has(id) && event !== undefined ? [event] : [])))
      for (const event of made.events) if (!known.has(event.name)) events.set(event.name, event)
      for (const { id } of made.crossings) told.add(id)
    }
    if (events.size > 0) await this.#deps.log.add(state, { events: [...events.values()], upTo: next, told })
  }

  /** Returns how many of the changes after a cursor have their events already. */
  async #countTaken(from: Cursor, { upTo }: EventState): Promise<number> {
    const { store } = this.#deps
    if (upTo === undefined || upTo === from) return 0
    const [taken, begin] = [await store.changes(upTo, 0), await store.changes(from, 0)]
    if (taken.reset || begin.reset || taken.sequence <= begin.sequence) return 0
    return (await store.changes(from, taken.sequence - begin.sequence)).changes.length
  }

  /** Notes that the store does not know any more what was changed: those who follow the events are told so. */
  async lost(): Promise<void> {
    await this.#deps.log.reset(await this.#deps.log.state())
  }

  /** Makes the events of what went live or ended by the clock until now, each once; resolves with these, in their order. */
  tick(): Promise<ClockEvent[]> {
    return again(() => this.#turns.run(() => this.#tick()))
  }

  /** Takes the events into the log that were written with private things. */
  takeNew(): Promise<void> {
    return again(() => this.#turns.run(() => this.#takeNew()))
  }

  async #takeNew(): Promise<void> {
    const { log, store } = this.#deps
    for (;;) {
      // Read before: where another node takes them first, the state is another one by then.
      const state = await log.state()
      const { events, removals } = await newEvents(store)
      if (removals.length === 0) return
      await log.add(state, { events, also: removals })
    }
  }

  /** As `tick`, after the changes that `deliver` brings, and what is private: for who runs no server. Another node may be at either. */
  async due(deliver: () => Promise<void>): Promise<ClockEvent[]> {
    await again(deliver).catch((error: unknown) => {
      if (!(error instanceof Unavailable)) throw error
    })
    await this.takeNew()
    return this.tick()
  }

  async #tick(): Promise<ClockEvent[]> {
    const { log, clock } = this.#deps
    const state = await log.state()
    const until = Math.floor(clock.now()) - DELAY_MS
    if (state.version !== undefined && until <= state.until) return []
    const found = await this.#crossed(state.until, until)
    const pending = await this.#pending(until)
    if (!pending) return []
    const crossed = found.filter(
      ([{ id }, { event, kind }]) => !state.told.has(id) && !pending.has(keyText(keyOf(kind, event.data.id))),
    )
    const told = new Set([...state.told, ...crossed.map(([{ id }]) => id)])
    const since = until - state.until < LATE_MS ? state.since : state.until
    await log.add(state, { events: crossed.map(([, event]) => event), told, since, until: Math.max(until, state.until) })
    return crossed.map(([, { event }]) => event)
  }

  /**
   * Returns the keys whose changes are not taken yet: what the clock did to them before is told with these. Undefined where some
   * were made until a time, or are not known.
   */
  async #pending(until: number): Promise<ReadonlySet<string> | undefined> {
    const { store, ledger } = this.#deps
    const keys = new Set<string>()
    for (let cursor = await deliveredUpTo(ledger, NAME); cursor !== undefined; ) {
      const { changes, next, reset } = await store.changes(cursor, MOST)
      if (reset || changes.some(({ at = 0 }) => at <= until)) return undefined
      for (const { key } of changes) keys.add(keyText(key))
      if (next === cursor) break
      cursor = next
    }
    return keys
  }

  async #made(change: Changed, name: string, { since, until }: EventState): Promise<Made> {
    const thing = thingOf(change.key, this.#deps.types)
    if (!thing) return { events: [], crossings: [] }
    const url = change.removed || this.#isHidden(change, thing) ? null : await this.#urlOf(change.key)
    return eventsOf(change, { thing, name, url, since, until, now: this.#deps.clock.now() })
  }

  /** True of a record that the change is known to have left unpublished: its address need not be looked up. */
  #isHidden({ is }: Changed, { statuses }: Thing): boolean {
    return is?.status !== undefined && statuses !== undefined && !isLive({ ...is }, statuses, this.#deps.clock.now())
  }

  /** The address of a record that is public now: by now it may be another than the change made it. */
  async #urlOf(key: Key): Promise<string | null> {
    const { store, types, clock } = this.#deps
    const type = types.get(key.kind)
    const head = type && (await store.head(key))
    if (!type || !head || head.problem?.severity === 'error') return null
    return isLive(head.fields, type.statuses, clock.now()) ? shownUrlOf(type, head) : null
  }

  /** The crossings between two times, in their order. */
  async #crossed(since: number, until: number) {
    const { store, types } = this.#deps
    const found: (readonly [Crossing, MadeEvent])[] = []
    for (const kind of await store.kinds()) {
      const type = types.get(kind)
      if (!type) continue
      for (const field of ['published_at', 'expires_at'] as const) {
        for (let offset = 0, total = 1; offset < total; offset += MOST) {
          const sort = [{ field, descending: false, as: 'instant' } as const]
          const page = await store.heads(kind, { where: within(field, since, until), sort, offset, limit: MOST })
          total = page.total
          for (const head of page.items)
            for (const crossing of crossingsOf(head.key, stateOf(head), type.statuses, { since, until }))
              if ((crossing.what === 'published') === (field === 'published_at'))
                found.push([crossing, clockEvent(crossing, head.key, kind, head.version, shownUrlOf(type, head))])
        }
      }
    }
    return found.sort(([one], [other]) => one.at - other.at)
  }
}

/** Works until nobody else adds events at the same time. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isOthers = error instanceof Stale || error instanceof Conflict
      if (!isOthers || tries === TRIES) throw error
    }
  }
}

function within(field: string, since: number, until: number): Condition[] {
  return [
    { field, op: 'gt', value: new Date(since).toISOString(), as: 'instant' },
    { field, op: 'lte', value: new Date(until).toISOString(), as: 'instant' },
  ]
}
