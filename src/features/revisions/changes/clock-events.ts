import type { Head } from '#core/document.ts'
import type { Condition } from '#core/queries/query.ts'
import { instantOf } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import { compareText } from '#lib/text/compare.ts'

/** Most events of one part. */
const MOST = 5_000

/** Dates of a record at which the clock changes its status. */
const FIELDS = ['published_at', 'expires_at'] as const

/** A record of which the clock may have changed the status at a time, in milliseconds since 1970. */
export interface ClockEvent {
  readonly head: Head
  readonly at: number
}

/** A place among the events, newest first: those before a time, but for the first `within` of the last instant before it. */
export interface ClockPlace {
  readonly before: number
  readonly within: number
}

/** Events, newest first: all that there are from a time on. `rest` is where older ones that were asked for begin. */
export interface ClockPart {
  readonly events: readonly ClockEvent[]
  readonly from: number
  readonly rest: ClockPlace | undefined
}

/** The times at which the clock changed statuses, for nobody's rights. Events of one instant are in one order each time. */
export class ClockEvents {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #most: number

  constructor({ store, types, clock }: { store: Store; types: ContentTypes; clock: Clock }, most = MOST) {
    this.#store = store
    this.#types = types
    this.#clock = clock
    this.#most = most
  }

  /** The events from a place on, as far as back to a time, and so many of them at most. */
  async part(from: number, { before, within }: ClockPlace): Promise<ClockPart> {
    if (within > 0) return this.#at(before - 1, within)
    const until = Math.min(this.#clock.now(), before - 1)
    const all: ClockEvent[] = []
    let cut = Number.NEGATIVE_INFINITY
    for (const kind of await this.#kinds()) {
      for (const field of FIELDS) {
        const { items, total } = await this.#read(kind, field, { from: Math.max(from, cut), until, offset: 0, limit: this.#most })
        const events = eventsOf(items, field)
        all.push(...events)
        if (total > items.length) cut = Math.max(cut, events.at(-1)?.at ?? cut)
      }
    }
    all.sort((one, other) => other.at - one.at)
    cut = Math.max(cut, all[this.#most]?.at ?? cut)
    if (cut === Number.NEGATIVE_INFINITY) return { events: all, from, rest: undefined }
    const events = all.filter(({ at }) => at > cut)
    return events.length > 0 ? { events, from: cut + 1, rest: { before: cut + 1, within: 0 } } : this.#at(cut, 0)
  }

  /** The events of one instant, but for so many. */
  async #at(instant: number, passed: number): Promise<ClockPart> {
    const events: ClockEvent[] = []
    let [skipped, isOver] = [passed, true]
    for (const kind of await this.#kinds()) {
      for (const field of FIELDS) {
        const limit = this.#most - events.length
        const { items, total } = await this.#read(kind, field, { from: instant, until: instant, offset: skipped, limit })
        events.push(...eventsOf(items, field))
        if (total > skipped + items.length) isOver = false
        skipped = Math.max(0, skipped - total)
      }
    }
    const rest = isOver ? { before: instant, within: 0 } : { before: instant + 1, within: passed + events.length }
    return { events, from: instant, rest }
  }

  #read(
    kind: string,
    field: (typeof FIELDS)[number],
    { from, until, offset, limit }: { from: number; until: number; offset: number; limit: number },
  ) {
    const where: Condition[] = [
      { field, op: 'gte', value: new Date(from).toISOString(), as: 'instant' },
      { field, op: 'lte', value: new Date(until).toISOString(), as: 'instant' },
    ]
    return this.#store.heads(kind, { where, sort: [{ field, descending: true, as: 'instant' }], offset, limit })
  }

  async #kinds(): Promise<string[]> {
    const kinds = await this.#store.kinds()
    return kinds.filter((kind) => this.#types.get(kind) !== undefined).sort(compareText)
  }
}

function eventsOf(heads: readonly Head[], field: (typeof FIELDS)[number]): ClockEvent[] {
  return heads.flatMap((head) => {
    const at = instantOf(head.fields[field])
    return at === undefined ? [] : [{ head, at }]
  })
}
