import type { Word } from '../../../core/search.ts'
import type { Holding } from './holdings.ts'

/** Where the places of a stem are looked up. */
interface Track {
  readonly documents: Int32Array
  /** For each document the number of its first place, and one more at the end. */
  readonly starts: Uint32Array
  readonly places: Uint32Array
  /** How far its word is behind the first of the phrase. */
  readonly offset: number
}

/** The documents of a segment, of those in sight, that have the words of a phrase one after another. */
export function documentsWith(phrase: readonly Word[], holding: Holding, seen: Uint8Array): number[] {
  const tracks: Track[] = []
  for (const [offset, { stem }] of phrase.entries()) {
    if (stem === '') continue
    const index = holding.segment.stems.find(stem)
    if (index < 0) return []
    tracks.push(trackOf(holding, index, offset))
  }
  const [first, ...others] = tracks.sort((a, b) => a.documents.length - b.documents.length)
  if (!first) return []
  const at = others.map(() => 0)
  const found: number[] = []
  for (const [n, document] of first.documents.entries()) {
    if (seen[document] !== 1) continue
    const where = others.map((track, i) => {
      let place = at[i] ?? 0
      while ((track.documents[place] ?? Number.POSITIVE_INFINITY) < document) place++
      at[i] = place
      return track.documents[place] === document ? place : -1
    })
    if (!where.includes(-1) && meet(first, n, others, where)) found.push(document)
  }
  return found
}

/** Whether some place of the one word has each other word as far from it as in the phrase. */
function meet(first: Track, n: number, others: readonly Track[], where: readonly number[]): boolean {
  const end = first.starts[n + 1] ?? 0
  for (let i = first.starts[n] ?? 0; i < end; i++) {
    const begin = (first.places[i] ?? 0) - first.offset
    if (others.every((track, k) => hasPlace(track, where[k] ?? 0, begin + track.offset))) return true
  }
  return false
}

function hasPlace({ starts, places }: Track, n: number, place: number): boolean {
  let low = starts[n] ?? 0
  let high = starts[n + 1] ?? 0
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((places[middle] ?? 0) < place) low = middle + 1
    else high = middle
  }
  return low < (starts[n + 1] ?? 0) && places[low] === place
}

function trackOf({ segment, postings, positions }: Holding, stem: number, offset: number): Track {
  const documents: number[] = []
  const starts: number[] = []
  const places: number[] = []
  postings.from(segment.postingStarts[stem] ?? 0, segment.postingStarts[stem + 1] ?? 0)
  positions.from(segment.positionStarts[stem] ?? 0, segment.positionStarts[stem + 1] ?? 0)
  while (postings.next()) {
    documents.push(postings.document)
    starts.push(places.length)
    for (let place = 0, left = postings.count; left > 0; left--) {
      place += positions.read()
      places.push(place)
    }
  }
  starts.push(places.length)
  return { documents: Int32Array.from(documents), starts: Uint32Array.from(starts), places: Uint32Array.from(places), offset }
}
