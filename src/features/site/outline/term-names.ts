import { TermNames } from '#core/terms/names.ts'
import type { DeclaredTerms } from '#core/terms/tree.ts'
import type { Entry } from './site-entries.ts'

/** The terms of one taxonomy: the number of records that use each, and its names. */
interface Named {
  readonly used: ReadonlyMap<string, number>
  readonly names: TermNames
}

/** The names of terms on the site: those that are declared, else those that the records with a page write most often. */
export class SiteTermNames {
  readonly #declared: ReadonlyMap<string, DeclaredTerms>
  readonly #named: ReadonlyMap<string, Named>

  constructor(records: Iterable<Entry>, declared: ReadonlyMap<string, DeclaredTerms>) {
    this.#declared = declared
    const counts = countsIn(records)
    this.#named = new Map(
      [...new Set([...declared.keys(), ...counts.keys()])].map((taxonomy) => [
        taxonomy,
        this.#of(taxonomy, counts.get(taxonomy)),
      ]),
    )
  }

  of(taxonomy: string, id: string): string {
    const declared = this.#declared.get(taxonomy)?.get(id)
    const named = this.#named.get(taxonomy)
    return declared?.name ?? named?.names.mostFrequent(id, named.used.get(id) ?? 0) ?? id
  }

  #of(taxonomy: string, { used, spelled }: Counts = { used: new Map(), spelled: new Map() }): Named {
    const names = new TermNames(this.#declared.get(taxonomy) ?? new Map())
    for (const [name, count] of spelled) names.add(name, count)
    return { used, names }
  }
}

/** Numbers of records that use each term, by id, and that write each name. */
interface Counts {
  readonly used: Map<string, number>
  readonly spelled: Map<string, number>
}

/** By taxonomy. Names are counted as they are, so that what is made of one is made once. */
function countsIn(records: Iterable<Entry>): Map<string, Counts> {
  const counts = new Map<string, Counts>()
  for (const { terms, termNames } of records) {
    for (const taxonomy in terms) {
      const { used, spelled } = countsOf(counts, taxonomy)
      for (const id of terms[taxonomy] ?? []) used.set(id, (used.get(id) ?? 0) + 1)
      for (const name of termNames[taxonomy] ?? []) spelled.set(name, (spelled.get(name) ?? 0) + 1)
    }
  }
  return counts
}

function countsOf(counts: Map<string, Counts>, taxonomy: string): Counts {
  const known = counts.get(taxonomy)
  if (known) return known
  const made: Counts = { used: new Map(), spelled: new Map() }
  counts.set(taxonomy, made)
  return made
}
