/** Work that a semaphore does not let in: too much waits already, or it is closed. */
export class NotLetIn extends Error {}

/** Lets work go on, `atOnce` pieces at a time, in the order in which they came; at most `mostWaiting` wait. */
export class Semaphore {
  readonly #mostWaiting: number
  readonly #waiting: { go(): void; reject(error: Error): void }[] = []
  #free: number
  #isClosed = false

  constructor(atOnce: number, mostWaiting = Number.POSITIVE_INFINITY) {
    this.#free = atOnce
    this.#mostWaiting = mostWaiting
  }

  /** Does some work once it is let in; rejects with NotLetIn where it is not. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new NotLetIn('It was closed.')
    if (this.#free > 0) this.#free--
    else await this.#wait()
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next.go()
      else this.#free++
    }
  }

  /** Lets no more in. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(new NotLetIn('It was closed.'))
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#mostWaiting) return Promise.reject(new NotLetIn('Too much waits already.'))
    return new Promise((go, reject) => this.#waiting.push({ go, reject }))
  }
}
