import { createHash } from 'node:crypto'
import type { Version } from '#core/document.ts'
import { type Key, type Kind, keyOf } from '#core/key.ts'
import type { Sort } from '#core/queries/query.ts'
import type { Change, Cursor, Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict } from '#lib/errors.ts'
import type { KeptEvent } from './event.ts'
import type { Crossing } from './events-of.ts'

/** The private kind that events are kept in: documents with some events each, one a line of the body. */
export const KIND: Kind = '.events'

const DAY_MS = 86_400_000
/** Milliseconds that events are kept. */
const KEPT_MS = 30 * DAY_MS
/** Most documents that are read, or removed, at once. */
const MOST = 200

const SYSTEM = { name: 'Quire', email: 'quire@localhost' }
const ORDER: readonly Sort[] = [{ field: 'n', descending: false, as: 'number' }]
const NEWEST: readonly Sort[] = [{ field: 'n', descending: true, as: 'number' }]

/** Some events, in their order, and the number that they are kept under: later ones have a higher one. */
export interface EventPart {
  readonly n: number
  readonly events: readonly KeptEvent[]
}

/** What is kept of a part of the feed: the events of its first `count` changes. */
export interface KeptPart extends EventPart {
  readonly count: number
  /** Absent of what was not kept yet. */
  readonly version?: Version
}

/** The events of the last 30 days, shared by all nodes. */
export class EventLog {
  readonly #store: Store
  readonly #clock: Clock
  #last = 0

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /** Called when there may be news. */
  subscribe(listener: () => void): () => void {
    return this.#store.subscribe(listener)
  }

  /** Returns the number of the newest events; 0 where there are none. */
  async newest(): Promise<number> {
    const { items } = await this.#store.heads(KIND, { sort: NEWEST, limit: 1 })
    return numberOf(items[0]?.fields.n)
  }

  /** Returns the part with an event of the last 24 hours; undefined where there is none. The newest are looked at first. */
  async find(id: string): Promise<EventPart | undefined> {
    const where = [{ field: 'n', op: 'gt', value: this.#clock.now() - DAY_MS, as: 'number' } as const]
    for (let offset = 0, total = 1; offset < total; offset += MOST) {
      const page = await this.#store.heads(KIND, { where, sort: NEWEST, offset, limit: MOST })
      total = page.total
      for (const { key } of page.items) {
        const part = await this.#part(key)
        if (part?.events.some(({ event }) => event.id === id)) return part
      }
    }
    return undefined
  }

  /** Returns the number that an event gets which is made now: milliseconds since 1970, or a little more. */
  async next(): Promise<number> {
    this.#last = Math.max(Math.floor(this.#clock.now()), this.#last + 1, (await this.newest()) + 1)
    return this.#last
  }

  /** Returns what is kept of the part of the feed that begins after a cursor. */
  async kept(from: Cursor): Promise<KeptPart | undefined> {
    const document = await this.#store.get(partKey(from), 'once')
    if (!document) return undefined
    const { fields, version, body } = document
    return { n: numberOf(fields.n), count: numberOf(fields.count), events: eventsIn(body), version }
  }

  /** Returns which of these crossings are told. */
  async told(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const told = new Set<string>()
    for (const id of ids) if (await this.#store.head(crossingKey(id))) told.add(id)
    return told
  }

  /**
   * Keeps the events of a part of the feed, in the place of what was kept of it, with the crossings that are told by them. Throws
   * Conflict or Stale where another has told one, or kept the part, meanwhile.
   */
  async keep(from: Cursor, { n, count, events, version }: KeptPart, crossings: readonly string[]): Promise<void> {
    const put = { set: { n, count }, body: linesOf(events) }
    const part: Change = { key: partKey(from), put, expects: version ?? 'absent' }
    const marks = [...new Set(crossings)].map((id): Change => {
      return { key: crossingKey(id), put: { set: { n }, body: '' }, expects: 'absent' }
    })
    await this.#store.write([part, ...marks], SYSTEM)
  }

  /** Keeps an event of the clock, once: false where it was told. */
  async cross(crossing: Crossing, event: KeptEvent): Promise<boolean> {
    const key = crossingKey(crossing.id)
    if (await this.#store.head(key)) return false
    const put = { set: { n: await this.next() }, body: linesOf([event]) }
    try {
      await this.#store.write([{ key, put, expects: 'absent' }], SYSTEM)
      return true
    } catch (error) {
      if (error instanceof Conflict) return false
      throw error
    }
  }

  /** Returns the events after a number, oldest first; some of them at a time. */
  async after(n: number): Promise<EventPart[]> {
    const where = [{ field: 'n', op: 'gt', value: n, as: 'number' } as const]
    const { items } = await this.#store.heads(KIND, { where, sort: ORDER, limit: MOST })
    const parts: EventPart[] = []
    for (const { key } of items) {
      const part = await this.#part(key)
      if (part) parts.push(part)
    }
    return parts
  }

  async #part(key: Key): Promise<EventPart | undefined> {
    const document = await this.#store.get(key, 'once')
    return document && { n: numberOf(document.fields.n), events: eventsIn(document.body) }
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
}

function partKey(from: Cursor): Key {
  return keyOf(KIND, `p${createHash('sha256').update(from).digest('hex').slice(0, 32)}`)
}

function crossingKey(id: string): Key {
  return keyOf(KIND, `c${Buffer.from(id).toString('hex')}`)
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

function linesOf(events: readonly KeptEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

/** The store is Quire's own, and nobody else writes there: what is no line of ours is left out. */
function eventsIn(body: string): KeptEvent[] {
  const lines = body.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line) as KeptEvent)
}
