import { SliceQueue, Slices } from '#lib/concurrency/slices.ts'
import type { Clause } from '../clauses.ts'
import { expand } from './expansion.ts'
import { type FacetCounts, FreeCounts } from './facet-counts.ts'
import { Matches, type Wish } from './matches.ts'
import { phrasesIn } from './phrases.ts'
import type { Match } from './ranking.ts'
import type { HeldSegment } from './segment-set.ts'
import type { VisibilityMask } from './visibility-mask.ts'
import { TermWeights } from './weight-cache.ts'

/** The score of what is found by stop words alone. */
const LEAST = 1e-9

/** The data that a query is evaluated on. */
interface Field {
  readonly segments: readonly HeldSegment[]
  readonly mask: VisibilityMask
  readonly counts: readonly FacetCounts[]
}

/** The result of a query: its hits, and the stems that were looked for. */
export interface Evaluated {
  readonly hits: readonly Match[]
  readonly total: number
  /** Number of matches of each kind, those of other kinds than the wanted one among them. */
  readonly kinds: Map<string, number>
  readonly stems: Set<string>
}

/** Works out queries over the segments in use, in slices: of those that take longer than one, one at a time goes on. */
export class Evaluation {
  readonly #weights = new TermWeights()
  readonly #counts = new FreeCounts()
  readonly #queue = new SliceQueue()

  /** Finds the visible documents that meet the clauses. */
  async run(clauses: readonly Clause[], segments: readonly HeldSegment[], mask: VisibilityMask, wish: Wish): Promise<Evaluated> {
    const slices = new Slices(this.#queue)
    try {
      const terms = expand(clauses, segments, mask)
      const asked = clauses.filter(({ presence }) => presence !== 'prohibited')
      const wanted = wantedOf(asked, terms)
      const stems = new Set([...wanted.keys(), ...clauses.flatMap(ownStems)])
      const phrases = await phrasesIn(clauses, segments, mask, slices)
      const isAny = clauses.every((one) => one.presence !== 'required' || phrases.get(one)?.every(isEmpty) !== true)
      if (!isAny) return { hits: [], total: 0, kinds: new Map(), stems }
      const counts = this.#counts.take(segments)
      const field = { segments, mask, counts }
      for (const [stem, { boost, clauses }] of wanted) {
        if (slices.isOver) await slices.pause()
        this.#score(stem, boost, clauses, field)
      }
      for (const [bit, clause] of asked.entries()) {
        phrases.get(clause)?.forEach((documents, nth) => {
          for (const document of documents) counts[nth]?.add(document, 0, 1 << bit)
        })
      }
      for (const clause of clauses) {
        if (clause.presence === 'prohibited') this.#bar(terms.get(clause) ?? [], phrases.get(clause) ?? [], field)
      }
      const required = bitsOf(asked, ({ presence }) => presence === 'required')
      // A word in no visible document does not narrow the others.
      const all = bitsOf(asked, (clause) => 'phrase' in clause || (terms.get(clause)?.length ?? 0) > 0)
      const matches = new Matches(wish)
      collect(matches, field, { required, all, magnitude: magnitudeOf(wanted) })
      this.#counts.give(segments, counts)
      return { hits: matches.hits, total: matches.total, kinds: matches.kinds, stems }
    } finally {
      slices.end()
    }
  }

  #score(stem: string, boost: number, clauses: number, { segments, mask, counts }: Field): void {
    const weights = this.#weights.of(stem, segments, mask)
    const { starts } = weights
    for (const [nth, tally] of counts.entries()) tally.addAll(weights, starts[nth] ?? 0, starts[nth + 1] ?? 0, boost, clauses)
  }

  /** Bars the documents that have a term, or a phrase. */
  #bar(terms: readonly string[], phrase: readonly (readonly number[])[], { segments, mask, counts }: Field): void {
    for (const [nth, tally] of counts.entries()) for (const document of phrase[nth] ?? []) tally.bar(document)
    for (const stem of terms) {
      const { documents, starts } = this.#weights.of(stem, segments, mask)
      for (const [nth, tally] of counts.entries()) {
        for (let n = starts[nth] ?? 0; n < (starts[nth + 1] ?? 0); n++) tally.bar(documents[n] ?? 0)
      }
    }
  }
}

function isEmpty(documents: readonly number[]): boolean {
  return documents.length === 0
}

/** The bits of the clauses that are required, and of all that count; and what scores are divided by. */
interface Measure {
  readonly required: number
  readonly all: number
  readonly magnitude: number
}

/** Adds all that was found. What has all that was asked for comes first: its score is above the best of the others. */
function collect(matches: Matches, { segments, counts }: Field, { required, all, magnitude }: Measure): void {
  const best = isOneBit(all) ? 0 : bestOfSome(counts, required, all)
  for (const [nth, held] of segments.entries()) {
    const { touched, met, barred, scores } = counts[nth] as FacetCounts
    matches.begin(held)
    for (let n = 0; n < touched.length; n++) {
      const document = touched[n] as number
      const bits = met[document] as number
      if (barred[document] === 1 || (bits & required) !== required) continue
      const score = (scores[document] as number) + ((bits & all) === all ? best : 0)
      matches.add(document, Math.max(score / magnitude, LEAST))
    }
  }
}

/** The best score of what was found and has but some of what was asked for. */
function bestOfSome(counts: readonly FacetCounts[], required: number, all: number): number {
  let best = 0
  for (const { touched, met, barred, scores } of counts) {
    for (let n = 0; n < touched.length; n++) {
      const document = touched[n] as number
      const bits = met[document] as number
      const score = scores[document] as number
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
