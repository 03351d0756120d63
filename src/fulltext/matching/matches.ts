import type { HeldSegment } from './segment-set.ts'

/** Documents that meet a query, by number, in arrays: there may be a hundred thousand. They are added segment by segment. */
export class Matches {
  /** The place of each one's segment among the segments, its number there, and its score. */
  readonly nths: Uint16Array
  readonly documents: Uint32Array
  readonly scores: Float64Array
  #length = 0

  /** Room for so many. */
  constructor(most: number) {
    this.nths = new Uint16Array(most)
    this.documents = new Uint32Array(most)
    this.scores = new Float64Array(most)
  }

  get length(): number {
    return this.#length
  }

  add(nth: number, document: number, score: number): void {
    this.nths[this.#length] = nth
    this.documents[this.#length] = document
    this.scores[this.#length++] = score
  }

  /** Those that pass a test. */
  filter(passes: (nth: number, document: number) => boolean): Matches {
    const passing = new Matches(this.#length)
    for (let n = 0; n < this.#length; n++) {
      const [nth = 0, document = 0] = [this.nths[n], this.documents[n]]
      if (passes(nth, document)) passing.add(nth, document, this.scores[n] ?? 0)
    }
    return passing
  }
}

/** Counts the matches of each kind. They lie together by their segments. */
export function kindsOf(matches: Matches, all: readonly HeldSegment[]): Map<string, number> {
  const kinds = new Map<string, number>()
  const { nths, documents, length } = matches
  for (let n = 0; n < length; ) {
    const nth = nths[n] ?? 0
    const segment = all[nth]?.segment
    if (!segment) break
    const counts = new Uint32Array(segment.sizes.names.length)
    for (; n < length && nths[n] === nth; n++) {
      const kind = segment.kinds[documents[n] ?? 0] ?? 0
      counts[kind] = (counts[kind] ?? 0) + 1
    }
    for (const [kind, count] of counts.entries()) {
      const name = segment.sizes.names[kind]
      if (count > 0 && name !== undefined) kinds.set(name, (kinds.get(name) ?? 0) + count)
    }
  }
  return kinds
}
