import { WaitingLines } from './waiting-lines.ts'

/** Work that a semaphore does not let in: too much waits already, or it is closed. */
export class NotLetIn extends Error {}

interface Waiting {
  go(): void
  reject(error: Error): void
}

/**
 * Lets work go on, `atOnce` pieces at a time, in the order in which they came, and line by line where it is in lines
 * (`WaitingLines`). At most `mostWaiting` wait: where one more comes, the last of the longest line waits no longer.
 */
export class Semaphore {
  readonly #mostWaiting: number
  readonly #waiting = new WaitingLines<Waiting>()
  #free: number
  #isClosed = false

  constructor(atOnce: number, mostWaiting = Number.POSITIVE_INFINITY) {
    this.#free = atOnce
    this.#mostWaiting = mostWaiting
  }

  /** Does some work of a line once it is let in; rejects with NotLetIn where it is not. */
  async run<T>(work: () => Promise<T>, line: readonly string[] = []): Promise<T> {
    if (this.#isClosed) throw new NotLetIn('It was closed.')
    if (this.#free > 0) this.#free--
    else await this.#wait(line)
    try {
      return await work()
    } finally {
      const next = this.#waiting.take()
      if (next) next.go()
      else this.#free++
    }
  }

  /** Lets no more in. */
  close(): void {
    this.#isClosed = true
    for (let one = this.#waiting.take(); one; one = this.#waiting.take()) one.reject(new NotLetIn('It was closed.'))
  }

  #wait(line: readonly string[]): Promise<void> {
    const turn = new Promise<void>((go, reject) => this.#waiting.add({ go, reject }, line))
    if (this.#waiting.size > this.#mostWaiting) this.#waiting.takeLast()?.reject(new NotLetIn('Too much waits already.'))
    return turn
  }
}
