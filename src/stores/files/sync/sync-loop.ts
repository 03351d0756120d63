import type { SyncOptions } from '#core/backend.ts'
import type { Clock } from '#lib/clock.ts'

/** The longest a loop waits after failures, where its interval is not longer, in milliseconds. */
const LONGEST = 10 * 60_000
/** The longest a timer of Node waits; one that is set for longer goes off at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Intervals between pulls and between pushes in milliseconds; absent if it is not done. */
export interface SyncTimes {
  readonly pull?: number
  readonly push?: number
}

interface Deps {
  readonly clock: Clock
  /** One sync; an error counts as a failure, which the sync itself reports. */
  readonly sync: (options: SyncOptions) => Promise<unknown>
}

/** Pulls and pushes now and then, one at a time, as long as a site is served. After failures it waits longer and longer. */
export class SyncLoop {
  readonly #deps: Deps
  readonly #times: SyncTimes
  readonly #stop = new AbortController()
  #failures = 0
  #due: { pull: number; push: number }
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined

  constructor(deps: Deps, times: SyncTimes) {
    this.#deps = deps
    this.#times = times
    this.#due = this.#next()
  }

  /** Goes on by itself from here on, without keeping the process alive. */
  start(): void {
    if (this.#stop.signal.aborted) return
    const wait = Math.min(this.#due.pull, this.#due.push) - this.#deps.clock.now()
    this.#timer = setTimeout(() => void this.step().then(() => this.start()), Math.min(Math.max(wait, 0), LONGEST_TIMER)).unref()
  }

  /** Does what is due by now; resolves when it is done, or has failed. */
  step(): Promise<void> {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  /** The time at which something is due next, in milliseconds since 1970. */
  get due(): number {
    return Math.min(this.#due.pull, this.#due.push)
  }

  /** Ends what is under way, and begins nothing more. */
  async close(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#timer)
    await this.#working
  }

  async #work(): Promise<void> {
    const now = this.#deps.clock.now()
    const [pull, push] = [this.#due.pull <= now, this.#due.push <= now]
    if (this.#stop.signal.aborted || (!pull && !push)) return
    try {
      await this.#deps.sync({ pull, push, signal: this.#stop.signal })
      this.#failures = 0
    } catch {
      this.#failures++
    }
    const next = this.#next()
    const isDelayed = this.#failures > 0
    this.#due = { pull: pull || isDelayed ? next.pull : this.#due.pull, push: push || isDelayed ? next.push : this.#due.push }
  }

  #next(): { pull: number; push: number } {
    const now = this.#deps.clock.now()
    const at = (time: number | undefined) =>
      time === undefined ? Number.POSITIVE_INFINITY : now + Math.min(time * 2 ** this.#failures, Math.max(LONGEST, time))
    return { pull: at(this.#times.pull), push: at(this.#times.push) }
  }
}
