/** Milliseconds between a failure and the next attempt. */
const RETRY_MS = 1000

/** Work that takes in what came since it was last done: one run at a time, and one more for all who ask while one is under way. */
export class CatchUp {
  readonly #work: () => Promise<void>
  readonly #pause: number
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #hasNews = true
  #closed = false

  /** `pause` is for how long after a hint the work waits for more of them, in milliseconds. */
  constructor(work: () => Promise<void>, pause = 0) {
    this.#work = work
    this.#pause = pause
  }

  /** Notes that there may be something new. */
  hint(): void {
    this.#hasNews = true
  }

  /** As `hint`. The work is done soon, and tried again until it succeeds. */
  soon(): void {
    this.#hasNews = true
    if (this.#pause === 0) this.#try()
    else this.#after(this.#pause)
  }

  /** Does the work; resolves when a run that began after the call has ended. */
  run(): Promise<void> {
    if (!this.#running) return this.#begin()
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        // Another may have begun meanwhile: two at once would run over each other.
        return this.#running ?? this.#begin()
      })
    return this.#next
  }

  /** As `run`, but does nothing where there was no hint since the work was last begun. */
  async upToHints(): Promise<void> {
    while (this.#running) await this.#running
    if (this.#hasNews) await this.#begin()
  }

  /** True if there was a hint since the work was last begun, or it is under way. */
  get isBehind(): boolean {
    return this.#hasNews || this.#running !== undefined
  }

  /** Begins no more runs, and resolves when none is under way. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running?.catch(() => undefined)
  }

  #begin(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    this.#hasNews = false
    this.#running = this.#work()
      .catch((error: unknown) => {
        this.#hasNews = true
        throw error
      })
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  #after(ms: number): void {
    if (this.#closed) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#try()
    }, ms).unref()
  }

  #try(): void {
    this.run().catch(() => this.#after(RETRY_MS))
  }
}
