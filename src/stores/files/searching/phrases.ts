import type { Word } from '../../../core/search.ts'
import type { Holding } from './holdings.ts'

/** Where one stem is in some documents. */
interface Track {
  /** For each document the number of its first place, and one more at the end. */
  readonly starts: readonly number[]
  readonly places: readonly number[]
}

/** A word of a phrase: where its stem is, and how far it is behind the first word. */
interface Step {
  readonly track: Track
  readonly offset: number
}

/** The documents of a segment, of those in sight, that have the words of a phrase one after another. */
export function documentsWith(phrase: readonly Word[], holding: Holding, seen: Uint8Array): number[] {
  const numbers = new Map<string, number>()
  for (const { stem } of phrase) if (stem !== '' && !numbers.has(stem)) numbers.set(stem, holding.segment.stems.find(stem))
  if ([...numbers.values()].includes(-1)) return []
  const { documents, has } = documentsOf(holding, [...numbers.values()], seen)
  if (documents.length === 0) return []
  // One stem may come many times, as in runs of one character.
  const tracks = new Map([...numbers].map(([stem, number]) => [stem, trackOf(holding, number, has)]))
  const steps = phrase.flatMap(({ stem }, offset) => {
    const track = tracks.get(stem)
    return track ? [{ track, offset }] : []
  })
  return documents.filter((_, n) => isMet(steps, n))
}

/** The documents in sight that have all of some stems, in order, and a flag for each. */
function documentsOf({ segment, postings }: Holding, stems: readonly number[], seen: Uint8Array) {
  const has = new Uint8Array(segment.size)
  const documents: number[] = []
  for (const [nth, stem] of stems.entries()) {
    postings.from(segment.postingStarts[stem] ?? 0, segment.postingStarts[stem + 1] ?? 0)
    while (postings.next()) {
      const { document } = postings
      if (has[document] !== nth || seen[document] !== 1) continue
      has[document] = nth + 1
      if (nth + 1 === stems.length) documents.push(document)
    }
  }
  for (let document = 0; document < has.length; document++) has[document] = has[document] === stems.length ? 1 : 0
  return { documents, has }
}

function trackOf({ segment, postings, positions }: Holding, stem: number, has: Uint8Array): Track {
  const starts: number[] = []
  const places: number[] = []
  postings.from(segment.postingStarts[stem] ?? 0, segment.postingStarts[stem + 1] ?? 0)
  positions.from(segment.positionStarts[stem] ?? 0, segment.positionStarts[stem + 1] ?? 0)
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

/** Whether in the nth document some place of the first word has each other word as far from it as in the phrase. */
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
