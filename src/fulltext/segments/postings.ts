import { VarintReader, type VarintWriter } from './varints.ts'

/** Number of times that a stem occurs in each field of a document. */
export interface Counts {
  readonly title: number
  readonly tags: number
  readonly body: number
}

/**
 * Writes one posting: the document's distance from the one before, doubled, plus 1 where the stem is in the body once and nowhere
 * else, as most are; else the count in the body times four, with a bit each for title and tags, and then their counts.
 */
export function writePosting(writer: VarintWriter, distance: number, { title, tags, body }: Counts): void {
  const isPlain = title === 0 && tags === 0 && body === 1
  writer.write(distance * 2 + (isPlain ? 1 : 0))
  if (isPlain) return
  writer.write(body * 4 + (tags > 0 ? 2 : 0) + (title > 0 ? 1 : 0))
  if (title > 0) writer.write(title)
  if (tags > 0) writer.write(tags)
}

/** Goes over the postings of one stem after another. */
export class PostingReader {
  readonly #reader: VarintReader
  document = -1
  title = 0
  tags = 0
  body = 0

  constructor(postings: Uint8Array) {
    this.#reader = new VarintReader(postings)
  }

  /** Reads the postings from `start` to `end`. */
  from(start: number, end: number): void {
    this.#reader.from(start, end)
    this.document = -1
  }

  /** Goes to the next posting; false where there is none. */
  next(): boolean {
    const reader = this.#reader
    if (reader.isOver) return false
    const first = reader.read()
    this.document += first >>> 1
    this.title = 0
    this.tags = 0
    this.body = 1
    if ((first & 1) === 1) return true
    const second = reader.read()
    this.body = second >>> 2
    if ((second & 1) === 1) this.title = reader.read()
    if ((second & 2) === 2) this.tags = reader.read()
    return true
  }

  /** Number of places of the stem in this document. */
  get count(): number {
    return this.title + this.tags + this.body
  }
}
