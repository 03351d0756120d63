import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'

/** The moment at which something was made: the number of change hints before it, and the time. */
export interface Moment {
  readonly heard: number
  readonly at: number
}

/** Milliseconds that something made from a store may be reused: the clock changes statuses, and a hint may be lost. */
const LASTS = 1000

/** Tells whether what was made of a store can still be true: nothing was heard of a change since, and it is not old. */
export class Recency {
  readonly #clock: Clock
  readonly #unsubscribe: () => void
  #heard = 0

  constructor(store: Store, clock: Clock) {
    this.#clock = clock
    this.#unsubscribe = store.subscribe(() => {
      this.#heard++
    })
  }

  /** To be taken before what is made of the store is begun. */
  now(): Moment {
    return { heard: this.#heard, at: this.#clock.now() }
  }

  holds({ heard, at }: Moment): boolean {
    return heard === this.#heard && Math.abs(this.#clock.now() - at) < LASTS
  }

  close(): void {
    this.#unsubscribe()
  }
}
