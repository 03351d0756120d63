import { isIPv6 } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { TooMany } from '../core/errors.ts'

const MINUTE = 60_000

/** Counts requests in fixed windows: n in m minutes, by token or by address. In memory, and forgotten when a window ends. */
export class Throttle {
  readonly #most: number
  readonly #length: number
  readonly #clock: Clock
  #window = -1
  #counts = new Map<string, number>()

  constructor(most: number, minutes: number, clock: Clock) {
    this.#most = most
    this.#length = minutes * MINUTE
    this.#clock = clock
  }

  /** A throttle for `"<n>,<m>"` of the configuration; undefined for `off`. */
  static of(setting: string, clock: Clock): Throttle | undefined {
    const [most, minutes] = setting.split(',').map(Number)
    return setting === 'off' || !most || !minutes ? undefined : new Throttle(most, minutes, clock)
  }

  /** Counts one request and says in the answer's headers what is left; throws TooMany (retry in seconds) where nothing is. */
  count(who: string, reply: Pick<FastifyReply, 'header'>): void {
    const now = this.#clock.now()
    const window = Math.floor(now / this.#length)
    if (window !== this.#window) {
      this.#window = window
      this.#counts = new Map()
    }
    const name = isIPv6(who) ? networkOf(who) : who
    const used = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, used)
    const reset = Math.ceil(((window + 1) * this.#length - now) / 1000)
    reply.header('ratelimit-limit', this.#most)
    reply.header('ratelimit-remaining', Math.max(0, this.#most - used))
    reply.header('ratelimit-reset', reset)
    if (used > this.#most)
      throw new TooMany(`No more than ${this.#most} requests in ${this.#length / MINUTE} minutes are answered.`, reset)
  }
}

/** The /64 an IPv6 address is in, since who has one address has the whole network; an IPv4 address in IPv6 form is itself. */
export function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, '').toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1]
  if (mapped) return mapped
  const [head = '', tail] = plain.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
