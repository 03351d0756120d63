import type { Clock } from '#lib/clock.ts'
import type { Store } from '../store.ts'

/** Milliseconds for which hints of changes are trusted: one may be lost, and the clock changes statuses without any. */
export const HINTS_LAST_MS = 1000

/** The state that the content of a store is in, as far as hints of changes and the clock say. */
export class Hints {
  readonly #clock: Clock
  readonly #unsubscribe: () => void
  #state = 0
  #since = Number.NEGATIVE_INFINITY

  constructor(store: Pick<Store, 'subscribe'>, clock: Clock) {
    this.#clock = clock
    this.#unsubscribe = store.subscribe(() => {
      this.#state++
    })
  }

  /**
   * A number that is another one after each hint, and after `HINTS_LAST_MS`. To be taken before something is made of the store: it
   * can be true as long as the number is the same.
   */
  get state(): number {
    const now = this.#clock.now()
    if (Math.abs(now - this.#since) >= HINTS_LAST_MS) {
      this.#since = now
      this.#state++
    }
    return this.#state
  }

  close(): void {
    this.#unsubscribe()
  }
}
