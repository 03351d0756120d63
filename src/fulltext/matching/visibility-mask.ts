import type { HeldSegment } from './segment-set.ts'

/** The documents that exist for a reader at a time. Nothing else affects the documents that are found, counted or scored. */
export interface VisibilityMask {
  /** Tells it from every other there was. */
  readonly number: number
  /** 1 for each document of a segment that is there. */
  readonly seen: ReadonlyMap<HeldSegment, Uint8Array>
  readonly count: number
  /** Average number of words that a document has in each field. */
  readonly averages: readonly number[]
  /** The time at which the clock next changes any of it, in milliseconds since 1970. */
  readonly until: number
}
