import type { ServerResponse } from 'node:http'
import type { Access, Caller } from '#core/access/access.ts'
import type { Ledger } from '#core/ledger.ts'
import { CatchUp } from '#lib/concurrency/catch-up.ts'
import { TooMany } from '#lib/errors.ts'
import type { EventLog, EventPart } from './event-log.ts'
import { type ShownDeps, shownTo } from './shown.ts'

/** Milliseconds between two comments: a connection without a byte for a minute is ended by what lies between. */
const PULSE_MS = 15_000
/** Most streams of a token, over all nodes. */
const MOST = 10
/** Milliseconds for which a stream counts that nobody ended, as of a node that was killed. */
const LEASE_MS = 3 * PULSE_MS
/** Bytes that wait for a client from which on it is let go: it comes back, and says what it has. */
const MOST_WAITING = 1024 * 1024
/** Milliseconds for which an event may come after others that were made later, from another node. */
const LATE_MS = 10_000

/** The dependencies of streams. */
export interface StreamDeps extends ShownDeps {
  readonly log: EventLog
  readonly ledger: Ledger
}

/** A client that follows the events. */
export interface Follower {
  /** Looks up who it is, and what they may, as of now. */
  readonly caller: Caller
  readonly access: Access
  /** True of the types of events that it asked for. */
  readonly wants: (type: string) => boolean
  /** The id of the last event that it has. */
  readonly last: string | undefined
}

/** The streams of events of one server. */
export class Streams {
  readonly #deps: StreamDeps
  readonly #open = new Set<() => void>()

  constructor(deps: StreamDeps) {
    this.#deps = deps
  }

  /** Takes a place for one more stream of a caller; returns its name. Throws TooMany where there are ten. */
  async take({ id }: Access): Promise<string> {
    for (let nth = 0; nth < MOST; nth++) {
      const name = `events/stream/${id}/${nth}`
      if ((await this.#deps.ledger.add(name, 1, LEASE_MS)) === 1) return name
    }
    throw new TooMany(`A token has ${MOST} streams of events at most. End another one first.`, LEASE_MS / 1000)
  }

  /** Sends events to a client until it goes, its rights end, or the server does. `place` is that of `take`. */
  async follow(raw: ServerResponse, follower: Follower, place: string): Promise<void> {
    const { ledger, log } = this.#deps
    const stream = new Stream(raw, follower, this.#deps)
    const news = new CatchUp(() => stream.goOn())
    const end = () => raw.end()
    const look = () => void news.run().catch(end)
    const pulse = setInterval(() => {
      void Promise.all([follower.caller(), ledger.put(place, 1, LEASE_MS)]).then(() => raw.write(':\n\n'), end)
      look()
    }, PULSE_MS).unref()
    this.#open.add(end)
    raw.once('close', () => {
      clearInterval(pulse)
      unsubscribe()
      this.#open.delete(end)
      void ledger.take(place).catch(() => undefined)
      void news.close()
    })
    const unsubscribe = log.subscribe(look)
    await stream.begin()
    look()
  }

  /** Ends all streams: their clients come back, and go on where they were. */
  close(): void {
    for (const end of this.#open) end()
  }
}

/** The place of one client in the events. */
class Stream {
  readonly #raw: ServerResponse
  readonly #follower: Follower
  readonly #deps: StreamDeps
  #from = Number.POSITIVE_INFINITY
  #begin = 0
  /** The ids of events that were passed, by the number that they are kept under. */
  readonly #passed = new Map<string, number>()

  constructor(raw: ServerResponse, follower: Follower, deps: StreamDeps) {
    this.#raw = raw
    this.#follower = follower
    this.#deps = deps
  }

  /** Finds where the client is: after its last event, else at the end. Says `reset` where that event is not known any more. */
  async begin(): Promise<void> {
    const { log } = this.#deps
    const { last } = this.#follower
    const part = last === undefined ? undefined : await log.find(last)
    if (last !== undefined && !part) this.#raw.write('event: reset\ndata: {}\n\n')
    this.#begin = part ? part.n - 1 : await log.newest()
    if (part) this.#pass(part, part.events.findIndex(({ event }) => event.id === last) + 1)
    else for (const one of await log.after(this.#begin - LATE_MS)) this.#pass(one, one.events.length)
    this.#from = this.#begin
  }

  /** Sends what came since. */
  async goOn(): Promise<void> {
    for (let from = Math.max(this.#begin, this.#from - LATE_MS); Number.isFinite(from); ) {
      const parts = await this.#deps.log.after(from)
      for (const part of parts) await this.#send(part)
      const last = parts.at(-1)
      if (!last) return
      from = last.n
      this.#from = Math.max(this.#from, last.n)
      for (const [id, n] of this.#passed) if (n < this.#from - LATE_MS) this.#passed.delete(id)
    }
  }

  async #send(part: EventPart): Promise<void> {
    const { caller, wants } = this.#follower
    for (const kept of part.events) {
      if (this.#passed.has(kept.event.id)) continue
      const event = await shownTo(await caller(), kept, this.#deps)
      this.#passed.set(kept.event.id, part.n)
      if (!event || !wants(event.type)) continue
      this.#raw.write(`event: ${event.type}\nid: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`)
      if (this.#raw.writableLength > MOST_WAITING) this.#raw.end()
    }
  }

  #pass({ n, events }: EventPart, count: number): void {
    for (const { event } of events.slice(0, count)) this.#passed.set(event.id, n)
  }
}
