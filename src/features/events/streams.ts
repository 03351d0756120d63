import type { ServerResponse } from 'node:http'
import type { Access, Caller } from '#core/access/access.ts'
import type { Ledger } from '#core/ledger.ts'
import { TooMany } from '#lib/errors.ts'
import { type EventLog, type EventPart, numberOfEvent } from './event-log.ts'
import type { EventTail } from './event-tail.ts'
import { type ShownDeps, shownTo } from './shown.ts'

/** Milliseconds between two comments: a connection without a byte for a minute is ended by what lies between. */
const PULSE_MS = 15_000
/** Milliseconds after which a client that lost its stream asks again. */
const RETRY_MS = 1_000
/** Most streams of a token, over all nodes. */
const MOST = 10
/** Milliseconds for which a stream counts that nobody ended, as of a node that was killed. */
const LEASE_MS = 3 * PULSE_MS
/** Bytes, and parts of the log, that wait for a client from which on it is let go: it comes back, and says what it has. */
const MOST_BYTES = 1024 * 1024
const MOST_PARTS = 100

const RESET = 'event: reset\ndata: {}\n\n'

/** The dependencies of streams. */
export interface StreamDeps extends ShownDeps {
  readonly log: EventLog
  readonly tail: EventTail
  readonly ledger: Ledger
}

/** A client that follows the events. */
export interface Follower {
  /** Looks up who it is, and what they may, as of now. */
  readonly caller: Caller
  /** True of the types of events that it asked for. */
  readonly wants: (type: string) => boolean
  /** The id of the last event that it has. */
  readonly last: string | undefined
}

/** The streams of events of one server. */
export class Streams {
  readonly #deps: StreamDeps
  readonly #open = new Set<Stream>()
  #closed = false

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
    const { ledger, tail } = this.#deps
    const stream = new Stream(raw, follower, this.#deps)
    let pulse: NodeJS.Timeout | undefined
    let stop = () => {}
    const { socket } = raw.req
    const gone = () => {
      clearInterval(pulse)
      stop()
      raw.off('close', gone)
      socket.off('close', gone)
      // An answer that waits for one before it on its connection is closed by nobody.
      raw.destroy()
      if (this.#open.delete(stream)) void ledger.take(place).catch(() => undefined)
    }
    this.#open.add(stream)
    if (raw.destroyed || socket.destroyed) return gone()
    raw.once('close', gone)
    socket.once('close', gone)
    if (this.#closed) return stream.end()
    const { n, end } = await tail.listen((part) => stream.push(part))
    stop = end
    if (!this.#open.has(stream)) return end()
    pulse = setInterval(() => {
      void Promise.all([follower.caller(), ledger.put(place, 1, LEASE_MS)]).then(
        () => stream.say(':\n\n'),
        () => stream.end(),
      )
      tail.look()
    }, PULSE_MS).unref()
    stream.begin(n)
  }

  /** Ends all streams: their clients come back, and go on where they were. */
  close(): void {
    this.#closed = true
    for (const stream of this.#open) stream.end()
  }
}

/** The stream of one client. */
class Stream {
  readonly #raw: ServerResponse
  readonly #follower: Follower
  readonly #deps: StreamDeps
  readonly #parts: EventPart[] = []
  #isAtWork = true

  constructor(raw: ServerResponse, follower: Follower, deps: StreamDeps) {
    this.#raw = raw
    this.#follower = follower
    this.#deps = deps
    raw.on('error', () => raw.destroy())
  }

  /** Sends a text, while the client is there and takes it. */
  say(text: string): void {
    if (this.#raw.destroyed || this.#raw.writableEnded) return
    this.#raw.write(text)
    if (this.#raw.writableLength > MOST_BYTES) this.#raw.destroy()
  }

  /** Ends the stream. */
  end(): void {
    this.#raw.end()
  }

  /** Sends what came since the client's last event, up to that of a number; then what was pushed. */
  begin(upTo: number): void {
    this.say(`retry: ${RETRY_MS}\n\n`)
    void this.#catchUp(upTo).then(
      () => this.#goOn(),
      () => this.end(),
    )
  }

  /** Sends what is new, after what is under way. */
  push(part: EventPart): void {
    this.#parts.push(part)
    if (this.#parts.length > MOST_PARTS) this.#raw.destroy()
    else if (!this.#isAtWork) void this.#goOn().catch(() => this.end())
  }

  async #catchUp(upTo: number): Promise<void> {
    const { log } = this.#deps
    const { last } = this.#follower
    if (last === undefined) return
    const found = await log.find(last)
    if (found === undefined) return this.say(RESET)
    for (let n = found; n < upTo && !this.#raw.destroyed; ) {
      const parts = await log.after(n)
      for (const part of parts) await this.#send(part, upTo)
      n = parts.at(-1)?.n ?? upTo
    }
  }

  /** Waits until the client has taken what was sent: what it is to get may be more than waits for it. */
  async #drained(): Promise<void> {
    if (!this.#raw.writableNeedDrain || this.#raw.destroyed) return
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#raw.off('drain', end).off('close', end)
        resolve()
      }
      this.#raw.on('drain', end).on('close', end)
    })
  }

  async #goOn(): Promise<void> {
    this.#isAtWork = true
    for (let part = this.#parts.shift(); part && !this.#raw.destroyed; part = this.#parts.shift()) await this.#send(part)
    this.#isAtWork = false
  }

  async #send({ n, events, isReset }: EventPart, upTo = Number.POSITIVE_INFINITY): Promise<void> {
    const { caller, wants } = this.#follower
    if (isReset && n <= upTo) this.say(RESET)
    for (const kept of events) {
      if (numberOfEvent(kept.event.id) > upTo) return
      const event = await shownTo(await caller(), kept, this.#deps)
      if (!event || !wants(event.type)) continue
      this.say(`event: ${event.type}\nid: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`)
      await this.#drained()
    }
  }
}
