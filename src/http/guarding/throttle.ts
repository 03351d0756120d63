import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Ledger } from '#core/ledger.ts'
import type { Clock } from '#lib/clock.ts'
import { TooMany } from '#lib/errors.ts'
import { networkOf } from '#lib/net/network.ts'

const MINUTE = 60_000

/** Milliseconds that a counter is kept beyond its window, since the clocks of nodes differ. */
const SKEW = 10_000

/**
 * Counts requests in fixed windows: n in m minutes, by token or by address. In memory, and forgotten when a window ends. Nodes
 * that share their counts exchange them by and by: between two exchanges each knows only its own.
 */
export class Throttle {
  readonly #name: string
  readonly #most: number
  readonly #length: number
  readonly #clock: Clock
  #window = -1
  #counts = new Map<string, number>()
  /** Counts that other nodes have not received yet; undefined if there are no other nodes. */
  #own: Map<string, number> | undefined

  /** `name` tells it from other throttles of the same site. */
  constructor(name: string, most: number, minutes: number, clock: Clock) {
    this.#name = name
    this.#most = most
    this.#length = minutes * MINUTE
    this.#clock = clock
  }

  /** A throttle for `"<n>,<m>"` of the configuration; undefined for `off`. */
  static of(name: string, setting: string, clock: Clock): Throttle | undefined {
    const [most, minutes] = setting.split(',').map(Number)
    return setting === 'off' || !most || !minutes ? undefined : new Throttle(name, most, minutes, clock)
  }

  /** Counts one request and says in the answer's headers what is left; throws TooMany (retry in seconds) where nothing is. */
  count(who: string, reply: Pick<FastifyReply, 'header'>): void {
    const now = this.#clock.now()
    this.#rotate(now)
    const name = networkOf(who)
    const used = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, used)
    this.#own?.set(name, (this.#own.get(name) ?? 0) + 1)
    const reset = Math.ceil(((this.#window + 1) * this.#length - now) / 1000)
    reply.header('ratelimit-limit', this.#most)
    reply.header('ratelimit-remaining', Math.max(0, this.#most - used))
    reply.header('ratelimit-reset', reset)
    if (used > this.#most) throw new TooMany(`Only ${this.#most} requests are answered in ${minutesOf(this.#length)}.`, reset)
  }

  /** Keeps from now on what is counted for `exchange`. */
  share(): void {
    this.#own ??= new Map()
  }

  /**
   * Shares new counts with other nodes, and takes the sum of all. Makes no query without new counts; counts that can't be shared
   * now are shared later.
   */
  async exchange(ledger: Ledger): Promise<void> {
    this.#rotate(this.#clock.now())
    const [window, told] = [this.#window, this.#own]
    if (!told || told.size === 0) return
    this.#own = new Map()
    try {
      this.#take(window, await this.#tell(ledger, told))
    } catch {
      if (window === this.#window) for (const [name, n] of told) this.#own.set(name, n + (this.#own.get(name) ?? 0))
    }
  }

  #rotate(now: number): void {
    const window = Math.floor(now / this.#length)
    if (window === this.#window) return
    this.#window = window
    this.#counts = new Map()
    if (this.#own) this.#own = new Map()
  }

  async #tell(ledger: Ledger, told: ReadonlyMap<string, number>): Promise<Map<string, number>> {
    const all = [...told]
    const of = `throttle.${this.#name}.${this.#length / MINUTE}.${this.#window}`
    // The name is nobody else's business, and may be of any length.
    const counts = all.map(([name, n]) => ({ name: `${of}.${hash('sha256', name, 'base64url')}`, n }))
    const sums = await ledger.addAll(counts, (this.#window + 1) * this.#length - this.#clock.now() + SKEW)
    return new Map(all.map(([name, n], i) => [name, sums[i] ?? n]))
  }

  #take(window: number, sums: ReadonlyMap<string, number>): void {
    if (window !== this.#window) return
    for (const [name, sum] of sums) this.#counts.set(name, sum + (this.#own?.get(name) ?? 0))
  }
}

function minutesOf(length: number): string {
  return length === MINUTE ? 'a minute' : `${length / MINUTE} minutes`
}
