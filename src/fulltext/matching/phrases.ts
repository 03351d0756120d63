import { cacheKey } from '#lib/cache-key.ts'
import type { Slices } from '#lib/concurrency/slices.ts'
import type { Clause } from '../clauses.ts'
import { termOf, type Word } from '../word.ts'
import type { HeldSegment } from './segment-set.ts'
import { TermCursor } from './term-cursor.ts'
import type { VisibilityMask } from './visibility-mask.ts'

/** Number of places that are read or looked for between two looks at the time. */
const BETWEEN_LOOKS = 8192
/** Places of a phrase's beginning that are followed together: most texts that have a phrase have it soon. */
const TOGETHER = 256

/** A term of a phrase, and how far behind the first word it is, once for each time that it comes. */
interface Term {
  readonly cursor: TermCursor
  readonly offsets: number[]
}

/**
 * Resolves with the visible documents that have the phrase of each clause, for one segment after another. Equal phrases are
 * looked for once.
 */
export async function phrasesIn(
  clauses: readonly Clause[],
  segments: readonly HeldSegment[],
  { seen }: VisibilityMask,
  slices: Slices,
): Promise<ReadonlyMap<Clause, readonly (readonly number[])[]>> {
  const found = new Map<Clause, readonly (readonly number[])[]>()
  const known = new Map<string, (readonly number[])[]>()
  for (const clause of clauses) {
    if (!('phrase' in clause)) continue
    const name = cacheKey(...clause.phrase.map(termOf))
    const documents = known.get(name) ?? []
    if (!known.has(name))
      for (const held of segments) documents.push(await documentsWith(clause.phrase, held, seen.get(held), slices))
    known.set(name, documents)
    found.set(clause, documents)
  }
  return found
}

/**
 * Resolves with the visible documents of a segment that have the words of a phrase one after another, in order. Places are read
 * in documents that have all of the words alone.
 */
async function documentsWith(
  phrase: readonly Word[],
  held: HeldSegment,
  seen: Uint8Array | undefined,
  slices: Slices,
): Promise<readonly number[]> {
  const terms = termsOf(phrase, held)
  const [rarest, ...others] = terms
  const found: number[] = []
  if (!rarest || !seen) return found
  const begins = new Begins()
  let work = 0
  while (rarest.cursor.next()) {
    work += 1 + others.length
    const { document } = rarest.cursor
    if (seen[document] === 1 && others.every(({ cursor }) => cursor.reach(document))) {
      for (const { cursor, offsets } of terms) work += cursor.read() * offsets.length
      if (begins.haveAll(terms)) found.push(document)
    } else if (others.some(({ cursor }) => cursor.isOver)) break
    if (work < BETWEEN_LOOKS) continue
    work = 0
    if (slices.isOver) await slices.pause()
  }
  return found
}

/** The terms of a phrase, the rarest first; none where one of them is in no document. */
function termsOf(phrase: readonly Word[], held: HeldSegment): Term[] {
  // One term may come many times, as in runs of one character.
  const terms = new Map<string, Term>()
  for (const [offset, word] of phrase.entries()) {
    const name = termOf(word)
    const known = terms.get(name)
    if (known) {
      known.offsets.push(offset)
      continue
    }
    const number = held.segment.stems.find(name)
    if (number < 0) return []
    terms.set(name, { cursor: new TermCursor(held.segment, number), offsets: [offset] })
  }
  return [...terms.values()].sort((a, b) => a.cursor.bytes - b.cursor.bytes)
}

/** The places at which a phrase may begin. */
class Begins {
  readonly #places = new Float64Array(TOGETHER)
  #length = 0

  /** Returns whether all words follow each other in the document whose places the terms' cursors have read. */
  haveAll(terms: readonly Term[]): boolean {
    const rarest = terms.reduce((least, term) => (term.cursor.length < least.cursor.length ? term : least))
    const first = rarest.offsets[0] ?? 0
    const { places, length } = rarest.cursor
    for (let from = 0; from < length; from += TOGETHER) {
      this.#length = 0
      for (let n = from; n < Math.min(from + TOGETHER, length); n++) this.#places[this.#length++] = (places[n] ?? 0) - first
      for (const { cursor, offsets } of terms) for (const offset of offsets) this.#keep(cursor, offset)
      if (this.#length > 0) return true
    }
    return false
  }

  /** Leaves those that a place of the term is so far behind. */
  #keep({ places, length }: TermCursor, offset: number): void {
    if (this.#length === 0) return
    let at = firstFrom(places, length, (this.#places[0] ?? 0) + offset)
    let kept = 0
    for (let n = 0; n < this.#length && at < length; n++) {
      const begin = this.#places[n] ?? 0
      while (at < length && (places[at] ?? 0) < begin + offset) at++
      if (at < length && places[at] === begin + offset) this.#places[kept++] = begin
    }
    this.#length = kept
  }
}

/** The first place that is not before another one. */
function firstFrom(places: Uint32Array, length: number, place: number): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((places[middle] ?? 0) < place) low = middle + 1
    else high = middle
  }
  return low
}
