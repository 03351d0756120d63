import type { Taxonomy } from '../../core/content-type.ts'
import type { Problem } from '../../core/document.ts'
import { idToPath, keyText } from '../../core/key.ts'
import { plainPath } from '../../core/permalink.ts'
import { isLive, nextTurn } from '../../core/status.ts'
import type { Entry } from './catalog.ts'

/** Which records a site shows beside those that are live. */
export interface Showing {
  readonly drafts: boolean
  readonly future: boolean
}

/** A list of records that has pages of its own: of the home page, a type or a term; newest first. */
export interface Listing {
  readonly url: string
  readonly entries: readonly Entry[]
}

/** A term as the site shows it. */
export interface TermListing extends Listing {
  readonly taxonomy: Taxonomy
  readonly id: string
  readonly name: string
  readonly description: string
  readonly parent: string | undefined
}

/** What a taxonomy's documents say of its terms. */
export interface TermFacts {
  readonly name: string
  readonly description: string
  readonly parent: string | undefined
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
  readonly lists: ReadonlyMap<string, Listing & { readonly label: string }>
  readonly terms: ReadonlyMap<string, TermListing>
  /** Overview pages of taxonomies, by address. */
  readonly taxonomies: ReadonlyMap<
    string,
    { readonly taxonomy: Taxonomy; readonly url: string; readonly terms: readonly TermListing[] }
  >
  readonly problems: readonly Problem[]
  /** When the clock next changes what is shown, in milliseconds since 1970. */
  readonly until: number
}

/** How many records a page of a list has. */
export const PER_PAGE = 10

/** Makes the outline of a site as of `now`. Two records with one address: the first by id, then by type, has it. */
export function outlineOf(
  entries: Iterable<Entry>,
  facts: ReadonlyMap<string, ReadonlyMap<string, TermFacts>>,
  now: number,
  showing: Showing,
): Outline {
  const problems: Problem[] = []
  const records = new Map<string, Entry>()
  let until = Number.POSITIVE_INFINITY
  for (const entry of [...entries].sort(byId)) {
    until = Math.min(until, nextTurn(entry.timing, entry.type.statuses, now) ?? until)
    if (!isShown(entry, now, showing)) continue
    const holder = entry.url === null ? undefined : records.get(entry.url)
    if (entry.url === null) noteFault(entry, problems)
    else if (holder) problems.push(collision(entry, holder))
    else records.set(entry.url, entry)
  }
  const shown = [...records.values()].sort(newestFirst)
  const terms = termListings(shown, facts, records)
  const index = records.get('/')
  return {
    records,
    aliases: aliasMap(records),
    home: { url: '/', entries: homeEntries(shown) },
    index,
    lists: typeLists(shown, records),
    terms: new Map(terms.map((term) => [term.url, term])),
    taxonomies: taxonomyPages(terms, records),
    problems,
    until,
  }
}

function isShown(entry: Entry, now: number, showing: Showing): boolean {
  const { timing, type } = entry
  if (isLive(timing, type.statuses, now)) return true
  const status = String(timing.status)
  const live = type.statuses.get(status)?.live === true
  if (!live && !(showing.drafts && status !== 'archived')) return false
  const expires = typeof timing.expires_at === 'string' ? Date.parse(timing.expires_at) : Number.NaN
  if (expires <= now) return false
  return showing.future || (entry.published ?? 0) <= now
}

function byId(a: Entry, b: Entry): number {
  return order(a.key.id, b.key.id) || order(a.type.name, b.type.name)
}

function newestFirst(a: Entry, b: Entry): number {
  return (b.published ?? Number.NEGATIVE_INFINITY) - (a.published ?? Number.NEGATIVE_INFINITY) || byId(a, b)
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
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

function aliasMap(records: ReadonlyMap<string, Entry>): Map<string, string> {
  const aliases = new Map<string, string>()
  for (const [url, entry] of records) {
    for (const alias of entry.aliases) if (!records.has(alias) && !aliases.has(alias)) aliases.set(alias, url)
  }
  return aliases
}

/** All that has a date and is no page: data such as authors is no news. Where nothing has one, all that is no page. */
function homeEntries(shown: readonly Entry[]): Entry[] {
  const entries = shown.filter((entry) => entry.type.name !== 'pages' && entry.url !== '/')
  const dated = entries.filter((entry) => entry.published !== undefined)
  return dated.length > 0 ? dated : entries
}

/** `/blog` for the permalink `/blog/{slug}`, else `/{type}`. */
function listUrl(entry: Entry): string {
  const fixed = (entry.type.permalink ?? '').replaceAll('{type}', entry.type.name).split('{', 1)[0] ?? ''
  const folder = plainPath(fixed.slice(0, fixed.lastIndexOf('/') + 1)) ?? '/'
  return folder === '/' ? (plainPath(`/${entry.type.name}`) ?? '/') : folder
}

function typeLists(shown: readonly Entry[], records: ReadonlyMap<string, Entry>): Map<string, Listing & { label: string }> {
  const byType = new Map<string, Entry[]>()
  for (const entry of shown) {
    const name = entry.type.name
    if (name !== 'pages')
      byType
        .set(name, byType.get(name) ?? [])
        .get(name)
        ?.push(entry)
  }
  const lists = new Map<string, Listing & { label: string }>()
  for (const [, entries] of [...byType].sort(([a], [b]) => order(a, b))) {
    const [first] = entries
    const url = first && listUrl(first)
    if (url && !records.has(url) && !lists.has(url)) lists.set(url, { url, label: first.type.label, entries })
  }
  return lists
}

function termListings(
  shown: readonly Entry[],
  facts: ReadonlyMap<string, ReadonlyMap<string, TermFacts>>,
  records: ReadonlyMap<string, Entry>,
): TermListing[] {
  const taxonomies = new Map(shown.flatMap((entry) => entry.type.taxonomies.map((taxonomy) => [taxonomy.name, taxonomy])))
  const terms: TermListing[] = []
  for (const taxonomy of taxonomies.values()) {
    const known = facts.get(taxonomy.name) ?? new Map<string, TermFacts>()
    for (const [id, entries] of carriers(shown, taxonomy, known)) {
      const url = termUrl(taxonomy.name, id)
      if (!url || records.has(url)) continue
      const fact = known.get(id)
      terms.push({
        taxonomy,
        id,
        url,
        entries,
        name: fact?.name ?? id,
        description: fact?.description ?? '',
        parent: fact?.parent,
      })
    }
  }
  return terms.sort((a, b) => order(a.name, b.name))
}

/** The address of a term's page, percent-encoded; undefined where its name can't be in one. */
export function termUrl(taxonomy: string, id: string): string | undefined {
  return plainPath(`/${[taxonomy, ...idToPath(id).split('/')].map(encodeURIComponent).join('/')}`)
}

/** The records of each term; those of its descendants too. */
function carriers(shown: readonly Entry[], taxonomy: Taxonomy, known: ReadonlyMap<string, TermFacts>): Map<string, Entry[]> {
  const carried = new Map<string, Set<Entry>>()
  for (const entry of shown) {
    for (const id of entry.terms[taxonomy.name] ?? []) {
      for (const term of lineage(id, known)) carried.set(term, (carried.get(term) ?? new Set()).add(entry))
    }
  }
  return new Map([...carried].map(([id, entries]) => [id, [...entries]]))
}

function lineage(id: string, known: ReadonlyMap<string, TermFacts>): Set<string> {
  const line = new Set([id])
  for (let parent = known.get(id)?.parent; parent !== undefined && !line.has(parent); parent = known.get(parent)?.parent)
    line.add(parent)
  return line
}

function taxonomyPages(terms: readonly TermListing[], records: ReadonlyMap<string, Entry>): Outline['taxonomies'] {
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
