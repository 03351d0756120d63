import { keyText } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { isUnlisted } from '#frontmatter/other-tools.ts'
import { placeIn } from '#lib/sorted-lists.ts'
import { short } from '#lib/text/short-hash.ts'
import { type Entry, entryOf } from '../outline/entry.ts'
import { asSorted, isDescending, isNewestFirst, newestFirst } from '../outline/order.ts'
import { isShown, sectionIn } from '../outline/outline.ts'
import { PerSnapshot } from '../outline/per-snapshot.ts'
import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'
import { flatTerms, type TermLink, termUrl } from '../outline/terms.ts'
import { type Tree, treeOf } from '../outline/tree.ts'
import type { ShownDocuments } from '../pages/shown-documents.ts'
import { Backlinks } from './backlinks.ts'

/**
 * The name of a list: all records of a type, those that have most in common with a record or that link to it (its key as a text), or
 * the records or the pages of the sections in a section (its address).
 */
export type ListName = readonly ['type' | 'related' | 'backlinks' | 'section' | 'sections', string]

/** The neighbours of a record. */
export interface Neighbours {
  readonly next: Entry | undefined
  readonly previous: Entry | undefined
}

const MOST_RELATED = 10
/** The newest records of each term that are looked at for what is related. */
const LOOKED_AT = 100
const NONE: readonly Entry[] = []
const NOBODY: Neighbours = { next: undefined, previous: undefined }

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
  readonly #backlinks: Backlinks
  /** Lists of types whose records have no pages. */
  readonly #pageless = new WeakMap<SiteSnapshot, Map<string, readonly Entry[]>>()
  readonly #related = new PerSnapshot((key: string, snapshot) => relatedTo(snapshot.entries.get(key), snapshot))
  readonly #inSection = new PerSnapshot(inSection)
  readonly #trees = new PerSnapshot((type: string, { outline }) => treeOf(type, outline))
  readonly #treePrints = new PerSnapshot((type: string, snapshot) => short(JSON.stringify(shownOf(this.tree(type, snapshot)))))
  /** The place of each record of a type as its tree is read. */
  readonly #places = new PerSnapshot(
    (type: string, snapshot): ReadonlyMap<Entry, number> =>
      new Map(this.tree(type, snapshot).reading.map((entry, at) => [entry, at])),
  )
  readonly #terms = new PerSnapshot(termsData)

  constructor({ store, types, withTerms }: { store: Store; types: ContentTypes; withTerms: boolean }, documents: ShownDocuments) {
    this.#store = store
    this.#types = types
    this.#withTerms = withTerms
    this.#backlinks = new Backlinks(documents)
  }

  /** The records of a list; undefined where they have to be read first. */
  at([by, name]: ListName, snapshot: SiteSnapshot): readonly Entry[] | undefined {
    if (by === 'related') return this.#related.of(name, snapshot)
    if (by === 'backlinks') {
      const linking = this.#backlinks.at(snapshot)
      return linking && (linking.get(name) ?? NONE)
    }
    if (by !== 'type') return this.#inSection.of(`${by} ${name}`, snapshot)
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
    if (name[0] === 'backlinks') return (await this.#backlinks.of(snapshot)).get(name[1]) ?? NONE
    const type = this.#types.get(name[1])
    if (!type) return NONE
    const { items } = await this.#store.heads(type.name, {})
    const { showing, made } = snapshot
    const shown = items.filter(({ fields, problem }) => problem?.severity !== 'error' && isShown(fields, type, made, showing))
    const entries = shown.filter(({ fields }) => !isUnlisted(fields)).map((head) => entryOf(type, head, this.#withTerms))
    entries.sort(isNewestFirst(type) ? newestFirst : asSorted)
    const lists = this.#pageless.get(snapshot) ?? new Map<string, readonly Entry[]>()
    this.#pageless.set(snapshot, lists.set(type.name, entries))
    return entries
  }

  /** The records of a type as their folders nest. */
  tree(type: string, snapshot: SiteSnapshot): Tree {
    return this.#trees.of(type, snapshot)
  }

  /** A hash of all that templates are given of a tree. */
  treePrint(type: string, snapshot: SiteSnapshot): string {
    return this.#treePrints.of(type, snapshot)
  }

  /**
   * The neighbours of a record. Where the lists of its type begin with the newest or the greatest, those in its section, `next` the
   * newer one; else those before and after it as the tree of its type is read, through all sections.
   */
  beside(entry: Entry, snapshot: SiteSnapshot): Neighbours {
    const { type } = entry
    if (isDescending(type)) {
      const { own } = sectionIn(snapshot.outline, entry) ?? { own: NONE }
      const at = placeIn(own, entry, isNewestFirst(type) ? newestFirst : asSorted)
      return own[at] === entry ? { next: own[at - 1], previous: own[at + 1] } : NOBODY
    }
    const { reading } = this.tree(type.name, snapshot)
    const at = this.#places.of(type.name, snapshot).get(entry)
    return at === undefined ? NOBODY : { next: reading[at + 1], previous: reading[at - 1] }
  }
}

function inSection(question: string, { outline }: SiteSnapshot): readonly Entry[] {
  const [by, url = ''] = question.split(' ')
  const section = outline.lists.get(url) ?? outline.sections.get(url)
  if (by === 'section') return section?.entries ?? NONE
  return (section?.sections ?? []).flatMap(({ index }) => index ?? [])
}

/** The parts of a tree that templates are given. */
function shownOf({ nodes }: Pick<Tree, 'nodes'>): unknown[] {
  return nodes.map(({ title, url, children }) => [title, url, shownOf({ nodes: children })])
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
