import { Cache } from '#lib/cache.ts'
import { BOOSTS, inverseFrequency, weightOf } from '../segments/scoring.ts'
import { FIELDS } from '../segments/segment.ts'
import { Accumulator } from './accumulator.ts'
import type { HeldSegment } from './segment-set.ts'
import type { VisibilityMask } from './visibility-mask.ts'

/** The weights of one stem in each visible document that has it, segment by segment. */
export interface Weights {
  readonly documents: Uint32Array
  readonly weights: Float64Array
  /** The positions at which the documents of each segment begin, and one more at the end. */
  readonly starts: readonly number[]
}

/** Number of bytes of weights that are kept. */
const KEPT_BYTES = 24 * 1024 * 1024

/** Computes the weights of stems, and caches them as long as the visible documents stay: common words are often searched for. */
export class TermWeights {
  readonly #accumulator = new Accumulator()
  readonly #kept = new Cache<Weights>({ bytes: KEPT_BYTES, sizeOf: ({ documents }) => documents.length * 12 })

  of(stem: string, segments: readonly HeldSegment[], mask: VisibilityMask): Weights {
    const kept = this.#kept.get([mask.number, stem])
    if (kept) return kept
    const made = this.#make(stem, segments, mask)
    this.#kept.set([mask.number, stem], made)
    return made
  }

  #make(stem: string, segments: readonly HeldSegment[], { count, averages, seen }: VisibilityMask): Weights {
    const accumulator = this.#accumulator
    accumulator.read(stem, segments, seen)
    const { counts, having, length } = accumulator
    const documents = new Uint32Array(accumulator.documents.subarray(0, length))
    const weights = new Float64Array(length)
    const inverse = inverseFrequency(count, having)
    for (const [nth, { segment }] of segments.entries()) {
      const end = accumulator.starts[nth + 1] ?? 0
      for (let posting = accumulator.starts[nth] ?? 0; posting < end; posting++) {
        let weight = 0
        for (let field = 0; field < FIELDS; field++) {
          const frequency = counts[posting * FIELDS + field] ?? 0
          if (frequency === 0) continue
          const words = segment.lengths[(documents[posting] ?? 0) * FIELDS + field] ?? 0
          weight += weightOf(inverse, frequency, words, averages[field] ?? 1, BOOSTS[field] ?? 1)
        }
        weights[posting] = weight
      }
    }
    return { documents, weights, starts: [...accumulator.starts] }
  }
}
