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
  const stems = new Map<string, number>()
  for (const { word, holders } of words(sources, (source) => source.segment.stems)) {
    for (const { source, index } of holders) source.stemPostings(index, composer)
    const number = composer.endStem(word)
    if (number === undefined) continue
    stems.set(Buffer.from(word).toString(), number)
    for (const { source, index } of holders) source.stemNumbers[index] = number
  }
  for (const { word, holders } of words(sources, (source) => source.segment.forms)) mergeForm(composer, sources, word, holders)
  return composer.finish(
    sources.flatMap((source) => source.facts()),
    sources.flatMap((source) => source.lengths()),
  )
}

/** Where a word is in one of the segments. */
interface Holder {
  readonly source: Source
  readonly index: number
}

/** The words of all segments in order, each with where it is. */
function* words(
  sources: readonly Source[],
  listOf: (source: Source) => Segment['stems'],
): Generator<{ word: Uint8Array; holders: Holder[] }> {
  const heads = sources.map((source) => ({ source, list: listOf(source), index: 0 })).filter(({ list }) => list.length > 0)
  for (;;) {
    let least: Uint8Array | undefined
    let holders: Holder[] = []
    for (const { source, list, index } of heads) {
      if (index >= list.length) continue
      const word = bytesAt(list, index)
      const order = least === undefined ? -1 : Buffer.compare(word, least)
      if (order > 0) continue
      if (order < 0) {
        least = word
        holders = []
      }
      holders.push({ source, index })
    }
    if (least === undefined) return
    yield { word: least, holders }
    for (const head of heads) if (holders.some((one) => one.source === head.source)) head.index++
  }
}

function bytesAt({ bytes, ends }: Segment['stems'], index: number): Uint8Array {
  return bytes.subarray(index === 0 ? 0 : (ends[index - 1] ?? 0), ends[index])
}

/** A form's documents are its stem's where they are so in each segment that has the stem. */
function mergeForm(composer: Composer, sources: readonly Source[], form: Uint8Array, holders: readonly Holder[]): void {
  const [first] = holders
  const stem = first?.source.stemNumbers[first.source.segment.formStems[first.index] ?? 0]
  const documents = holders.flatMap(({ source, index }) => source.formDocuments(index))
  if (stem === undefined || stem === NOWHERE || documents.length === 0) return
  const isAll = holders.every(({ source, index }) => source.segment.formStarts[index] === AS_STEM)
  const isEverywhere = isAll && sources.every((source) => !source.hasStem(stem) || holders.some((one) => one.source === source))
  composer.form(form, stem, isEverywhere ? undefined : documents)
}

const NOWHERE = 0xffffffff

/** A segment on its way into another. */
class Source {
  readonly segment: Segment
  /** The number in the new segment of the first document that is not of this one. */
  readonly end: number
  /** What each stem's number is in the new segment. */
  readonly stemNumbers: Uint32Array
  readonly #numbers: Int32Array
  readonly #postings: PostingReader
  readonly #positions: VarintReader
  readonly #formPostings: VarintReader
  #has: Set<number> | undefined

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

  hasStem(number: number): boolean {
    this.#has ??= new Set(this.stemNumbers)
    return this.#has.has(number)
  }

  stemPostings(stem: number, composer: Composer): void {
    const { segment } = this
    const postings = this.#postings
    const positions = this.#positions
    postings.from(segment.postingStarts[stem] ?? 0, segment.postingStarts[stem + 1] ?? 0)
    positions.from(segment.positionStarts[stem] ?? 0, segment.positionStarts[stem + 1] ?? 0)
    while (postings.next()) {
      const number = this.#numbers[postings.document] ?? -1
      const { title, tags, body, count } = postings
      if (number < 0) positions.skip(count)
      else composer.posting(number, [title, tags, body], places(positions, count))
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

function places(positions: VarintReader, count: number): number[] {
  const found: number[] = []
  for (let place = 0, left = count; left > 0; left--) {
    place += positions.read()
    found.push(place)
  }
  return found
}
