import { Best, type Match } from './ranking.ts'
import type { HeldSegment } from './segment-set.ts'

/** The matches that a caller wants. */
export interface Wish {
  /** Only what passes this test is found and counted; absent where all is. */
  readonly fits?: (held: HeldSegment, document: number) => boolean
  /** Only documents of this kind are found; others are counted. */
  readonly kind?: string
  readonly offset: number
  /** Undefined asks for all from `offset` on. */
  readonly limit: number | undefined
}

/** Counts the documents that meet a query, and keeps the best of them. They are added segment by segment. */
export class Matches {
  readonly #wish: Wish
  readonly #best: Best
  readonly #counts = new Map<HeldSegment, Uint32Array>()
  #held: HeldSegment | undefined
  #kinds: Uint16Array = new Uint16Array()
  #count = new Uint32Array()
  /** The number that the wanted kind has in this segment. */
  #wanted = -1
  #total = 0

  constructor(wish: Wish) {
    this.#wish = wish
    this.#best = new Best(wish.limit === undefined ? Number.POSITIVE_INFINITY : wish.offset + wish.limit)
  }

  /** Number of matches of the wanted kind. */
  get total(): number {
    return this.#total
  }

  /** Number of matches of each kind. Kinds without any are absent. */
  get kinds(): Map<string, number> {
    const kinds = new Map<string, number>()
    for (const [{ segment }, counts] of this.#counts) {
      for (const [kind, name] of segment.sizes.names.entries()) {
        const count = counts[kind] ?? 0
        if (count > 0) kinds.set(name, (kinds.get(name) ?? 0) + count)
      }
    }
    return kinds
  }

  /** The wanted ones, the best first; equally good ones in the order of their keys. */
  get hits(): Match[] {
    return this.#best.sorted().slice(this.#wish.offset)
  }

  /** Begins a segment: what is added next is of it. */
  begin(held: HeldSegment): void {
    const { names } = held.segment.sizes
    this.#held = held
    this.#kinds = held.segment.kinds
    this.#count = new Uint32Array(names.length)
    this.#counts.set(held, this.#count)
    this.#wanted = this.#wish.kind === undefined ? -1 : names.indexOf(this.#wish.kind)
  }

  add(document: number, score: number): void {
    const held = this.#held
    const { fits, kind } = this.#wish
    if (!held || (fits && !fits(held, document))) return
    const of = this.#kinds[document] as number
    this.#count[of] = (this.#count[of] as number) + 1
    if (kind !== undefined && of !== this.#wanted) return
    this.#total++
    if (score >= this.#best.least) this.#best.add(held, document, score)
  }
}
