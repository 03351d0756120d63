import { PostingReader } from '../segments/postings.ts'
import type { Segment } from '../segments/segment.ts'
import { VarintReader } from '../segments/varints.ts'

/** Goes over the documents that have a term, in order, and reads its places in those that are asked for alone. */
export class TermCursor {
  /** Size of its postings, which grows with the number of its documents. */
  readonly bytes: number
  /** Its places in the document that was last read, as many as `length`. */
  places = new Uint32Array(64)
  length = 0
  /** True once all documents have been gone over. */
  isOver = false
  readonly #postings: PostingReader
  readonly #positions: VarintReader
  /** Number of places before those of this document that were passed by without a look. */
  #passed = 0
  /** Number of places in this document that have yet to be read. */
  #here = 0

  constructor({ postings, postingStarts, positions, positionStarts }: Segment, term: number) {
    const [start = 0, end = 0] = [postingStarts[term], postingStarts[term + 1]]
    this.bytes = end - start
    this.#postings = new PostingReader(postings)
    this.#postings.from(start, end)
    this.#positions = new VarintReader(positions)
    this.#positions.from(positionStarts[term] ?? 0, positionStarts[term + 1] ?? 0)
  }

  get document(): number {
    return this.#postings.document
  }

  /** Goes to the next document; false where there is none. */
  next(): boolean {
    this.#passed += this.#here
    this.#here = 0
    this.isOver = !this.#postings.next()
    if (!this.isOver) this.#here = this.#postings.count
    return !this.isOver
  }

  /** Goes on to a document, or to the first one after it; returns whether it has the term. */
  reach(document: number): boolean {
    while (this.document < document && this.next());
    return !this.isOver && this.document === document
  }

  /** Reads the places in this document, once; returns how many there are. */
  read(): number {
    if (this.#here === 0) return this.length
    this.#positions.skip(this.#passed)
    this.length = this.#here
    this.#passed = 0
    this.#here = 0
    if (this.places.length < this.length) this.places = new Uint32Array(this.length * 2)
    const { places } = this
    for (let n = 0, place = 0; n < this.length; n++) {
      place += this.#positions.read()
      places[n] = place
    }
    return this.length
  }
}
