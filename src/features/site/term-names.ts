import { TermNames } from '../../core/term-names.ts'
import type { DeclaredTerms } from '../../core/term-tree.ts'
import type { Entry } from './catalog.ts'

/** The terms of one taxonomy: how many records bear each, and what they call it. */
interface Named {
  readonly borne: Map<string, number>
  readonly names: TermNames
}

/** The names of terms on the site: those that are declared, else those that the records with a page write most often. */
export class SiteTermNames {
  readonly #declared: ReadonlyMap<string, DeclaredTerms>
  readonly #named = new Map<string, Named>()

  constructor(records: Iterable<Entry>, declared: ReadonlyMap<string, DeclaredTerms>) {
    this.#declared = declared
    for (const { terms, termNames } of records) {
      for (const taxonomy in terms) this.#count(taxonomy, terms[taxonomy] ?? [], termNames[taxonomy] ?? [])
    }
  }

  of(taxonomy: string, id: string): string {
    const declared = this.#declared.get(taxonomy)?.get(id)
    const { borne, names } = this.#of(taxonomy)
    return declared?.name ?? names.mostFrequent(id, borne.get(id) ?? 0)
  }

  #count(taxonomy: string, ids: readonly string[], spelled: readonly string[]): void {
    const { borne, names } = this.#of(taxonomy)
    for (const id of ids) borne.set(id, (borne.get(id) ?? 0) + 1)
    for (const name of spelled) names.add(name)
  }

  #of(taxonomy: string): Named {
    const known = this.#named.get(taxonomy)
    if (known) return known
    const named = { borne: new Map<string, number>(), names: new TermNames(this.#declared.get(taxonomy) ?? new Map()) }
    this.#named.set(taxonomy, named)
    return named
  }
}
