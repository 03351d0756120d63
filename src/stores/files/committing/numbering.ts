import type { RevisionNumber } from '#core/history/revision.ts'

/** Number of files whose last numbers are kept. */
const KEPT = 10_000

/**
 * Numbers for new revisions: milliseconds since 1970, above the last of each file of the write. None is below one that was given
 * before it, so that the last commit bears the highest, and a process that starts on it learns from it alone that the clock was
 * set back.
 */
export class Numbering {
  /** The last numbers of files; those of files that are not in it are at most `#floor`. */
  readonly #last = new Map<string, RevisionNumber>()
  #floor = 0
  #highest = 0

  /** Says that revisions up to this number exist, of whatever file. */
  seen(number: RevisionNumber): void {
    this.#floor = Math.max(this.#floor, number)
  }

  /** The number of a write of these files at `now`, in milliseconds since 1970. */
  next(paths: readonly string[], now: number): RevisionNumber {
    const lasts = paths.map((path) => this.#last.get(path) ?? (this.#floor >= now ? this.#floor : 0))
    const number = Math.max(Math.floor(now), this.#highest, ...lasts.map((last) => last + 1))
    this.#highest = number
    for (const path of paths) this.#last.set(path, number)
    if (this.#last.size > KEPT) this.#forget()
    return number
  }

  #forget(): void {
    this.seen(this.#highest)
    this.#last.clear()
  }
}
