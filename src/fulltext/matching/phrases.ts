import { termOf, type Word } from '../words.ts'
import type { HeldSegment } from './segment-set.ts'

/** The positions of one term in some documents. */
interface Track {
  /** For each document the number of its first place, and one more at the end. */
  readonly starts: readonly number[]
  readonly places: readonly number[]
}

/** A word of a phrase: where it is, and how far it is behind the first word. */
interface Step {
  readonly track: Track
  readonly offset: number
}

/** The visible documents of a segment that have the words of a phrase one after another. */
export function documentsWith(phrase: readonly Word[], held: HeldSegment, seen: Uint8Array): number[] {
  const { stems } = held.segment
  const terms = phrase.map(termOf)
  const numbers = new Map([...new Set(terms)].map((term) => [term, stems.find(term)]))
  if ([...numbers.values()].includes(-1)) return []
  const { documents, has } = documentsOf(held, [...numbers.values()], seen)
  if (documents.length === 0) return []
  // One term may come many times, as in runs of one character.
  const tracks = new Map([...numbers].map(([term, number]) => [term, trackOf(held, number, has)]))
  const steps = terms.flatMap((term, offset) => {
    const track = tracks.get(term)
    return track ? [{ track, offset }] : []
  })
  // From the rarest word on, the work is in proportion to how often that one is there.
  steps.sort((a, b) => a.track.places.length - b.track.places.length)
  return documents.filter((_, n) => isMet(steps, n))
}

/** The visible documents that have all of some terms, in order, and a flag for each. */
function documentsOf({ segment, postings }: HeldSegment, terms: readonly number[], seen: Uint8Array) {
  const { postingStarts } = segment
  const bytesOf = (term: number) => (postingStarts[term + 1] ?? 0) - (postingStarts[term] ?? 0)
  const rarestFirst = terms.toSorted((a, b) => bytesOf(a) - bytesOf(b))
  const has = new Uint8Array(segment.size)
  let documents: number[] = []
  for (const [nth, term] of rarestFirst.entries()) {
    documents = []
    postings.from(postingStarts[term] ?? 0, postingStarts[term + 1] ?? 0)
    while (postings.next()) {
      const { document } = postings
      if (has[document] !== nth || seen[document] !== 1) continue
      has[document] = nth + 1
      documents.push(document)
    }
    if (documents.length === 0) break
  }
  for (let document = 0; document < has.length; document++) has[document] = has[document] === terms.length ? 1 : 0
  return { documents, has }
}

function trackOf({ segment, postings, positions }: HeldSegment, term: number, has: Uint8Array): Track {
  const starts: number[] = []
  const places: number[] = []
  postings.from(segment.postingStarts[term] ?? 0, segment.postingStarts[term + 1] ?? 0)
  positions.from(segment.positionStarts[term] ?? 0, segment.positionStarts[term + 1] ?? 0)
  while (postings.next()) {
    if (has[postings.document] !== 1) {
      positions.skip(postings.count)
      continue
    }
    starts.push(places.length)
    for (let place = 0, left = postings.count; left > 0; left--) {
      place += positions.read()
      places.push(place)
    }
  }
  starts.push(places.length)
  return { starts, places }
}

/** Returns whether, for some place of the first step in the nth document, each other word is as far from it as in the phrase. */
function isMet([first, ...others]: readonly Step[], n: number): boolean {
  if (!first) return false
  const { starts, places } = first.track
  for (let i = starts[n] ?? 0; i < (starts[n + 1] ?? 0); i++) {
    const begin = (places[i] ?? 0) - first.offset
    if (others.every(({ track, offset }) => hasPlace(track, n, begin + offset))) return true
  }
  return false
}

function hasPlace({ starts, places }: Track, n: number, place: number): boolean {
  const end = starts[n + 1] ?? 0
  let low = starts[n] ?? 0
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((places[middle] ?? 0) < place) low = middle + 1
    else high = middle
  }
  return low < end && places[low] === place
}
