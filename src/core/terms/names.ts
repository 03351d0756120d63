import type { Fields } from '#lib/json.ts'
import { isLonger } from '#lib/text/characters.ts'
import { compareText } from '#lib/text/compare.ts'
import { composed } from '#lib/text/normal-form.ts'
import type { Head } from '../document.ts'
import { termId } from './terms.ts'
import type { DeclaredTerms } from './tree.ts'

/** The most characters of a name that a term is shown by. */
export const MOST_NAME = 200

/**
 * Returns a name of the term `id` as a file spells it, on one line: undefined where that is the id itself, or longer than a name
 * may be.
 */
export function nameOfTerm(id: string, spelled: string): string | undefined {
  if (spelled === id || isLonger(spelled, MOST_NAME)) return undefined
  const name = composed(spelled)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const isOfTerm = name === spelled || termId(name) === id
  return name === id || !isOfTerm ? undefined : name
}

/** Returns fields with the terms that have one of these names by that name: as a file is to say them. */
export function withNames(fields: Readonly<Fields>, termNames: NonNullable<Head['termNames']>): Fields {
  const named: Fields = { ...fields }
  for (const [taxonomy, names] of Object.entries(termNames)) {
    const ids = named[taxonomy]
    const byId = new Map(names.map((name) => [termId(name), name]))
    if (Array.isArray(ids)) named[taxonomy] = ids.map((id) => byId.get(String(id)) ?? id)
  }
  return named
}

/** Uses of each name of a term, its id among them, and the number of records that use another name than the id. */
interface Calls {
  readonly names: Map<string, number>
  records: number
}

/**
 * The names of a taxonomy's terms that are not declared: how often each is written. What declared terms call the term above them
 * by counts from the start.
 */
export class TermNames {
  readonly #calls = new Map<string, Calls>()

  constructor(declared: DeclaredTerms) {
    for (const { parent, heads } of declared.values()) {
      if (parent === undefined || declared.has(parent)) continue
      const spelled = heads[0].fields.parent
      const name = typeof spelled === 'string' ? nameOfTerm(parent, spelled) : undefined
      this.#count(parent, name ?? parent, 1)
    }
  }

  /** Counts records that call a term by a name other than its id; see `Head.termNames`. */
  add(name: string, records = 1): void {
    this.#count(termId(name), name, records).records += records
  }

  /**
   * Returns the most frequent name of a term, of several the first by code point; its id if it has none. `records` is the number
   * of records that use it: those not counted under a name use its id.
   */
  mostFrequent(id: string, records: number): string {
    const calls = this.#calls.get(id)
    if (!calls) return id
    const byId = Math.max(0, records - calls.records) + (calls.names.get(id) ?? 0)
    const names = [...calls.names].filter(([name]) => name !== id)
    if (byId > 0) names.push([id, byId])
    const [first] = names.sort(([one, a], [other, b]) => b - a || compareText(one, other))
    return first?.[0] ?? id
  }

  #count(id: string, name: string, times: number): Calls {
    const calls = this.#calls.get(id) ?? { names: new Map<string, number>(), records: 0 }
    calls.names.set(name, (calls.names.get(name) ?? 0) + times)
    this.#calls.set(id, calls)
    return calls
  }
}
