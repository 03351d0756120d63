import type { ContentTypes } from '#core/content-type.ts'
import { keyText } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { isUnlisted } from '#frontmatter/other-tools.ts'
import { isShown } from '../outline/outline.ts'
import { PerSnapshot } from '../outline/per-snapshot.ts'
import { type Entry, entryOf } from '../outline/site-entries.ts'
import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'
import { flatTerms, type TermLink, termUrl } from '../outline/terms.ts'

/** The name of a list: all records of a type, or those that have most in common with a record (its key as a text). */
export type ListName = readonly ['type' | 'related', string]

/** The neighbours of a record in the list of its type: `next` is the newer one. */
export interface Neighbours {
  readonly next: Entry | undefined
  readonly previous: Entry | undefined
}

const MOST_RELATED = 10
/** The newest records of each term that are looked at for what is related. */
const LOOKED_AT = 100
const NONE: readonly Entry[] = []

/** The terms of a taxonomy, by name and as a tree. */
export interface TermsData {
  readonly terms: readonly TermLink[]
  readonly tree: readonly TermLink[]
}

/** Finds the lists of records that templates ask for. They have what the site shows in lists, and nothing else. */
export class RecordLists {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #withTerms: boolean
  /** Lists of types whose records have no pages. */
  readonly #pageless = new WeakMap<SiteSnapshot, Map<string, readonly Entry[]>>()
  readonly #related = new PerSnapshot((key: string, snapshot) => relatedTo(snapshot.entries.get(key), snapshot))
  /** The place of each record in the list of its type. */
  readonly #places = new PerSnapshot(placesOf)
  readonly #terms = new PerSnapshot(termsData)

  constructor({ store, types, withTerms }: { store: Store; types: ContentTypes; withTerms: boolean }) {
    this.#store = store
    this.#types = types
    this.#withTerms = withTerms
  }

  /** The records of a list; undefined where they have to be read first. */
  at([by, name]: ListName, snapshot: SiteSnapshot): readonly Entry[] | undefined {
    if (by === 'related') return this.#related.of(name, snapshot)
    const listed = snapshot.outline.types.get(name)
    if (listed) return listed
    const type = this.#types.get(name)
    return type?.permalink === null ? this.#pageless.get(snapshot)?.get(name) : NONE
  }

  /** The names of the types that have lists. */
  names({ outline }: SiteSnapshot): string[] {
    const pageless = this.#types.declared().filter(({ permalink }) => permalink === null)
    return [...new Set([...outline.types.keys(), ...pageless.map(({ name }) => name)])].sort()
  }

  /** The terms that records of the site use. */
  terms(taxonomy: string, snapshot: SiteSnapshot): TermsData {
    return this.#terms.of(taxonomy, snapshot)
  }

  /** As `at`, read where need be. */
  async read(name: ListName, snapshot: SiteSnapshot): Promise<readonly Entry[]> {
    const known = this.at(name, snapshot)
    if (known) return known
    const type = this.#types.get(name[1])
    if (!type) return NONE
    const { items } = await this.#store.heads(type.name, {})
    const { showing, made } = snapshot
    const shown = items.filter(({ fields, problem }) => problem?.severity !== 'error' && isShown(fields, type, made, showing))
    const entries = shown.filter(({ fields }) => !isUnlisted(fields)).map((head) => entryOf(type, head, this.#withTerms))
    entries.sort((a, b) => (b.published ?? -1) - (a.published ?? -1) || (a.key.id < b.key.id ? -1 : 1))
    const lists = this.#pageless.get(snapshot) ?? new Map<string, readonly Entry[]>()
    this.#pageless.set(snapshot, lists.set(type.name, entries))
    return entries
  }

  /** The neighbours of a record that is in the list of its type. */
  beside(entry: Entry, snapshot: SiteSnapshot): Neighbours {
    const list = snapshot.outline.types.get(entry.type.name) ?? NONE
    const at = this.#places.of(entry.type.name, snapshot).get(entry)
    return at === undefined ? { next: undefined, previous: undefined } : { next: list[at - 1], previous: list[at + 1] }
  }
}

function placesOf(type: string, { outline }: SiteSnapshot): ReadonlyMap<Entry, number> {
  return new Map((outline.types.get(type) ?? NONE).map((entry, at) => [entry, at]))
}

function termsData(taxonomy: string, snapshot: SiteSnapshot): TermsData {
  const own = [...snapshot.outline.terms.values()].filter((term) => term.taxonomy.name === taxonomy)
  const tree = snapshot.outline.kin.tree(own, (url) => hrefOf(snapshot, url))
  return { terms: flatTerms(tree), tree }
}

/** Those with most terms in common, newer ones first among equals. */
function relatedTo(entry: Entry | undefined, { outline }: SiteSnapshot): readonly Entry[] {
  if (!entry) return NONE
  const shared = new Map<Entry, number>()
  for (const [kind, ids] of Object.entries(entry.terms)) {
    for (const id of ids.slice(0, MOST_RELATED)) {
      const url = termUrl(kind, id)
      const listing = url === undefined ? undefined : outline.terms.get(url)
      for (const other of listing?.entries.slice(0, LOOKED_AT) ?? NONE) shared.set(other, (shared.get(other) ?? 0) + 1)
    }
  }
  shared.delete(entry)
  const found = [...shared].sort(
    ([a, ofA], [b, ofB]) => ofB - ofA || (b.published ?? -1) - (a.published ?? -1) || (keyText(a.key) < keyText(b.key) ? -1 : 1),
  )
  return found.slice(0, MOST_RELATED).map(([other]) => other)
}
