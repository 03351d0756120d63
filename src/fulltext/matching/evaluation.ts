import type { Clause } from '../clauses.ts'
import { expand } from './expansion.ts'
import { FacetCounts } from './facet-counts.ts'
import { Matches } from './matches.ts'
import { documentsWith } from './phrases.ts'
import type { HeldSegment } from './segment-set.ts'
import type { VisibilityMask } from './visibility-mask.ts'
import { TermWeights } from './weights.ts'

/** The score of what is found by stop words alone. */
const LEAST = 1e-9

/** The data that a query is evaluated on. */
interface Field {
  readonly segments: readonly HeldSegment[]
  readonly mask: VisibilityMask
  readonly counts: readonly FacetCounts[]
}

/** Works out queries over the segments in use. One at a time: what it counts in is used again. */
export class Evaluation {
  readonly #weights = new TermWeights()
  readonly #counts = new WeakMap<HeldSegment, FacetCounts>()

  /** Every visible document that meets the clauses, in no order; and the stems that were looked for. */
  run(
    clauses: readonly Clause[],
    segments: readonly HeldSegment[],
    mask: VisibilityMask,
  ): { matches: Matches; stems: Set<string> } {
    const counts = segments.map((held) => this.#countsOf(held))
    const terms = expand(clauses, segments, mask)
    const asked = clauses.filter(({ presence }) => presence !== 'prohibited')
    const wanted = wantedOf(asked, terms)
    for (const [stem, { boost, clauses }] of wanted) this.#score(stem, boost, clauses, { segments, mask, counts })
    for (const [bit, clause] of asked.entries()) {
      if (!('phrase' in clause)) continue
      this.#each(clause, terms, segments, mask, (nth, document) => counts[nth]?.add(document, 0, 1 << bit))
    }
    for (const clause of clauses.filter(({ presence }) => presence === 'prohibited')) {
      this.#each(clause, terms, segments, mask, (nth, document) => counts[nth]?.bar(document))
    }
    const required = bitsOf(asked, ({ presence }) => presence === 'required')
    // A word in no visible document does not narrow the others.
    const all = bitsOf(asked, (clause) => 'phrase' in clause || (terms.get(clause)?.length ?? 0) > 0)
    const matches = collected(counts, { required, all }, magnitudeOf(wanted))
    for (const tally of counts) tally.clear()
    return { matches, stems: new Set([...wanted.keys(), ...clauses.flatMap(ownStems)]) }
  }

  #countsOf(held: HeldSegment): FacetCounts {
    const known = this.#counts.get(held)
    if (known) return known
    const tally = new FacetCounts(held.segment.size)
    this.#counts.set(held, tally)
    return tally
  }

  #score(stem: string, boost: number, clauses: number, { segments, mask, counts }: Field): void {
    const { documents, weights, starts } = this.#weights.of(stem, segments, mask)
    for (const [nth, tally] of counts.entries()) {
      const end = starts[nth + 1] ?? 0
      for (let n = starts[nth] ?? 0; n < end; n++) tally.add(documents[n] ?? 0, boost * (weights[n] ?? 0), clauses)
    }
  }

  /** Each document that has what a clause asks for; one may come more than once. */
  #each(
    clause: Clause,
    terms: ReadonlyMap<Clause, string[]>,
    segments: readonly HeldSegment[],
    mask: VisibilityMask,
    take: (nth: number, document: number) => void,
  ): void {
    if ('phrase' in clause) {
      for (const [nth, held] of segments.entries()) {
        const seen = mask.seen.get(held)
        for (const document of seen ? documentsWith(clause.phrase, held, seen) : []) take(nth, document)
      }
      return
    }
    for (const stem of terms.get(clause) ?? []) {
      const { documents, starts } = this.#weights.of(stem, segments, mask)
      for (const nth of segments.keys()) {
        for (let n = starts[nth] ?? 0; n < (starts[nth + 1] ?? 0); n++) take(nth, documents[n] ?? 0)
      }
    }
  }
}

/**
 * All that was found. What has all that was asked for is better than anything else: its score is above the best of the others.
 */
function collected(
  counts: readonly FacetCounts[],
  { required, all }: { required: number; all: number },
  magnitude: number,
): Matches {
  const best = isOneBit(all) ? 0 : bestOfSome(counts, required, all)
  const matches = new Matches(counts.reduce((sum, { touched }) => sum + touched.length, 0))
  for (const [nth, { touched, met, barred, scores }] of counts.entries()) {
    for (let n = 0; n < touched.length; n++) {
      const document = touched[n] ?? 0
      const bits = met[document] ?? 0
      if (barred[document] === 1 || (bits & required) !== required) continue
      const score = (scores[document] ?? 0) + ((bits & all) === all ? best : 0)
      matches.add(nth, document, Math.max(score / magnitude, LEAST))
    }
  }
  return matches
}

/** The best score of what was found and has but some of what was asked for. */
function bestOfSome(counts: readonly FacetCounts[], required: number, all: number): number {
  let best = 0
  for (const { touched, met, barred, scores } of counts) {
    for (let n = 0; n < touched.length; n++) {
      const document = touched[n] ?? 0
      const bits = met[document] ?? 0
      const score = scores[document] ?? 0
      if (score > best && barred[document] !== 1 && (bits & required) === required && (bits & all) !== all) best = score
    }
  }
  return best
}

function isOneBit(bits: number): boolean {
  return (bits & (bits - 1)) === 0
}

function bitsOf(clauses: readonly Clause[], has: (clause: Clause) => boolean): number {
  return clauses.reduce((bits, clause, bit) => (has(clause) ? bits | (1 << bit) : bits), 0)
}

/** A term that is looked for: how often, once for each clause that it comes from, and a bit for each clause that it meets. */
interface Wanted {
  boost: number
  clauses: number
}

/** The terms that have a part in scores: what is prohibited has none, and of a phrase no single word meets it. */
function wantedOf(asked: readonly Clause[], terms: ReadonlyMap<Clause, string[]>): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>()
  for (const [bit, clause] of asked.entries()) {
    const isPhrase = 'phrase' in clause
    for (const stem of isPhrase ? ownStems(clause) : (terms.get(clause) ?? [])) {
      const one = wanted.get(stem) ?? { boost: 0, clauses: 0 }
      one.boost++
      if (!isPhrase) one.clauses |= 1 << bit
      wanted.set(stem, one)
    }
  }
  return wanted
}

function ownStems(clause: Clause): string[] {
  if (clause.presence === 'prohibited') return []
  const words = 'phrase' in clause ? clause.phrase : [clause]
  return words.map(({ stem }) => stem).filter((stem) => stem !== '')
}

/** The length of the query's vector: scores are divided by it. */
function magnitudeOf(wanted: ReadonlyMap<string, Wanted>): number {
  let sum = 0
  for (const { boost } of wanted.values()) sum += boost * boost
  return Math.sqrt(sum) || 1
}
