import { type Counts, writePosting } from './postings.ts'
import { AS_STEM, type Facts, Segment } from './segment.ts'
import { VarintWriter } from './varints.ts'

/** The most bytes of a UTF-16 unit in UTF-8. */
const MOST_BYTES = 3

/** Words one after another, and where each ends. */
class Words {
  readonly ends: number[] = []
  #bytes = Buffer.allocUnsafe(4096)
  #length = 0

  /** One more word, as text or in UTF-8. */
  add(word: string | Uint8Array): void {
    this.#makeRoom(typeof word === 'string' ? word.length * MOST_BYTES : word.length)
    if (typeof word === 'string') {
      this.#length += this.#bytes.write(word, this.#length)
    } else {
      this.#bytes.set(word, this.#length)
      this.#length += word.length
    }
    this.ends.push(this.#length)
  }

  #makeRoom(length: number): void {
    if (this.#length + length <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + length))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** Takes what a segment is to hold, each part in its order, and makes the segment. */
export class Composer {
  readonly #stems = new Words()
  readonly #forms = new Words()
  readonly #postings = new VarintWriter()
  readonly #positions = new VarintWriter()
  readonly #formPostings = new VarintWriter()
  readonly #postingStarts: number[] = [0]
  readonly #positionStarts: number[] = [0]
  readonly #formStems: number[] = []
  readonly #formStarts: number[] = []
  readonly #formEnds: number[] = []
  #lastDocument = -1
  #lastPlace = 0

  /** One more posting of the stem that `endStem` will name, documents in order; its places come after it. */
  posting(document: number, counts: Counts): void {
    writePosting(this.#postings, document - this.#lastDocument, counts)
    this.#lastDocument = document
    this.#lastPlace = 0
  }

  /** One more place of the stem in the document of the last posting, ascending. */
  place(place: number): void {
    this.#positions.write(place - this.#lastPlace)
    this.#lastPlace = place
  }

  /** All places of the last posting, as another segment has them. */
  placesAsWritten(bytes: Uint8Array): void {
    this.#positions.copy(bytes)
  }

  /** Names the stem of the postings since the last one; its number, or undefined where there were none. */
  endStem(stem: string | Uint8Array): number | undefined {
    if (this.#lastDocument < 0) return undefined
    this.#lastDocument = -1
    this.#stems.add(stem)
    this.#postingStarts.push(this.#postings.length)
    this.#positionStarts.push(this.#positions.length)
    return this.#postingStarts.length - 2
  }

  /** One more form, with the documents that have it in order; undefined where they are those of its stem. */
  form(form: string | Uint8Array, stem: number, documents: readonly number[] | undefined): void {
    this.#forms.add(form)
    this.#formStems.push(stem)
    this.#formStarts.push(documents ? this.#formPostings.length : AS_STEM)
    let last = -1
    for (const document of documents ?? []) {
      this.#formPostings.write(document - last)
      last = document
    }
    this.#formEnds.push(this.#formPostings.length)
  }

  /** The segment of these documents. */
  finish(facts: readonly Facts[], lengths: readonly number[]): Segment {
    const names = [...new Set(facts.flatMap(({ kind, status }) => [kind, status]))]
    const number = new Map(names.map((name, n) => [name, n]))
    const keys = new Words()
    for (const { key } of facts) keys.add(key)
    const [stemBytes, formBytes] = [this.#stems.bytes(), this.#forms.bytes()]
    const segment = Segment.allocate({
      documents: facts.length,
      keys: keys.bytes().length,
      stems: this.#stems.ends.length,
      stemBytes: stemBytes.length,
      forms: this.#forms.ends.length,
      formBytes: formBytes.length,
      postings: this.#postings.length,
      positions: this.#positions.length,
      formPostings: this.#formPostings.length,
      names,
    })
    segment.keys.set(keys.bytes())
    segment.keyEnds.set(keys.ends)
    segment.lengths.set(lengths)
    segment.stems.bytes.set(stemBytes)
    segment.stems.ends.set(this.#stems.ends)
    segment.postingStarts.set(this.#postingStarts)
    segment.positionStarts.set(this.#positionStarts)
    segment.postings.set(this.#postings.bytes())
    segment.positions.set(this.#positions.bytes())
    segment.forms.bytes.set(formBytes)
    segment.forms.ends.set(this.#forms.ends)
    segment.formStems.set(this.#formStems)
    segment.formStarts.set(this.#formStarts)
    segment.formEnds.set(this.#formEnds)
    segment.formPostings.set(this.#formPostings.bytes())
    for (const [document, { kind, status, begins, ends, version }] of facts.entries()) {
      segment.kinds[document] = number.get(kind) ?? 0
      segment.statuses[document] = number.get(status) ?? 0
      segment.begins[document] = begins
      segment.ends[document] = ends
      segment.versions.set(Buffer.from(version, 'hex'), document * 20)
    }
    return segment
  }
}
