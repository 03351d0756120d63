import { TermNames } from '#core/terms/names.ts'
import type { DeclaredTerms } from '#core/terms/tree.ts'
import type { Change } from './change.ts'
import type { Entry } from './entry.ts'

/** Numbers of records that use each term, by id, and that write each name. */
interface Counts {
  readonly used: ReadonlyMap<string, number>
  readonly spelled: ReadonlyMap<string, number>
}

const NOTHING: Counts = { used: new Map(), spelled: new Map() }

/** The names of terms on the site: those that are declared, else those that the records with a page write most often. */
export class SiteTermNames {
  readonly #declared: ReadonlyMap<string, DeclaredTerms>
  /** By taxonomy. Names are counted as they are, so that what is made of one is made once. */
  readonly #counts: ReadonlyMap<string, Counts>
  readonly #names = new Map<string, TermNames>()

  constructor(declared: ReadonlyMap<string, DeclaredTerms>, counts: ReadonlyMap<string, Counts> = new Map()) {
    this.#declared = declared
    this.#counts = counts
  }

  of(taxonomy: string, id: string): string {
    const declared = this.#declared.get(taxonomy)?.get(id)
    return declared?.name ?? this.#namesOf(taxonomy).mostFrequent(id, this.#counts.get(taxonomy)?.used.get(id) ?? 0)
  }

  /** The names after a change of the records with pages: these, where no term is used or written otherwise. */
  after(change: Change): SiteTermNames {
    const counts = new Map(this.#counts)
    for (const [taxonomy, { used, spelled }] of changesIn(change)) {
      if (used.size + spelled.size === 0) continue
      const before = counts.get(taxonomy) ?? NOTHING
      counts.set(taxonomy, { used: added(before.used, used), spelled: added(before.spelled, spelled) })
    }
    const isSame = [...counts].every(([taxonomy, one]) => this.#counts.get(taxonomy) === one)
    return isSame ? this : new SiteTermNames(this.#declared, counts)
  }

  #namesOf(taxonomy: string): TermNames {
    const known = this.#names.get(taxonomy)
    if (known) return known
    const names = new TermNames(this.#declared.get(taxonomy) ?? new Map())
    for (const [name, count] of this.#counts.get(taxonomy)?.spelled ?? []) names.add(name, count)
    this.#names.set(taxonomy, names)
    return names
  }
}

interface Counting extends Counts {
  readonly used: Map<string, number>
  readonly spelled: Map<string, number>
}

/** The numbers by which the uses of terms grew, by taxonomy. */
function changesIn({ gone, come }: Change): Map<string, Counting> {
  const counts = new Map<string, Counting>()
  const count = ({ terms, termNames }: Entry, by: number) => {
    for (const taxonomy in terms) {
      const known = counts.get(taxonomy) ?? { used: new Map(), spelled: new Map() }
      counts.set(taxonomy, known)
      for (const id of terms[taxonomy] ?? []) add(known.used, id, by)
      for (const name of termNames[taxonomy] ?? []) add(known.spelled, name, by)
    }
  }
  for (const entry of gone) count(entry, -1)
  for (const entry of come) count(entry, 1)
  return counts
}

/** Adds to the number of a name; one of 0 is none. */
function add(counts: Map<string, number>, name: string, by: number): void {
  const sum = (counts.get(name) ?? 0) + by
  if (sum === 0) counts.delete(name)
  else counts.set(name, sum)
}

function added(before: ReadonlyMap<string, number>, by: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  if (by.size === 0) return before
  const counts = new Map(before)
  for (const [name, count] of by) add(counts, name, count)
  return counts
}
