import { Composer } from './composer.ts'
import { PostingReader } from './postings.ts'
import { AS_STEM, FIELDS, type Segment } from './segment.ts'
import { VarintReader } from './varints.ts'

/** A segment that goes into another, but for the documents that are gone (1). */
export interface Part {
  readonly segment: Segment
  readonly gone: Uint8Array
}

/** One segment of several: the documents that are there in their order, segment after segment. */
export function mergeSegments(parts: readonly Part[]): Segment {
  const sources: Source[] = []
  let next = 0
  for (const { segment, gone } of parts) {
    const source = new Source(segment, gone, next)
    next = source.end
    sources.push(source)
  }
  const composer = new Composer()
  /** In how many of the segments each stem is. */
  const spread: number[] = []
  for (const { word, holders } of words(sources, (source) => source.segment.stems)) {
    for (const { source, index } of holders) source.stemPostings(index, composer)
    const number = composer.endStem(word)
    if (number === undefined) continue
    spread[number] = holders.length
    for (const { source, index } of holders) source.stemNumbers[index] = number
  }
  for (const { word, holders } of words(sources, (source) => source.segment.forms)) mergeForm(composer, spread, word, holders)
  return composer.finish(
    sources.flatMap((source) => source.facts()),
    sources.flatMap((source) => source.lengths()),
  )
}

/** The position of a word in one of the segments. */
interface Holder {
  readonly source: Source
  readonly index: number
}

/** The words of all segments in order, each with where it is. */
function* words(
  sources: readonly Source[],
  listOf: (source: Source) => Segment['stems'],
): Generator<{ word: Uint8Array; holders: Holder[] }> {
  const heads = sources.map((source) => new Cursor(source, listOf(source))).filter(({ word }) => word !== undefined)
  for (;;) {
    let least: Uint8Array | undefined
    let foremost: Cursor[] = []
    for (const head of heads) {
      const { word } = head
      if (word === undefined) continue
      const order = least === undefined ? -1 : Buffer.compare(word, least)
      if (order > 0) continue
      if (order < 0) foremost = []
      least = word
      foremost.push(head)
    }
    if (least === undefined) return
    yield { word: least, holders: foremost.map(({ source, index }) => ({ source, index })) }
    for (const head of foremost) head.advance()
  }
}

/** Goes over the words of one segment. */
class Cursor {
  readonly source: Source
  readonly #list: Segment['stems']
  index = 0
  /** The word it is at; undefined at the end. */
  word: Uint8Array | undefined

  constructor(source: Source, list: Segment['stems']) {
    this.source = source
    this.#list = list
    this.word = list.length > 0 ? bytesAt(list, 0) : undefined
  }

  advance(): void {
    this.index++
    this.word = this.index < this.#list.length ? bytesAt(this.#list, this.index) : undefined
  }
}

function bytesAt({ bytes, ends }: Segment['stems'], index: number): Uint8Array {
  return bytes.subarray(index === 0 ? 0 : (ends[index - 1] ?? 0), ends[index])
}

/**
 * A form's documents are its stem's where they are so in each segment that has the stem; few forms' documents need to be gone
 * over, then.
 */
function mergeForm(composer: Composer, spread: readonly number[], form: Uint8Array, holders: readonly Holder[]): void {
  const [first] = holders
  const stem = first?.source.stemNumbers[first.source.segment.formStems[first.index] ?? 0]
  if (stem === undefined || stem === NOWHERE) return
  const isAll = holders.every(({ source, index }) => source.segment.formStarts[index] === AS_STEM)
  const isAsStem = isAll && holders.length === spread[stem]
  const documents = isAsStem ? undefined : holders.flatMap(({ source, index }) => source.formDocuments(index))
  if (documents?.length !== 0) composer.form(form, stem, documents)
}

const NOWHERE = 0xffffffff

/** A segment on its way into another. */
class Source {
  readonly segment: Segment
  /** The number in the new segment of the first document that is not of this one. */
  readonly end: number
  /** The number of each stem in the new segment. */
  readonly stemNumbers: Uint32Array
  readonly #numbers: Int32Array
  readonly #postings: PostingReader
  readonly #positions: VarintReader
  readonly #formPostings: VarintReader

  constructor(segment: Segment, gone: Uint8Array, start: number) {
    this.segment = segment
    this.stemNumbers = new Uint32Array(segment.stems.length).fill(NOWHERE)
    this.#numbers = new Int32Array(segment.size).fill(-1)
    let next = start
    for (let document = 0; document < segment.size; document++) if (gone[document] !== 1) this.#numbers[document] = next++
    this.end = next
    this.#postings = new PostingReader(segment.postings)
    this.#positions = new VarintReader(segment.positions)
    this.#formPostings = new VarintReader(segment.formPostings)
  }

  facts() {
    return this.#there().map((document) => this.segment.factsOf(document))
  }

  lengths(): number[] {
    const { lengths } = this.segment
    return this.#there().flatMap((document) => [...lengths.subarray(document * FIELDS, (document + 1) * FIELDS)])
  }

  #there(): number[] {
    return [...this.#numbers.keys()].filter((document) => (this.#numbers[document] ?? -1) >= 0)
  }

  stemPostings(stem: number, composer: Composer): void {
    const { segment } = this
    const postings = this.#postings
    const positions = this.#positions
    postings.from(segment.postingStarts[stem] ?? 0, segment.postingStarts[stem + 1] ?? 0)
    positions.from(segment.positionStarts[stem] ?? 0, segment.positionStarts[stem + 1] ?? 0)
    while (postings.next()) {
      const number = this.#numbers[postings.document] ?? -1
      const start = positions.at
      positions.skip(postings.count)
      if (number < 0) continue
      composer.posting(number, postings)
      composer.placesAsWritten(segment.positions.subarray(start, positions.at))
    }
  }

  /** The documents of a form, as they are numbered in the new segment. */
  formDocuments(form: number): number[] {
    const start = this.segment.formStarts[form] ?? AS_STEM
    const old = start === AS_STEM ? this.#stemDocuments(form) : this.#listed(start, this.segment.formEnds[form] ?? start)
    return old.map((document) => this.#numbers[document] ?? -1).filter((document) => document >= 0)
  }

  #stemDocuments(form: number): number[] {
    const stem = this.segment.formStems[form] ?? 0
    this.#postings.from(this.segment.postingStarts[stem] ?? 0, this.segment.postingStarts[stem + 1] ?? 0)
    const documents: number[] = []
    while (this.#postings.next()) documents.push(this.#postings.document)
    return documents
  }

  #listed(start: number, end: number): number[] {
    const documents: number[] = []
    this.#formPostings.from(start, end)
    for (let document = -1; !this.#formPostings.isOver; ) {
      document += this.#formPostings.read()
      documents.push(document)
    }
    return documents
  }
}
