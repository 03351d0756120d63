import type { Matches } from './matches.ts'
import type { HeldSegment } from './segment-set.ts'

/** So many times fewer than all are picked out rather than sorted with the rest. */
const FEW = 8

/**
 * Of matches, the places of those from `offset` on, at most `limit`, the best first; equally good ones in the order of their
 * keys.
 */
export function ranked(matches: Matches, segments: readonly HeldSegment[], offset: number, limit: number | undefined): number[] {
  const end = limit === undefined ? matches.length : offset + limit
  if (offset >= matches.length || end <= offset) return []
  const { scores } = matches
  const compare = (a: number, b: number) => (scores[b] ?? 0) - (scores[a] ?? 0) || compareKeys(matches, segments, a, b)
  const best = end * FEW < matches.length ? bestOf(matches, end, compare) : Array.from({ length: matches.length }, (_, n) => n)
  return best.sort(compare).slice(offset, end)
}

type Compare = (a: number, b: number) => number

/** The `count` best matches, by a heap whose top is the worst of them. */
function bestOf({ scores, length }: Matches, count: number, compare: Compare): number[] {
  const heap = Array.from({ length: count }, (_, n) => n)
  for (let root = (count >>> 1) - 1; root >= 0; root--) sink(heap, root, compare)
  for (let n = count; n < length; n++) {
    const worst = heap[0] ?? 0
    if ((scores[n] ?? 0) < (scores[worst] ?? 0) || compare(n, worst) >= 0) continue
    heap[0] = n
    sink(heap, 0, compare)
  }
  return heap
}

function sink(heap: number[], from: number, compare: Compare): void {
  for (let place = from; ; ) {
    let worst = place
    for (let child = place * 2 + 1; child <= place * 2 + 2 && child < heap.length; child++) {
      if (compare(heap[child] ?? 0, heap[worst] ?? 0) > 0) worst = child
    }
    if (worst === place) return
    const moved = heap[place] ?? 0
    heap[place] = heap[worst] ?? 0
    heap[worst] = moved
    place = worst
  }
}

/** The order of two matches by their keys, by code point. */
function compareKeys({ nths, documents }: Matches, segments: readonly HeldSegment[], a: number, b: number): number {
  const [one, other] = [segments[nths[a] ?? 0]?.segment, segments[nths[b] ?? 0]?.segment]
  return one && other ? Buffer.compare(one.keyBytes(documents[a] ?? 0), other.keyBytes(documents[b] ?? 0)) : 0
}
