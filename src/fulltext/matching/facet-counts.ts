import type { HeldSegment } from './segment-set.ts'
import type { Weights } from './weight-cache.ts'

/** The result of a query for each document of one segment. It says nothing about documents in which nothing was found. */
export class FacetCounts {
  readonly scores: Float64Array
  /** A bit for each clause that was met and does not prohibit. */
  readonly met: Uint16Array
  /** 1 for a document that has what is prohibited. */
  readonly barred: Uint8Array
  readonly #touched: Uint32Array
  readonly #isTouched: Uint8Array
  #count = 0

  constructor(size: number) {
    this.scores = new Float64Array(size)
    this.met = new Uint16Array(size)
    this.barred = new Uint8Array(size)
    this.#touched = new Uint32Array(size)
    this.#isTouched = new Uint8Array(size)
  }

  /** The documents that something was found in, each once. */
  get touched(): Uint32Array {
    return this.#touched.subarray(0, this.#count)
  }

  /** Adds to a document's score, and to the clauses that it meets. */
  add(document: number, score: number, clauses: number): void {
    if (this.#isTouched[document] === 0) this.#begin(document)
    this.scores[document] = (this.scores[document] ?? 0) + score
    this.met[document] = (this.met[document] ?? 0) | clauses
  }

  /** Adds `boost` times the weights from `from` up to `to` to the scores of their documents, as `add` does one by one. */
  addAll({ documents, weights }: Weights, from: number, to: number, boost: number, clauses: number): void {
    const { scores, met } = this
    const isTouched = this.#isTouched
    for (let n = from; n < to; n++) {
      const document = documents[n] as number
      if (isTouched[document] === 0) this.#begin(document)
      scores[document] = (scores[document] as number) + boost * (weights[n] as number)
      met[document] = (met[document] as number) | clauses
    }
  }

  /** Notes that a document has what is prohibited: one that nothing else was found in stays out of it. */
  bar(document: number): void {
    if (this.#isTouched[document] === 1) this.barred[document] = 1
  }

  /** Makes it ready for the next query. */
  clear(): void {
    for (let n = 0; n < this.#count; n++) this.#isTouched[this.#touched[n] ?? 0] = 0
    this.#count = 0
  }

  #begin(document: number): void {
    this.#isTouched[document] = 1
    this.#touched[this.#count++] = document
    this.scores[document] = 0
    this.met[document] = 0
    this.barred[document] = 0
  }
}

/** Keeps counts that no query is using, by their segment: a query that pauses keeps its own meanwhile. */
export class FreeCounts {
  readonly #free = new WeakMap<HeldSegment, FacetCounts[]>()

  take(segments: readonly HeldSegment[]): FacetCounts[] {
    return segments.map((held) => this.#free.get(held)?.pop() ?? new FacetCounts(held.segment.size))
  }

  /** Takes back the counts of these segments. */
  give(segments: readonly HeldSegment[], counts: readonly FacetCounts[]): void {
    for (const [nth, held] of segments.entries()) {
      const tally = counts[nth]
      tally?.clear()
      if (tally) this.#free.set(held, [tally])
    }
  }
}
