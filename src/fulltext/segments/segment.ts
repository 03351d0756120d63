import { WordList } from '../word-list.ts'

/** The fields of a document, in the order in which everything about them is kept. */
export const FIELDS = 3

/** The data kept for each document beside its words. */
export interface Facts {
  /** The text of its key. */
  readonly key: string
  readonly version: string
  readonly kind: string
  /** The stored one. */
  readonly status: string
  /**
   * The times from which it is public and until which it is, in milliseconds since 1970; -Infinity and Infinity if nothing limits
   * them.
   */
  readonly begins: number
  readonly ends: number
}

/** The sizes of a segment's parts, in entries; all else follows. */
export interface Sizes {
  readonly documents: number
  readonly keys: number
  readonly stems: number
  readonly stemBytes: number
  readonly forms: number
  readonly formBytes: number
  readonly postings: number
  readonly positions: number
  readonly formPostings: number
  /** The names that documents' kinds and statuses are numbers of. */
  readonly names: readonly string[]
}

/** A form whose documents are just those of its stem. */
export const AS_STEM = 0xffffffff

const VERSION_BYTES = 20
const HEADER_BYTES = 8

/**
 * Some documents and the words in them, in one piece of shared memory that never changes once it is filled: a thread reads it, a
 * file holds it as it is. Documents are numbered from 0; stems and forms are sorted by code point.
 *
 * - The postings of stem `s` are the varints from `postingStarts[s]` to `postingStarts[s + 1]`: for each document, in order, what
 *   `Postings` reads.
 * - Its positions lie in the same order: for each document the places of the stem, each as its distance from the one before.
 * - The postings of form `f` are the distances of the documents that have it, none where `formStarts[f]` is AS_STEM.
 */
export class Segment {
  readonly memory: SharedArrayBuffer
  readonly sizes: Sizes
  readonly keyEnds: Uint32Array
  readonly keys: Uint8Array
  readonly versions: Uint8Array
  readonly kinds: Uint16Array
  readonly statuses: Uint16Array
  readonly begins: Float64Array
  readonly ends: Float64Array
  /** Number of words that each document has in each field: FIELDS numbers a document. */
  readonly lengths: Uint32Array
  readonly stems: WordList
  readonly postingStarts: Uint32Array
  readonly postings: Uint8Array
  readonly positionStarts: Uint32Array
  readonly positions: Uint8Array
  readonly forms: WordList
  /** The stem of each form. */
  readonly formStems: Uint32Array
  readonly formStarts: Uint32Array
  readonly formEnds: Uint32Array
  readonly formPostings: Uint8Array

  /** A segment in memory that `allocate` gave, or that was read from a file; throws where it can't be one. */
  constructor(memory: SharedArrayBuffer) {
    this.memory = memory
    const [magic, headerLength = 0] = new Uint32Array(memory, 0, 2)
    if (magic !== MAGIC || headerLength > memory.byteLength) throw new Error('This is no segment.')
    const header = Buffer.from(new Uint8Array(memory, HEADER_BYTES, headerLength)).toString()
    const sizes = JSON.parse(header) as Sizes
    this.sizes = sizes
    const { documents, stems, forms } = sizes
    const deps = new Parts(memory, HEADER_BYTES + headerLength)
    this.begins = deps.doubles(documents)
    this.ends = deps.doubles(documents)
    this.lengths = deps.words(documents * FIELDS)
    this.keyEnds = deps.words(documents)
    const stemEnds = deps.words(stems)
    this.postingStarts = deps.words(stems + 1)
    this.positionStarts = deps.words(stems + 1)
    const formEnds = deps.words(forms)
    this.formStems = deps.words(forms)
    this.formStarts = deps.words(forms)
    this.formEnds = deps.words(forms)
    this.kinds = deps.halves(documents)
    this.statuses = deps.halves(documents)
    this.versions = deps.bytes(documents * VERSION_BYTES)
    this.keys = deps.bytes(sizes.keys)
    this.stems = new WordList(deps.bytes(sizes.stemBytes), stemEnds)
    this.forms = new WordList(deps.bytes(sizes.formBytes), formEnds)
    this.postings = deps.bytes(sizes.postings)
    this.positions = deps.bytes(sizes.positions)
    this.formPostings = deps.bytes(sizes.formPostings)
    if (deps.end !== memory.byteLength) throw new Error('This is no whole segment.')
  }

  /** A segment of these sizes, to be filled. */
  static allocate(sizes: Sizes): Segment {
    const header = Buffer.from(JSON.stringify(sizes))
    const { documents, stems, forms } = sizes
    const aligned = align(HEADER_BYTES + header.length)
    const numbers = documents * (16 + 4 * FIELDS + 4 + 4) + stems * 12 + 8 + forms * 16
    const bytes = documents * VERSION_BYTES + sizes.keys + sizes.stemBytes + sizes.formBytes
    const blobs = sizes.postings + sizes.positions + sizes.formPostings
    const memory = new SharedArrayBuffer(aligned + numbers + bytes + blobs)
    new Uint32Array(memory, 0, 2).set([MAGIC, header.length])
    new Uint8Array(memory, HEADER_BYTES).set(header)
    return new Segment(memory)
  }

  get size(): number {
    return this.sizes.documents
  }

  /** The text of a document's key. */
  keyOf(document: number): string {
    return Buffer.from(this.keyBytes(document)).toString()
  }

  /** The text of a document's key in UTF-8. */
  keyBytes(document: number): Uint8Array {
    return this.keys.subarray(document === 0 ? 0 : (this.keyEnds[document - 1] ?? 0), this.keyEnds[document])
  }

  versionOf(document: number): string {
    return Buffer.from(this.versions.subarray(document * VERSION_BYTES, (document + 1) * VERSION_BYTES)).toString('hex')
  }

  kindOf(document: number): string {
    return this.sizes.names[this.kinds[document] ?? 0] ?? ''
  }

  statusOf(document: number): string {
    return this.sizes.names[this.statuses[document] ?? 0] ?? ''
  }

  factsOf(document: number): Facts {
    return {
      key: this.keyOf(document),
      version: this.versionOf(document),
      kind: this.kindOf(document),
      status: this.statusOf(document),
      begins: this.begins[document] ?? Number.NEGATIVE_INFINITY,
      ends: this.ends[document] ?? Number.POSITIVE_INFINITY,
    }
  }
}

const MAGIC = 0x31736371

function align(length: number): number {
  return Math.ceil(length / 8) * 8
}

/** Cuts one piece of memory into its parts: the widest numbers first, so that each begins where it may. */
class Parts {
  readonly #memory: SharedArrayBuffer
  end: number

  constructor(memory: SharedArrayBuffer, start: number) {
    this.#memory = memory
    this.end = align(start)
  }

  doubles(length: number): Float64Array {
    return new Float64Array(this.#memory, this.#take(length * 8), length)
  }

  words(length: number): Uint32Array {
    return new Uint32Array(this.#memory, this.#take(length * 4), length)
  }

  halves(length: number): Uint16Array {
    return new Uint16Array(this.#memory, this.#take(length * 2), length)
  }

  bytes(length: number): Uint8Array {
    return new Uint8Array(this.#memory, this.#take(length), length)
  }

  #take(bytes: number): number {
    const start = this.end
    this.end += bytes
    return start
  }
}
