import { CatchUp } from '#lib/concurrency/catch-up.ts'
import type { EventLog, EventPart } from './event-log.ts'

/** Takes what is new. */
export type TailListener = (part: EventPart) => void

/** Reads the events that come, once for all who listen on a server. */
export class EventTail {
  readonly #log: EventLog
  readonly #listeners = new Set<TailListener>()
  readonly #runs = new CatchUp(() => this.#goOn())
  #n = 0
  #unsubscribe: (() => void) | undefined

  constructor(log: EventLog) {
    this.#log = log
  }

  /**
   * Tells a listener of what comes from now on, in order; returns the function that ends it, and the number of the last event before
   * it.
   */
  async listen(listener: TailListener): Promise<{ n: number; end: () => void }> {
    if (!this.#unsubscribe) {
      this.#unsubscribe = this.#log.subscribe(() => this.#runs.soon())
      this.#n = Number.POSITIVE_INFINITY
    }
    await this.#runs.run()
    this.#listeners.add(listener)
    return { n: this.#n, end: () => void this.#listeners.delete(listener) }
  }

  /** Looks for what is new, hint or not. */
  look(): void {
    this.#runs.soon()
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#unsubscribe?.()
    this.#listeners.clear()
    await this.#runs.close()
  }

  async #goOn(): Promise<void> {
    if (!Number.isFinite(this.#n)) this.#n = await this.#log.newest()
    // Most hints are of something else.
    while ((await this.#log.newest()) > this.#n) {
      const parts = await this.#log.after(this.#n)
      if (parts.length === 0) return
      for (const part of parts) {
        this.#n = part.n
        for (const listener of this.#listeners) listener(part)
      }
    }
  }
}
