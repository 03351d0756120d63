/** What a query has come to for each document of one segment. */
export class Tally {
  /** The documents that something was found in, each once. */
  readonly touched: number[] = []
  readonly scores: Float64Array
  /** A bit for each clause that was met and does not prohibit. */
  readonly met: Uint16Array
  /** 1 for a document that has what is prohibited. */
  readonly barred: Uint8Array
  readonly #isTouched: Uint8Array

  constructor(size: number) {
    this.scores = new Float64Array(size)
    this.met = new Uint16Array(size)
    this.barred = new Uint8Array(size)
    this.#isTouched = new Uint8Array(size)
  }

  touch(document: number): void {
    if (this.#isTouched[document] === 1) return
    this.#isTouched[document] = 1
    this.touched.push(document)
  }

  /** Makes it ready for the next query. */
  clear(): void {
    for (const document of this.touched) {
      this.scores[document] = 0
      this.met[document] = 0
      this.barred[document] = 0
      this.#isTouched[document] = 0
    }
    this.touched.length = 0
  }
}
