import { idToPath } from '#core/key.ts'
import { plainPath } from '#core/permalink.ts'
import { type DeclaredTerms, lineage, MOST_LEVELS } from '#core/terms/tree.ts'
import type { Taxonomy } from '#core/types/content-type.ts'
import { sortedWith } from '#lib/sorted-lists.ts'
import type { Change } from './change.ts'
import type { Entry } from './entry.ts'
import type { Records } from './holders.ts'
import type { ListSizes } from './list-sizes.ts'
import { newestFirst } from './order.ts'
import type { SiteTermNames } from './term-names.ts'

/** A term as the site shows it: the records that use it or a term below it, newest first. */
export interface TermListing extends ListSizes {
  readonly url: string
  readonly entries: readonly Entry[]
  readonly taxonomy: Taxonomy
  readonly id: string
  readonly name: string
  readonly description: string
  readonly parent: string | undefined
  /** Addresses its page had. */
  readonly aliases: readonly string[]
}

/** The overview of a taxonomy, its terms by name. */
export interface TaxonomyPage {
  readonly taxonomy: Taxonomy
  readonly url: string
  readonly terms: readonly TermListing[]
}

/** A term among others, for templates. */
export interface TermLink {
  readonly name: string
  readonly description: string
  readonly count: number
  readonly url: string
  /** The terms right below it. */
  readonly children: readonly TermLink[]
}

/** Gives the address of a page by its path. */
type Href = (url: string) => string

/** Greatest depth of a tree of terms. Deeper terms are listed beside those at that depth. */
const DEEPEST = 8

/** The terms that the records of a site use. */
export interface UsedTerms {
  /** By taxonomy and id. */
  readonly all: ReadonlyMap<string, TermListing>
  /** In the order of their names. */
  readonly named: readonly TermListing[]
}

/** The terms of a site without records. */
export const NO_TERMS: UsedTerms = { all: new Map(), named: [] }

/** The parts of a site that terms are made of beside the records that use them. */
interface TermsPlace {
  readonly declared: ReadonlyMap<string, DeclaredTerms>
  readonly names: SiteTermNames
  readonly sizes: ListSizes
}

/** Returns the terms after a change of the records; `change` has those that are in no list, too: they are counted for names. */
export function termsAfter({ all, named }: UsedTerms, change: Change, { declared, names, sizes }: TermsPlace): UsedTerms {
  const gone: TermListing[] = []
  const come: TermListing[] = []
  const changed = new Map(all)
  for (const [key, { taxonomy, id, gone: left, come: taken }] of usesOf(change, declared)) {
    const before = all.get(key)
    const entries = sortedWith(before?.entries ?? [], { gone: left, come: taken }, newestFirst)
    const url = termUrl(taxonomy.name, id)
    if (before) gone.push(before)
    changed.delete(key)
    if (entries.length === 0 || url === undefined) continue
    const known: DeclaredTerms = declared.get(taxonomy.name) ?? new Map()
    const term = { url, entries, taxonomy, id, name: names.of(taxonomy.name, id), ...declaredOf(taxonomy, id, known), ...sizes }
    come.push(term)
    changed.set(key, term)
  }
  if (gone.length + come.length === 0) return { all, named }
  return { all: changed, named: sortedWith(named, { gone, come }, byName) }
}

/** A change of the records that use a term, or a term below it. */
interface Uses {
  readonly taxonomy: Taxonomy
  readonly id: string
  readonly gone: Entry[]
  readonly come: Entry[]
}

/** The changes of terms by taxonomy and id. */
function usesOf(change: Change, declared: ReadonlyMap<string, DeclaredTerms>): Map<string, Uses> {
  const uses = new Map<string, Uses>()
  const lines = new Map<string, readonly string[]>()
  const lineOf = (taxonomy: Taxonomy, id: string) => {
    const key = keyOf(taxonomy, id)
    const line = lines.get(key) ?? lineage(id, declared.get(taxonomy.name) ?? new Map())
    lines.set(key, line)
    return line
  }
  for (const as of ['gone', 'come'] as const) {
    for (const entry of change[as]) {
      for (const taxonomy of entry.type.taxonomies) {
        for (const id of entry.terms[taxonomy.name] ?? []) {
          for (const term of lineOf(taxonomy, id)) {
            const key = keyOf(taxonomy, term)
            const known = uses.get(key) ?? { taxonomy, id: term, gone: [], come: [] }
            uses.set(key, known)
            if (!entry.unlisted && known[as].at(-1) !== entry) known[as].push(entry)
          }
        }
      }
    }
  }
  return uses
}

function keyOf({ name }: Taxonomy, id: string): string {
  return `${name}/${id}`
}

/** The order of terms: by name, those of one name by taxonomy and id. */
function byName(a: TermListing, b: TermListing): number {
  return order(a.name, b.name) || order(a.taxonomy.name, b.taxonomy.name) || order(a.id, b.id)
}

/** Returns what a term's document declares of it. */
function declaredOf(
  taxonomy: Taxonomy,
  id: string,
  known: DeclaredTerms,
): Pick<TermListing, 'description' | 'parent' | 'aliases'> {
  const { description = '', parent, aliases = [] } = known.get(id) ?? {}
  return { description, parent, aliases: aliases.flatMap((alias) => termUrl(taxonomy.name, alias) ?? []) }
}

/** The address of a term's page, percent-encoded; undefined where its name can't be in one. */
export function termUrl(taxonomy: string, id: string): string | undefined {
  return plainPath(`/${[taxonomy, ...idToPath(id).split('/')].map(encodeURIComponent).join('/')}`)
}

/** The overviews of taxonomies by address, of those that have terms. */
export function taxonomyPages(terms: Iterable<TermListing>, records: Records): Map<string, TaxonomyPage> {
  const pages = new Map<string, { taxonomy: Taxonomy; url: string; terms: TermListing[] }>()
  for (const term of terms) {
    const url = plainPath(`/${encodeURIComponent(term.taxonomy.name)}`)
    if (!url || records.has(url)) continue
    const page = pages.get(url) ?? { taxonomy: term.taxonomy, url, terms: [] }
    page.terms.push(term)
    pages.set(url, page)
  }
  return pages
}

/** The ancestors and descendants of the site's terms, as declared, for each taxonomy by itself. */
export class TermKin {
  readonly #byName: ReadonlyMap<string, TermListing>
  readonly #below = new Map<TermListing, TermListing[]>()

  constructor(terms: readonly TermListing[]) {
    this.#byName = new Map(terms.map((term) => [keyOf(term.taxonomy, term.id), term]))
    for (const term of terms) {
      const parent = this.#parent(term)
      const siblings = parent && this.#below.get(parent)
      if (siblings) siblings.push(term)
      else if (parent) this.#below.set(parent, [term])
    }
  }

  /** The terms above and below one, with the addresses that `href` gives: from the top, and those right below. */
  around(term: TermListing, href: Href): { parents: TermLink[]; children: TermLink[] } {
    const line = new Set([term])
    for (let up = this.#parent(term); up && !line.has(up) && line.size < MOST_LEVELS; up = this.#parent(up)) line.add(up)
    const [, ...above] = line
    return {
      parents: above.reverse().map((one) => linkOf(one, href)),
      children: this.#children(term).map((one) => linkOf(one, href)),
    }
  }

  /** Terms with the addresses that `href` gives, nested. Those that are below each other in a circle begin at the first of them. */
  tree(terms: readonly TermListing[], href: Href): TermLink[] {
    const shown = new Set<TermListing>()
    const fresh = (some: readonly TermListing[]) => some.filter((term) => !shown.has(term) && shown.add(term))
    const nested = (term: TermListing, depth: number): TermLink[] => {
      const children = fresh(this.#children(term))
      if (depth < DEEPEST)
        return [
          linkOf(
            term,
            href,
            children.flatMap((child) => nested(child, depth + 1)),
          ),
        ]
      // A list that grows while it is gone through: what is deeper stands beside.
      for (const child of children) children.push(...fresh(this.#children(child)))
      return [term, ...children].map((one) => linkOf(one, href))
    }
    const roots = terms.filter((term) => !this.#parent(term))
    return [...roots, ...terms].flatMap((term) => fresh([term]).flatMap((one) => nested(one, 1)))
  }

  #parent({ taxonomy, parent }: TermListing): TermListing | undefined {
    return parent === undefined ? undefined : this.#byName.get(`${taxonomy.name}/${parent}`)
  }

  #children(term: TermListing): readonly TermListing[] {
    return this.#below.get(term) ?? []
  }
}

/** All terms of a tree by name, without those below them. */
export function flatTerms(tree: readonly TermLink[]): TermLink[] {
  const all: TermLink[] = []
  const take = (terms: readonly TermLink[]) => {
    for (const { children, ...term } of terms) {
      all.push({ ...term, children: [] })
      take(children)
    }
  }
  take(tree)
  return all.sort((a, b) => order(a.name, b.name))
}

function linkOf({ name, description, entries, url }: TermListing, href: Href, children: readonly TermLink[] = []): TermLink {
  return { name, description, count: entries.length, url: href(url), children }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
