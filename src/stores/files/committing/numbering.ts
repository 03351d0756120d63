import type { RevisionNumber } from '#core/revision.ts'
import { Cache } from '#lib/cache.ts'

/** Number of files whose last numbers are kept. */
const KEPT = 10_000

/**
 * Numbers for new revisions: milliseconds since 1970, above the last of each file of the write, and above all there were when the
 * clock is found to go backwards.
 */
export class Numbering {
  readonly #last = new Cache<RevisionNumber>({ most: KEPT })
  #floor = 0

  /** Says that revisions up to this number exist, of whatever file. */
  seen(number: RevisionNumber): void {
    this.#floor = Math.max(this.#floor, number)
  }

  /** The number of a write of these files at `now`, in milliseconds since 1970. */
  next(paths: readonly string[], now: number): RevisionNumber {
    // Of a file that is not kept here the last number is at most the highest of all.
    const lasts = paths.map((path) => this.#last.get(path) ?? (this.#floor >= now ? this.#floor : 0))
    const number = Math.max(Math.floor(now), ...lasts.map((last) => last + 1))
    for (const path of paths) this.#last.set(path, number)
    return number
  }
}
