import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { instantOf, isLive } from '#core/status.ts'
import type { DeclaredTerms } from '#core/terms/tree.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { compareText } from '#lib/compare-text.ts'
import type { Fields } from '#lib/json.ts'
import type { ListSizes } from './list-sizes.ts'
import { byId, newestFirst } from './order.ts'
import { PageNames } from './page-names.ts'
import { inOrder, isHead, type Section, sectionsOf } from './sections.ts'
import type { Entry } from './site-entries.ts'
import { SiteTermNames } from './term-names.ts'
import { type TaxonomyPage, TermKin, type TermListing, taxonomyPages, termListings } from './terms.ts'

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
  readonly records: ReadonlyMap<string, Entry>
  /** The page an old address leads to. */
  readonly aliases: ReadonlyMap<string, string>
  readonly home: Listing
  /** The intro of the home page: `index` of pages. */
  readonly index: Entry | undefined
  /** Lists of types, by address. */
  readonly lists: ReadonlyMap<string, Section>
  /** Sections of folders, by address. */
  readonly sections: ReadonlyMap<string, Section>
  /** The nearest section of each record in a list; of the page of a section the one that it is in. */
  readonly within: ReadonlyMap<Entry, Section>
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
}

/** Makes the outline of a site as of `now`. Two records with one address: the first by id, then by type, has it. */
export function outlineOf(
  entries: Iterable<Entry>,
  declared: ReadonlyMap<string, DeclaredTerms>,
  now: number,
  showing: Showing,
  sizes: ListSizes,
): Outline {
  const problems: Problem[] = []
  const records = new Map<string, Entry>()
  for (const entry of [...entries].sort(byId)) {
    if (!isShown(entry.timing, entry.type, now, showing)) continue
    const holder = entry.url === null ? undefined : records.get(entry.url)
    if (entry.url === null) noteFault(entry, problems)
    else if (holder) problems.push(collision(entry, holder))
    else records.set(entry.url, entry)
  }
  const shown = [...records.values()].filter(({ unlisted }) => !unlisted).sort(newestFirst)
  const listed = shown.filter((entry) => !entry.isSection && !isHead(entry))
  const termNames = new SiteTermNames(records.values(), declared)
  const terms = termListings(shown, { declared, names: termNames, sizes }, records)
  const index = records.get('/')
  const { lists, folders, within } = sectionsOf(records, listed, sizes)
  return {
    records,
    aliases: aliasMap(records, terms),
    home: { url: '/', entries: homeEntries(listed), ...sizes },
    index,
    lists,
    sections: folders,
    within,
    types: byType(listed),
    terms: new Map(terms.map((term) => [term.url, term])),
    declared,
    kin: new TermKin(terms),
    termNames,
    names: new PageNames(records),
    taxonomies: taxonomyPages(terms, records),
    problems,
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

function noteFault(entry: Entry, problems: Problem[]): void {
  if (entry.fault === undefined) return
  const hint = 'Change its permalink or slug, or set what is missing.'
  problems.push({ file: keyText(entry.key), message: `This record ${entry.fault}: it has no page.`, hint, severity: 'error' })
}

function collision(entry: Entry, holder: Entry): Problem {
  return {
    file: keyText(entry.key),
    message: `This record has the address "${entry.url}", which ${keyText(holder.key)} has already: it has no page.`,
    hint: 'Give one of them another slug or permalink.',
    severity: 'error',
  }
}

/** Old addresses of records, then those of terms that were called otherwise. */
function aliasMap(records: ReadonlyMap<string, Entry>, terms: readonly TermListing[]): Map<string, string> {
  const aliases = new Map<string, string>()
  const lead = (alias: string, url: string) => {
    if (!records.has(alias) && !aliases.has(alias)) aliases.set(alias, url)
  }
  for (const [url, entry] of records) for (const alias of entry.aliases) lead(alias, url)
  for (const { url, aliases: old } of terms) for (const alias of old) lead(alias, url)
  return aliases
}

/** All that has a date and is no page: data such as authors is no news. Where nothing has one, all that is no page. */
function homeEntries(shown: readonly Entry[]): Entry[] {
  const entries = shown.filter((entry) => entry.type.name !== 'pages' && entry.url !== '/')
  const dated = entries.filter((entry) => entry.published !== undefined)
  return dated.length > 0 ? dated : entries
}

function byType(shown: readonly Entry[]): Map<string, Entry[]> {
  const types = new Map<string, Entry[]>()
  for (const entry of shown) {
    const entries = types.get(entry.type.name)
    if (entries) entries.push(entry)
    else types.set(entry.type.name, [entry])
  }
  const named = [...types].sort(([a], [b]) => compareText(a, b))
  return new Map(named.map(([name, [first, ...more]]) => [name, first ? inOrder(first.type, [first, ...more]) : []]))
}
