import type { Clause, SearchQuery } from '../../../core/search.ts'
import { expand } from './expansion.ts'
import type { Holding } from './holdings.ts'
import { Matches } from './matches.ts'
import { documentsWith } from './phrases.ts'
import type { Sight } from './sight.ts'
import { Tally } from './tally.ts'
import { TermWeights } from './weights.ts'

/** Works out queries over the segments in use. One at a time: what it counts in is used again. */
export class Evaluation {
  readonly #weights = new TermWeights()
  readonly #tallies = new WeakMap<Holding, Tally>()

  /** Every document in sight that meets the clauses, in no order; and the stems that were looked for. */
  run(clauses: SearchQuery['clauses'], holdings: readonly Holding[], sight: Sight): { matches: Matches; stems: Set<string> } {
    const tallies = holdings.map((holding) => this.#tallyOf(holding))
    const terms = expand(clauses, holdings, sight)
    const boosts = boostsOf(clauses, terms)
    for (const [stem, boost] of boosts) this.#score(stem, boost, holdings, sight, tallies)
    const required = clauses.filter(({ presence }) => presence === 'required')
    for (const [bit, clause] of required.entries()) {
      this.#each(clause, terms, holdings, sight, (nth, document) => {
        const met = tallies[nth]?.met
        if (met) met[document] = (met[document] ?? 0) | (1 << bit)
      })
    }
    for (const clause of clauses.filter(({ presence }) => presence === 'prohibited')) {
      this.#each(clause, terms, holdings, sight, (nth, document) => bar(tallies[nth], document))
    }
    const matches = collected(tallies, (1 << required.length) - 1, magnitudeOf(boosts))
    for (const tally of tallies) tally.clear()
    return { matches, stems: new Set([...boosts.keys(), ...clauses.flatMap(ownStems)]) }
  }

  #tallyOf(holding: Holding): Tally {
    const known = this.#tallies.get(holding)
    if (known) return known
    const tally = new Tally(holding.segment.size)
    this.#tallies.set(holding, tally)
    return tally
  }

  #score(stem: string, boost: number, holdings: readonly Holding[], sight: Sight, tallies: readonly Tally[]): void {
    const { documents, weights, starts } = this.#weights.of(stem, holdings, sight)
    for (const [nth, tally] of tallies.entries()) {
      const { scores } = tally
      const end = starts[nth + 1] ?? 0
      for (let n = starts[nth] ?? 0; n < end; n++) {
        const document = documents[n] ?? 0
        tally.touch(document)
        scores[document] = (scores[document] ?? 0) + boost * (weights[n] ?? 0)
      }
    }
  }

  /** Each document that has what a clause asks for; one may come more than once. */
  #each(
    clause: Clause,
    terms: ReadonlyMap<Clause, string[]>,
    holdings: readonly Holding[],
    sight: Sight,
    take: (nth: number, document: number) => void,
  ): void {
    if ('phrase' in clause) {
      for (const [nth, holding] of holdings.entries()) {
        const seen = sight.seen.get(holding)
        for (const document of seen ? documentsWith(clause.phrase, holding, seen) : []) take(nth, document)
      }
      return
    }
    for (const stem of terms.get(clause) ?? []) {
      const { documents, starts } = this.#weights.of(stem, holdings, sight)
      for (const nth of holdings.keys()) {
        for (let n = starts[nth] ?? 0; n < (starts[nth + 1] ?? 0); n++) take(nth, documents[n] ?? 0)
      }
    }
  }
}

/** Only what is found may be barred: the rest is not cleared after the query. */
function bar(tally: Tally | undefined, document: number): void {
  if (!tally) return
  tally.touch(document)
  tally.barred[document] = 1
}

function collected(tallies: readonly Tally[], required: number, magnitude: number): Matches {
  const matches = new Matches(tallies.reduce((sum, { touched }) => sum + touched.length, 0))
  for (const [nth, { touched, met, barred, scores }] of tallies.entries()) {
    for (const document of touched) {
      if (barred[document] === 1 || ((met[document] ?? 0) & required) !== required) continue
      matches.add(nth, document, (scores[document] ?? 0) / magnitude)
    }
  }
  return matches
}

/** How often each term is asked for: once for each clause that it comes from. What is prohibited has no part in scores. */
function boostsOf(clauses: readonly Clause[], terms: ReadonlyMap<Clause, string[]>): Map<string, number> {
  const boosts = new Map<string, number>()
  for (const clause of clauses) {
    if (clause.presence === 'prohibited') continue
    const stems = 'phrase' in clause ? ownStems(clause) : (terms.get(clause) ?? [])
    for (const stem of stems) boosts.set(stem, (boosts.get(stem) ?? 0) + 1)
  }
  return boosts
}

function ownStems(clause: Clause): string[] {
  if (clause.presence === 'prohibited') return []
  const words = 'phrase' in clause ? clause.phrase : [clause]
  return words.map(({ stem }) => stem).filter((stem) => stem !== '')
}

/** The length of the query's vector: scores are divided by it. */
function magnitudeOf(boosts: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const boost of boosts.values()) sum += boost * boost
  return Math.sqrt(sum) || 1
}
