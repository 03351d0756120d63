import type { Ledger } from '#core/ledger.ts'
import type { Clock } from '#lib/clock.ts'
import { Throttle } from './throttle.ts'

/** Interval at which nodes exchange their counts, in milliseconds. */
const EVERY = 1000

/** `throttle` of the configuration: `"<n>,<m>"`, n requests in m minutes, or `off`. */
export interface ThrottleSettings {
  readonly api: string
  readonly search: string
  readonly auth: string
  readonly uploads: string
  readonly admin: string
}

/**
 * The throttles of a site, undefined where they are off. Those of several nodes count as one, but for what came in the last
 * second: by totals in the ledger that they share.
 */
export class Throttles {
  readonly api: Throttle | undefined
  readonly search: Throttle | undefined
  readonly auth: Throttle | undefined
  readonly uploads: Throttle | undefined
  readonly admin: Throttle | undefined
  readonly #ledger: Ledger | undefined
  readonly #shared: Throttle[]
  #timer: NodeJS.Timeout | undefined
  #exchanging: Promise<void> | undefined

  /** `ledger` is that of all nodes, where there may be several. */
  constructor(settings: ThrottleSettings, clock: Clock, ledger: Ledger | undefined) {
    this.api = Throttle.of('api', settings.api, clock)
    this.search = Throttle.of('search', settings.search, clock)
    this.auth = Throttle.of('auth', settings.auth, clock)
    this.uploads = Throttle.of('uploads', settings.uploads, clock)
    this.admin = Throttle.of('admin', settings.admin, clock)
    const all = [this.api, this.search, this.auth, this.uploads, this.admin]
    this.#ledger = ledger
    this.#shared = ledger ? all.filter((throttle) => throttle !== undefined) : []
    for (const throttle of this.#shared) throttle.share()
  }

  /** Takes in a throttle of somebody else's, before the exchanges begin. */
  adopt(throttle: Throttle): void {
    if (!this.#ledger) return
    throttle.share()
    this.#shared.push(throttle)
  }

  /** Exchanges once; while one exchange is under way, this is it. Never rejects: each node then counts alone. */
  exchange(): Promise<void> {
    const ledger = this.#ledger
    if (!ledger) return Promise.resolve()
    this.#exchanging ??= Promise.all(this.#shared.map((throttle) => throttle.exchange(ledger))).then(() => {
      this.#exchanging = undefined
    })
    return this.#exchanging
  }

  /** Exchanges every second from now on. */
  begin(): void {
    if (this.#shared.length > 0) this.#timer = setInterval(() => void this.exchange(), EVERY).unref()
  }

  /** Stops that; when it resolves, nothing is under way any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#exchanging
  }
}
