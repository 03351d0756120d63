import type { Problem } from '#core/document.ts'
import { instantOf, isLive } from '#core/status.ts'
import type { DeclaredTerms } from '#core/terms/tree.ts'
import type { ContentType } from '#core/types/content-type.ts'
import type { Fields } from '#lib/json.ts'
import { once } from '#lib/once.ts'
import { sortedWith } from '#lib/sorted-lists.ts'
import { compareText } from '#lib/text/compare.ts'
import { type Change, changeOf } from './change.ts'
import type { Entry } from './entry.ts'
import { addressProblems, type Holders, holdersAfter, isAmong, NO_HOLDERS, type Records } from './holders.ts'
import type { ListSizes } from './list-sizes.ts'
import { newestFirst } from './order.ts'
import { PageNames } from './page-names.ts'
import { hasList, isListed, type Section, sectionOf, sectionsAfter, type TypeSections } from './sections.ts'
import { SiteTermNames } from './term-names.ts'
import { NO_TERMS, type TaxonomyPage, TermKin, type TermListing, taxonomyPages, termsAfter, type UsedTerms } from './terms.ts'

/** The records that a site shows besides those that are live. */
export interface Showing {
  readonly drafts: boolean
  readonly future: boolean
}

/** A list of records that has pages of its own: of the home page, a type, a section or a term. */
export interface Listing extends ListSizes {
  readonly url: string
  readonly entries: readonly Entry[]
  /** The newest first, where `entries` are in another order. */
  readonly newest?: readonly Entry[]
}

/** Everything that has an address on the site at one instant, and what is wrong with addresses. */
export interface Outline {
  /** Records by the address of their page. */
  readonly records: Records
  /** The page an old address leads to. */
  readonly aliases: ReadonlyMap<string, string>
  readonly home: Listing
  /** The intro of the home page: `index` of pages. */
  readonly index: Entry | undefined
  /** Lists of types, by address. */
  readonly lists: ReadonlyMap<string, Section>
  /** Sections of folders, by address. */
  readonly sections: ReadonlyMap<string, Section>
  /** The records of each type that are in lists, in the type's order, by the name of the type in code point order. */
  readonly types: ReadonlyMap<string, readonly Entry[]>
  readonly terms: ReadonlyMap<string, TermListing>
  /** The terms that have documents, by taxonomy. */
  readonly declared: ReadonlyMap<string, DeclaredTerms>
  readonly kin: TermKin
  /** Of terms without a page, too. */
  readonly termNames: SiteTermNames
  /** The records with pages by what texts call them. */
  readonly names: PageNames
  /** Overview pages of taxonomies, by address. */
  readonly taxonomies: ReadonlyMap<string, TaxonomyPage>
  readonly problems: readonly Problem[]
  /** The parts that the next outline is made of. */
  readonly parts: OutlineParts
}

/** The parts of an outline that go on from one to the next. */
export interface OutlineParts {
  readonly holders: Holders
  /** By the names of types, in code point order. */
  readonly byType: ReadonlyMap<string, TypeSections>
  /** The records that may be on the home page, the newest first. */
  readonly news: readonly Entry[]
  readonly used: UsedTerms
  readonly termNames: SiteTermNames
}

/** The parts of a site that its outlines have in common. */
export interface OutlinePlace {
  readonly declared: ReadonlyMap<string, DeclaredTerms>
  readonly sizes: ListSizes
}

/** Makes the outline of a site as of `now`. */
export function outlineOf(entries: Iterable<Entry>, now: number, showing: Showing, place: OutlinePlace): Outline {
  const come: Entry[] = []
  for (const entry of entries) if (isShown(entry.timing, entry.type, now, showing)) come.push(entry)
  const none = { holders: NO_HOLDERS, byType: new Map(), news: [], used: NO_TERMS, termNames: new SiteTermNames(place.declared) }
  return drawn(partsAfter(none, { gone: [], come }, place), place)
}

/** Returns the outline after a change of the records that the site shows. What is gone is in the one before. */
export function outlineAfter({ parts }: Outline, change: Change, place: OutlinePlace): Outline {
  return drawn(partsAfter(parts, change, place), place)
}

/** Returns whether a record is among those of an outline, with a page or without one. */
export function isInOutline({ parts }: Outline, entry: Entry): boolean {
  return isAmong(parts.holders, entry)
}

/** Returns the nearest section of a record that is in a list, and of the page of a section the one that it is in. */
export function sectionIn({ records, parts }: Outline, entry: Entry): Section | undefined {
  const sections = parts.byType.get(entry.type.name)
  return sections && records.get(entry.url ?? '') === entry ? sectionOf(entry, sections) : undefined
}

function partsAfter(before: OutlineParts, shown: Change, { declared, sizes }: OutlinePlace): OutlineParts {
  const { holders, change } = holdersAfter(before.holders, shown)
  const { records } = holders
  const types = new Map([...change.gone, ...change.come].map(({ type }) => [type.name, type]))
  const byType = new Map(before.byType)
  for (const [name, type] of types) {
    const own = changeOf(change, (entry) => entry.type === type)
    byType.set(name, sectionsAfter(before.byType.get(name), type, own, { records, sizes }))
  }
  const termNames = before.termNames.after(change)
  return {
    holders,
    byType: new Map([...byType].sort(([a], [b]) => compareText(a, b))),
    news: sortedWith(before.news, changeOf(change, isNews), newestFirst),
    used: termsAfter(before.used, change, { declared, names: termNames, sizes }),
    termNames,
  }
}

function drawn(parts: OutlineParts, { declared, sizes }: OutlinePlace): Outline {
  const { holders, byType, news, used, termNames } = parts
  const { records } = holders
  const terms = used.named.filter(({ url }) => !records.has(url))
  const kin = once(() => new TermKin(terms))
  const taxonomies = once(() => taxonomyPages(terms, records))
  const aliases = once(() => aliasMap(records, terms))
  const problems = once(() => addressProblems(holders))
  const sections = [...byType.values()].flatMap(({ folders }) => [...folders.values()])
  return {
    parts,
    records,
    get aliases() {
      return aliases()
    },
    home: { url: '/', entries: homeEntries(news), ...sizes },
    index: records.get('/'),
    lists: listsOf(parts),
    sections: new Map(sections.map((section) => [section.url, section])),
    types: new Map([...byType].flatMap(([name, { sorted }]) => (sorted.length > 0 ? [[name, sorted]] : []))),
    terms: new Map(terms.map((term) => [term.url, term])),
    declared,
    get kin() {
      return kin()
    },
    termNames,
    names: new PageNames(records),
    get taxonomies() {
      return taxonomies()
    },
    get problems() {
      return problems()
    },
  }
}

/** Returns whether a site shows a record with these fields at `now`: live ones, and those that `showing` adds. */
export function isShown(fields: Readonly<Fields>, { statuses }: ContentType, now: number, showing: Showing): boolean {
  if (isLive(fields, statuses, now)) return true
  const status = String(fields.status)
  const live = statuses.get(status)?.live === true
  if (!live && !(showing.drafts && status !== 'archived')) return false
  if ((instantOf(fields.expires_at) ?? Number.POSITIVE_INFINITY) <= now) return false
  return showing.future || (instantOf(fields.published_at) ?? 0) <= now
}

/** The lists of types by address: two of one address are that of the first type. */
function listsOf({ byType, holders }: OutlineParts): Map<string, Section> {
  const lists = new Map<string, Section>()
  for (const sections of byType.values()) {
    const { root } = sections
    if (!lists.has(root.url) && hasList(sections, holders.records)) lists.set(root.url, root)
  }
  return lists
}

/** Old addresses of records, then those of terms that were called otherwise. */
function aliasMap(records: Records, terms: readonly TermListing[]): Map<string, string> {
  const aliases = new Map<string, string>()
  const lead = (alias: string, url: string) => {
    if (!records.has(alias) && !aliases.has(alias)) aliases.set(alias, url)
  }
  for (const [url, entry] of records) for (const alias of entry.aliases) lead(alias, url)
  for (const { url, aliases: old } of terms) for (const alias of old) lead(alias, url)
  return aliases
}

/** All that is in lists and is no page may be news; data such as authors is none where anything has a date. */
function isNews(entry: Entry): boolean {
  return isListed(entry) && entry.type.name !== 'pages' && entry.url !== '/'
}

/** All news that has a date, which comes first; where nothing has one, all of it. */
function homeEntries(news: readonly Entry[]): readonly Entry[] {
  const [first] = news
  if (first === undefined || first.published === undefined || news.at(-1)?.published !== undefined) return news
  return news.slice(
    0,
    news.findIndex(({ published }) => published === undefined),
  )
}
