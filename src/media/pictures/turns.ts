/** Work that does not get a turn: too much waits already, or what gives turns is closed. */
export class NoTurn extends Error {}

/** Gives turns, `atOnce` at a time, to at most `mostWaiting` that wait, in the order in which they came. */
export class Turns {
  readonly #mostWaiting: number
  readonly #waiting: { go(): void; reject(error: Error): void }[] = []
  #free: number
  #isClosed = false

  constructor(atOnce: number, mostWaiting: number) {
    this.#free = atOnce
    this.#mostWaiting = mostWaiting
  }

  /** Does some work when it is its turn; rejects with NoTurn where it gets none. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new NoTurn('It was ended.')
    if (this.#free > 0) this.#free--
    else await this.#turn()
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next.go()
      else this.#free++
    }
  }

  /** Gives no more turns. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(new NoTurn('It was ended.'))
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#mostWaiting) return Promise.reject(new NoTurn('Too much waits already.'))
    return new Promise((go, reject) => this.#waiting.push({ go, reject }))
  }
}
