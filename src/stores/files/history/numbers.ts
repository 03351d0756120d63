import type { RevisionNumber } from '#core/history/revision.ts'

/** The data that a revision's number is made of. */
export interface Dated {
  /** The number that its commit bears. */
  readonly number: RevisionNumber | undefined
  /** Time at which its author made the commit, in seconds since 1970. */
  readonly seconds: number
}

/** The first and the last number of 13 digits. */
const FIRST = 1_000_000_000_000
const LAST = 9_999_999_999_999

/** A commit's author second, brought to where its milliseconds have 13 digits: from 2001 to 2286. */
export function numberedSecond(seconds: number): number {
  return Math.min(Math.max(seconds, FIRST / 1000), Math.floor(LAST / 1000))
}

/** A number that a commit bears, where it can be one. */
export function borneNumber(number: RevisionNumber | undefined): RevisionNumber | undefined {
  return number !== undefined && number >= FIRST && number <= LAST ? number : undefined
}

/**
 * The numbers of a record's revisions, which come oldest first: what the commit bears, else its author's second × 1000 and its
 * place among the record's commits by hand of that second. A number that an older one has is raised by one until it is free: what
 * comes later changes none.
 */
export class NumberWalk {
  readonly #taken = new Set<RevisionNumber>()
  readonly #places = new Map<number, number>()

  /** The number of the next one. */
  next({ number, seconds }: Dated): RevisionNumber {
    let free = borneNumber(number) ?? this.#ofSecond(numberedSecond(seconds))
    while (this.#taken.has(free)) free = free === LAST ? FIRST : free + 1
    this.#taken.add(free)
    return free
  }

  #ofSecond(second: number): RevisionNumber {
    const place = this.#places.get(second) ?? 0
    this.#places.set(second, place + 1)
    return Math.min(second * 1000 + place, LAST)
  }
}
