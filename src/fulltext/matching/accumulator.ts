import { FIELDS } from '../segments/segment.ts'
import type { HeldSegment } from './segment-set.ts'
import type { VisibilityMask } from './visibility-mask.ts'

/**
 * The postings of one stem in the visible documents, over all segments: read once, counted, then scored; reused for the next
 * stem.
 */
export class Accumulator {
  documents = new Int32Array(1024)
  /** FIELDS numbers a posting. */
  counts = new Uint32Array(FIELDS * 1024)
  /** In how many documents the stem is, one counted once for each field. */
  having = 0
  /** The first posting of each segment, and the one after the last. */
  readonly starts: number[] = []
  length = 0

  read(stem: string, segments: readonly HeldSegment[], visible: VisibilityMask['seen']): void {
    this.length = 0
    this.starts.length = 0
    this.having = 0
    for (const held of segments) {
      this.starts.push(this.length)
      const index = held.segment.stems.find(stem)
      const seen = visible.get(held)
      if (index >= 0 && seen) this.#readOne(held, index, seen)
    }
    this.starts.push(this.length)
  }

  #readOne({ segment, postings }: HeldSegment, stem: number, seen: Uint8Array): void {
    postings.from(segment.postingStarts[stem] ?? 0, segment.postingStarts[stem + 1] ?? 0)
    while (postings.next()) {
      if (seen[postings.document] !== 1) continue
      if (this.length === this.documents.length) this.#grow()
      const { title, tags, body } = postings
      this.documents[this.length] = postings.document
      this.counts[this.length * FIELDS] = title
      this.counts[this.length * FIELDS + 1] = tags
      this.counts[this.length * FIELDS + 2] = body
      this.having += (title > 0 ? 1 : 0) + (tags > 0 ? 1 : 0) + (body > 0 ? 1 : 0)
      this.length++
    }
  }

  #grow(): void {
    const documents = new Int32Array(this.length * 2)
    documents.set(this.documents)
    this.documents = documents
    const counts = new Uint32Array(this.length * 2 * FIELDS)
    counts.set(this.counts)
    this.counts = counts
  }
}
