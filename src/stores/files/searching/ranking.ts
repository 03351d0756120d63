import type { Match } from './evaluation.ts'
import type { Holding } from './holdings.ts'

/** Of matches, those from `offset` on, at most `limit`, the best first; equally good ones in the order of their keys. */
export function ranked(matches: Match[], holdings: readonly Holding[], offset: number, limit: number | undefined): Match[] {
  const end = limit === undefined ? matches.length : offset + limit
  const compare = (a: Match, b: Match) => b.score - a.score || compareMatches(a, b, holdings)
  if (offset >= matches.length || end <= offset) return []
  const best = end * FEW < matches.length ? bestOf(matches, end, compare) : matches
  return best.sort(compare).slice(offset, end)
}

/** So many times fewer than all are picked out rather than sorted with the rest. */
const FEW = 8

/** The `count` best matches, by a heap whose top is the worst of them. */
function bestOf(matches: readonly Match[], count: number, compare: (a: Match, b: Match) => number): Match[] {
  const heap = matches.slice(0, count)
  for (let root = (count >>> 1) - 1; root >= 0; root--) sink(heap, root, compare)
  for (let n = count; n < matches.length; n++) {
    const [match, worst] = [matches[n], heap[0]]
    if (!match || !worst || match.score < worst.score || compare(match, worst) >= 0) continue
    heap[0] = match
    sink(heap, 0, compare)
  }
  return heap
}

function sink(heap: Match[], from: number, compare: (a: Match, b: Match) => number): void {
  for (let place = from; ; ) {
    let worst = place
    for (const child of [place * 2 + 1, place * 2 + 2]) {
      const [one, other] = [heap[child], heap[worst]]
      if (one && other && compare(one, other) > 0) worst = child
    }
    const [moved, up] = [heap[place], heap[worst]]
    if (worst === place || !moved || !up) return
    heap[place] = up
    heap[worst] = moved
    place = worst
  }
}

/** The order of two matches' keys, by code point. */
function compareMatches(a: Match, b: Match, holdings: readonly Holding[]): number {
  const [one, other] = [holdings[a.nth]?.segment, holdings[b.nth]?.segment]
  return one && other ? Buffer.compare(Buffer.from(one.keyOf(a.document)), Buffer.from(other.keyOf(b.document))) : 0
}
