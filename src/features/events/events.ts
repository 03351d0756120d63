import { stateOf } from '#core/feed/changed-state.ts'
import { isPrivate, type Key, MEDIA } from '#core/key.ts'
import type { Ledger } from '#core/ledger.ts'
import { shownUrlOf } from '#core/permalink.ts'
import type { Condition } from '#core/queries/query.ts'
import type { Changed, Cursor, Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import type { KeptEvent } from './event.ts'
import type { EventLog } from './event-log.ts'
import { clockEvent, crossingsOf, eventsOf, type Made, type Thing } from './events-of.ts'

/** Where the ledger keeps the time up to which the clock's events were made. */
const TOLD = 'events/clock'
/** Milliseconds that it is kept: ten years. */
const KEPT_MS = 3650 * 86_400_000
/** Milliseconds that the clock's events come late: what a write did at that moment is told by its own first. */
const DELAY_MS = 2_000
/** Most records of one sort that the clock is asked of at once. */
const MOST = 1_000

const TERMS = 'taxonomy/'
const OTHERS: Readonly<Record<string, Thing>> = {
  [MEDIA]: { sort: 'media', type: 'media' },
  menus: { sort: 'menu', type: 'menu' },
  settings: { sort: 'settings', type: 'setting' },
}

/** The parts that events are made of. */
export interface EventsDeps {
  readonly store: Store
  readonly ledger: Ledger
  readonly types: ContentTypes
  readonly clock: Clock
  readonly log: EventLog
}

/** Makes the events of a site: of the feed of its store, and of the clock. */
export class Events {
  readonly #deps: EventsDeps

  constructor(deps: EventsDeps) {
    this.#deps = deps
  }

  /** Keeps the events of a part of the feed that begins after a cursor. Of a part that was taken, it takes what came since. */
  async take(changes: readonly Changed[], from: Cursor): Promise<void> {
    const { log } = this.#deps
    const kept = await log.kept(from)
    const since = await this.#since()
    const made: Made[] = []
    for (const [nth, change] of changes.entries())
      if (nth >= (kept?.count ?? 0)) made.push(...(await this.#made(change, `${from}\n${nth}`, since)))
    const all = made.flatMap(({ events }) => events)
    if (all.length === 0) return
    const crossings = made.flatMap(({ crossings }) => crossings)
    const told = await log.told(crossings.map(({ id }) => id))
    const superfluous = new Set(crossings.flatMap(({ id, event }) => (told.has(id) && event !== undefined ? [event] : [])))
    const events = [...(kept?.events ?? []), ...all.filter(({ event }) => !superfluous.has(event.id))]
    const marks = crossings.map(({ id }) => id).filter((id) => !told.has(id))
    // A number of its own again, so that who follows the events comes by what is new in it.
    const part = { n: await log.next(), count: changes.length, events: onceEach(events) }
    await log.keep(from, { ...part, ...(kept?.version !== undefined && { version: kept.version }) }, marks)
  }

  /** Makes the events of what went live or ended by the clock until now, each once; returns how many. */
  async tick(): Promise<number> {
    const { ledger, clock } = this.#deps
    const since = await this.#since()
    const until = Math.floor(clock.now()) - DELAY_MS
    if (until <= since) return 0
    let count = 0
    for (const [crossing, event] of await this.#crossed(since, until)) if (await this.#deps.log.cross(crossing, event)) count++
    await ledger.put(TOLD, until, KEPT_MS)
    return count
  }

  async #made(change: Changed, name: string, since: number): Promise<Made[]> {
    const thing = this.#thingOf(change.key)
    if (!thing) return []
    const url = change.removed ? null : await this.#urlOf(change.key)
    return [eventsOf(change, { thing, name, url, since, now: this.#deps.clock.now() })]
  }

  #thingOf({ kind }: Key): Thing | undefined {
    const { types } = this.#deps
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

  async #urlOf(key: Key): Promise<string | null> {
    const type = this.#deps.types.get(key.kind)
    const head = type && (await this.#deps.store.head(key))
    return type && head && head.problem?.severity !== 'error' ? shownUrlOf(type, head) : null
  }

  /** The crossings between two times, in their order. */
  async #crossed(since: number, until: number) {
    const { store, types } = this.#deps
    const found: (readonly [ReturnType<typeof crossingsOf>[number], KeptEvent])[] = []
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

  /** A site that has no events yet begins with those from now on. */
  async #since(): Promise<number> {
    const { ledger, clock } = this.#deps
    const known = await ledger.peek(TOLD)
    if (typeof known === 'number') return known
    const now = Math.floor(clock.now())
    await ledger.put(TOLD, now, KEPT_MS)
    return now
  }
}

/** A crossing that two changes of a part came after is told before the first. */
function onceEach(events: readonly KeptEvent[]): KeptEvent[] {
  return [...new Map(events.map((one) => [one.event.id, one])).values()]
}

function within(field: string, since: number, until: number): Condition[] {
  return [
    { field, op: 'gt', value: new Date(since).toISOString(), as: 'instant' },
    { field, op: 'lte', value: new Date(until).toISOString(), as: 'instant' },
  ]
}
