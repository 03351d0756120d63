import type { SearchQuery } from '#core/queries/search.ts'
import type { HeldSegment, Place } from '#fulltext/matching/segment-set.ts'
import type { VisibilityMask } from '#fulltext/matching/visibility-mask.ts'
import { FIELDS } from '#fulltext/segments/segment.ts'
import { Cache } from '#lib/cache.ts'

/** The existing documents, and the kinds that the reader may read. */
export interface Seeing {
  readonly segments: readonly HeldSegment[]
  readonly readable: SearchQuery['readable']
  /** The places of the reader's own documents: they are visible whatever the clock says. */
  readonly places: readonly Place[]
}

function maskOf({ segments, readable, places }: Seeing, now: number): Omit<VisibilityMask, 'number'> {
  const sums = Array.from({ length: FIELDS }, () => 0)
  const seen = new Map<HeldSegment, Uint8Array>()
  let count = 0
  let until = Number.POSITIVE_INFINITY
  for (const held of segments) {
    const of = seenOf(held, readable, now)
    for (const place of places) if (place.held === held) of.seen[place.document] = 1
    seen.set(held, of.seen)
    until = Math.min(until, of.until)
    const { lengths, size } = held.segment
    for (let document = 0; document < size; document++) {
      if (of.seen[document] !== 1) continue
      count++
      for (let field = 0; field < FIELDS; field++) sums[field] = (sums[field] ?? 0) + (lengths[document * FIELDS + field] ?? 0)
    }
  }
  return { seen, count, averages: sums.map((sum) => sum / Math.max(1, count)), until }
}

function seenOf(held: HeldSegment, readable: Seeing['readable'], now: number): { seen: Uint8Array; until: number } {
  const { segment, gone, live } = held
  const { begins, ends, kinds, size } = segment
  const kindsSeen = segment.sizes.names.map((name) => readable.get(name))
  const seen = new Uint8Array(size)
  let until = Number.POSITIVE_INFINITY
  for (let document = 0; document < size; document++) {
    const how = gone[document] === 1 ? undefined : kindsSeen[kinds[document] ?? 0]
    if (how === 'all') seen[document] = 1
    if (how === undefined || how === 'all' || live[document] !== 1) continue
    const begin = begins[document] ?? 0
    const end = ends[document] ?? 0
    if (begin > now) until = Math.min(until, begin)
    else if (end > now) seen[document] = 1
    if (end > now) until = Math.min(until, end)
  }
  return { seen, until }
}

/**
 * Number of masks that are cached, of one byte a document each. There are few sorts of readers, but users who write see documents
 * that nobody else does.
 */
const KEPT = 64

/** Keeps what readers saw of late, until something changes. */
export class VisibilityMasks {
  readonly #kept = new Cache<VisibilityMask>({ most: KEPT })
  #number = 0

  /** Returns the mask of a reader of these kinds now. `revision` is that of the segments when the places were looked up. */
  of(seeing: Seeing, now: number, revision: number): VisibilityMask {
    const key = [...seeing.readable].sort()
    const kept = this.#kept.get(key, revision, now)
    if (kept) return kept
    const mask = { ...maskOf(seeing, now), number: ++this.#number }
    this.#kept.set(key, mask, revision, { from: now, until: mask.until })
    return mask
  }
}

/** Returns the status of a document at a time, by the rules of `core/status.ts`. */
export function statusAt({ segment, live }: HeldSegment, document: number, now: number): string {
  const stored = segment.statusOf(document)
  if (live[document] !== 1) return stored
  if ((segment.ends[document] ?? 0) <= now) return 'expired'
  return (segment.begins[document] ?? 0) > now ? 'scheduled' : stored
}
