import type { FastifyInstance } from 'fastify'
import type { Ledger } from '#core/ledger.ts'
import type { Throttle } from './throttle.ts'

/** Interval at which nodes exchange their counts, in milliseconds. */
const EVERY = 1000

/**
 * Makes the throttles of several nodes count as one, but for what came in the last second: by totals in the ledger that they
 * share.
 */
export class ThrottleExchange {
  readonly #ledger: Ledger
  readonly #throttles: Throttle[] = []
  #running: Promise<void> | undefined

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Takes a throttle in. */
  add(throttle: Throttle): void {
    throttle.share()
    this.#throttles.push(throttle)
  }

  /** Exchanges once; while one exchange is under way, this is it. Never rejects: each node then counts alone. */
  run(): Promise<void> {
    this.#running ??= Promise.all(this.#throttles.map((throttle) => throttle.exchange(this.#ledger))).then(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Exchanges every second while the app listens; when it has closed, nothing is under way any more. */
  keepUp(app: FastifyInstance): void {
    let timer: NodeJS.Timeout | undefined
    app.addHook('onListen', async () => {
      timer = setInterval(() => void this.run(), EVERY).unref()
    })
    app.addHook('onClose', async () => {
      clearInterval(timer)
      await this.#running
    })
  }
}
