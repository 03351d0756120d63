import type { HeldSegment } from './segment-set.ts'

/** A document that meets a query. */
export interface Match {
  readonly held: HeldSegment
  readonly document: number
  readonly score: number
}

/** Keeps the best of the matches that are added, by a heap whose top is the worst of them. Of equals the first by key is better. */
export class Best {
  /** A match of a lower score need not be added. */
  least = 0
  readonly #most: number
  readonly #heap: Match[] = []

  /** Keeps at most `most`. */
  constructor(most: number) {
    this.#most = most
    if (most <= 0) this.least = Number.POSITIVE_INFINITY
  }

  add(held: HeldSegment, document: number, score: number): void {
    const heap = this.#heap
    const match = { held, document, score }
    if (heap.length < this.#most) {
      heap.push(match)
      if (heap.length === this.#most) this.#begin()
      return
    }
    const [worst] = heap
    if (!worst || compare(match, worst) >= 0) return
    heap[0] = match
    sink(heap, 0)
    this.least = heap[0].score
  }

  /** All that is kept, the best first. */
  sorted(): Match[] {
    return this.#heap.toSorted(compare)
  }

  #begin(): void {
    const heap = this.#heap
    for (let root = (heap.length >>> 1) - 1; root >= 0; root--) sink(heap, root)
    this.least = heap[0]?.score ?? 0
  }
}

function sink(heap: Match[], from: number): void {
  for (let place = from; ; ) {
    let worst = place
    for (let child = place * 2 + 1; child <= place * 2 + 2 && child < heap.length; child++) {
      if (compare(heap[child] as Match, heap[worst] as Match) > 0) worst = child
    }
    if (worst === place) return
    const moved = heap[place] as Match
    heap[place] = heap[worst] as Match
    heap[worst] = moved
    place = worst
  }
}

/** The better one first; equals by their keys, by code point. */
function compare(a: Match, b: Match): number {
  return b.score - a.score || Buffer.compare(a.held.segment.keyBytes(a.document), b.held.segment.keyBytes(b.document))
}
