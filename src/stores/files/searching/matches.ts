/** Documents that meet a query, by number, in arrays: there may be a hundred thousand. */
export class Matches {
  /** The place of each one's segment among the holdings, its number there, and its score. */
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
