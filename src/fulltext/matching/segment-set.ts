import type { Part } from '../segments/merge.ts'
import { PostingReader } from '../segments/postings.ts'
import type { Facts, Segment } from '../segments/segment.ts'
import { VarintReader } from '../segments/varints.ts'

/** Tells of a kind and a status whether such documents are there for everyone between two times. */
export type IsLive = (kind: string, status: string) => boolean

/** A segment in use: which of its documents were replaced or removed since, and what it is read with. */
export class HeldSegment {
  readonly segment: Segment
  /** 1 for a document that is gone. */
  readonly gone: Uint8Array
  /** The number of each document among all. */
  readonly ordinals: Int32Array
  /** 1 where documents of this kind and status are there for everyone between two times. */
  readonly live: Uint8Array
  readonly postings: PostingReader
  readonly positions: VarintReader
  readonly formPostings: VarintReader
  #left: number

  constructor(segment: Segment, isLive: IsLive) {
    this.segment = segment
    this.gone = new Uint8Array(segment.size)
    this.ordinals = new Int32Array(segment.size)
    this.live = liveness(segment, isLive)
    this.postings = new PostingReader(segment.postings)
    this.positions = new VarintReader(segment.positions)
    this.formPostings = new VarintReader(segment.formPostings)
    this.#left = segment.size
  }

  /** Number of its documents that still exist. */
  get left(): number {
    return this.#left
  }

  drop(document: number): void {
    if (this.gone[document] === 1) return
    this.gone[document] = 1
    this.#left--
  }
}

function liveness(segment: Segment, isLive: IsLive): Uint8Array {
  const live = new Uint8Array(segment.size)
  const known = new Map<number, number>()
  for (let document = 0; document < segment.size; document++) {
    const name = (segment.kinds[document] ?? 0) * 65_536 + (segment.statuses[document] ?? 0)
    const found = known.get(name) ?? (isLive(segment.kindOf(document), segment.statusOf(document)) ? 1 : 0)
    known.set(name, found)
    live[document] = found
  }
  return live
}

/** The place of a document. */
export interface Place {
  readonly held: HeldSegment
  readonly document: number
}

/** The segments in use, and where each document is in them. */
export class SegmentSet {
  readonly #isLive: IsLive
  readonly #ordinals = new Map<string, number>()
  #all: readonly HeldSegment[] = []
  /** The segment of each document by ordinal; undefined where the document is gone. */
  readonly #held: (HeldSegment | undefined)[] = []
  readonly #document: number[] = []
  /** Ordinals of documents that are gone, to be used again. */
  readonly #free: number[] = []
  /** Grows with every change. */
  revision = 0

  constructor(isLive: IsLive) {
    this.#isLive = isLive
  }

  get all(): readonly HeldSegment[] {
    return this.#all
  }

  /** Number of documents. */
  get size(): number {
    return this.#all.reduce((sum, { left }) => sum + left, 0)
  }

  place(key: string): Place | undefined {
    const ordinal = this.#ordinals.get(key)
    return ordinal === undefined ? undefined : this.#at(ordinal)
  }

  factsOf(key: string): Facts | undefined {
    const place = this.place(key)
    return place?.held.segment.factsOf(place.document)
  }

  keys(): IterableIterator<string> {
    return this.#ordinals.keys()
  }

  /** Adds a segment: its documents replace those of the same keys. `gone` are those that no longer exist. */
  add(segment: Segment, gone?: Uint8Array): HeldSegment {
    const held = new HeldSegment(segment, this.#isLive)
    for (let document = 0; document < segment.size; document++) {
      if (gone?.[document] === 1) held.drop(document)
      else this.#put(this.#ordinalOf(segment.keyOf(document)), held, document)
    }
    this.#set([...this.#all, held])
    return held
  }

  remove(key: string): void {
    const ordinal = this.#ordinals.get(key)
    if (ordinal === undefined) return
    const place = this.#at(ordinal)
    place?.held.drop(place.document)
    this.#held[ordinal] = undefined
    this.#ordinals.delete(key)
    this.#free.push(ordinal)
    this.#set(this.#all)
  }

  /** Returns the input for a merge of these segments: a snapshot of them. */
  parts(segments: readonly HeldSegment[]): Part[] {
    return segments.map(({ segment, gone }) => ({ segment, gone: gone.slice() }))
  }

  /** Puts what was merged of these segments in their place; what became of its documents meanwhile is known. */
  replace(segments: readonly HeldSegment[], parts: readonly Part[], merged: Segment): void {
    const made = new HeldSegment(merged, this.#isLive)
    let next = 0
    for (const [n, held] of segments.entries()) {
      const gone = parts[n]?.gone ?? held.gone
      for (let document = 0; document < held.segment.size; document++) {
        if (gone[document] === 1) continue
        if (held.gone[document] === 1) made.drop(next)
        else this.#move(held.ordinals[document] ?? 0, made, next)
        next++
      }
    }
    this.#set([...this.#all.filter((one) => !segments.includes(one)), made])
  }

  #set(all: readonly HeldSegment[]): void {
    this.#all = all.filter(({ left }) => left > 0)
    this.revision++
  }

  #ordinalOf(key: string): number {
    const known = this.#ordinals.get(key)
    if (known !== undefined) return known
    const ordinal = this.#free.pop() ?? this.#held.length
    this.#held[ordinal] = undefined
    this.#ordinals.set(key, ordinal)
    return ordinal
  }

  #put(ordinal: number, held: HeldSegment, document: number): void {
    const before = this.#at(ordinal)
    if (before) before.held.drop(before.document)
    this.#move(ordinal, held, document)
  }

  #move(ordinal: number, held: HeldSegment, document: number): void {
    held.ordinals[document] = ordinal
    this.#held[ordinal] = held
    this.#document[ordinal] = document
  }

  #at(ordinal: number): Place | undefined {
    const held = this.#held[ordinal]
    return held && { held, document: this.#document[ordinal] ?? 0 }
  }
}
