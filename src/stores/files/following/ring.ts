import type { Changed } from '#core/store.ts'
import type { Logged } from '#stores/engine/feed-reader.ts'

/** Least number of changes to remember. */
const KEPT = 20_000

/** The last changes, numbered from the first there ever was; the oldest are let go. */
export class Ring {
  #changes: Changed[] = []
  #first = 0

  /** The number of the oldest that is still known. */
  get first(): number {
    return this.#first
  }

  /** The number that the next one gets. */
  get end(): number {
    return this.#first + this.#changes.length
  }

  /** Takes one in, and gives its number. */
  push(change: Changed): number {
    this.#changes.push(change)
    if (this.#changes.length >= KEPT * 2) this.restore(this.end - KEPT, this.#changes.slice(-KEPT))
    return this.end - 1
  }

  /** All that are still known, from the oldest on. */
  all(): readonly Changed[] {
    return this.#changes
  }

  /** The first of those after so many that there ever were, as far as they are still known. */
  after(count: number, limit: number): Logged[] {
    const start = Math.max(0, count - this.#first)
    return this.#changes.slice(start, start + limit).map((change, at) => ({ change, sequence: this.#first + start + at + 1 }))
  }

  /** Begins with what is known from before. */
  restore(first: number, changes: Changed[]): void {
    this.#first = first
    this.#changes = changes
  }
}
