import { SEARCH_PAGE } from '#core/permalink.ts'
import { cut } from '#markdown/text.ts'
import { FEED_FORMS, type FeedForm, feedUrl, hasFeed } from '../feeds/feed-places.ts'
import type { Entry } from '../outline/entry.ts'
import { type Listing, sectionIn } from '../outline/outline.ts'
import { isHead } from '../outline/sections.ts'
import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'
import { pagesOf, pageUrl, type Target } from '../outline/targets.ts'
import { flatTerms } from '../outline/terms.ts'
import { type Step, trailTo } from '../outline/trail.ts'
import type { RecordView } from './views.ts'

const DESCRIPTION_LENGTH = 160

/** The most terms of a taxonomy on the search page, which is to be fetched quickly. */
const MOST_TERMS = 100

/** The metadata of a page. */
export interface PageFacts {
  readonly kind: string
  readonly path: string
  readonly title: string
  readonly description: string
  readonly noindex: boolean
  readonly og: 'article' | 'website'
  /** The pages on the way to it, from the top, with their whole addresses. */
  readonly breadcrumbs: readonly Step[]
  /** Its own feeds, if it has some, and that of the site. */
  readonly feeds: readonly FeedLink[]
}

/** The link of a page to a feed. */
export interface FeedLink {
  readonly title: string
  readonly url: string
  /** Its media type. */
  readonly type: string
}

/** A target with a page of its own to print. */
export type Printable = Exclude<Target, { kind: 'redirect' }>

/** The plan of a page: the input of its template, except for the views of records, which are read when the page is made. */
export interface Plan {
  readonly template: string
  readonly facts: PageFacts
  readonly data: object
  /** Entries whose summaries the template gets as `records`. */
  readonly listed?: readonly Entry[]
  /** The record it is given whole, and as what. */
  readonly whole?: { readonly as: 'record' | 'intro'; readonly entry: Entry }
  /** The section that it is of. */
  readonly section?: { readonly title: string; readonly url: string }
}

/** The facts that plans need beside the snapshot. */
export interface PlanPlace {
  /** The name of the site. */
  readonly name: string
  /** Returns the words of a name in the language of the site. */
  text(name: string): string
  /** Returns whether there is a template of a name. */
  hasTemplate(name: string): boolean
}

/** Returns the plan of a target's page, without the data read from its records. */
export function planOf(target: Printable, snapshot: SiteSnapshot, place: PlanPlace): Plan {
  const plan = planned(target, snapshot, place)
  const breadcrumbs = trailTo(snapshot.outline, plan.facts.path).map(({ title, url }) => ({ title, url: hrefOf(snapshot, url) }))
  const feeds = feedLinks(target, plan.facts.title, snapshot, place)
  return Object.assign({ ...plan }, { facts: Object.assign({ ...plan.facts }, { breadcrumbs, feeds }) })
}

/** The facts of the page for what is not there. */
export function missingFacts({ text }: Pick<PlanPlace, 'text'>): PageFacts {
  return { ...pageFacts('404', '/404', text('not_found')), noindex: true }
}

/**
 * The template of a record: its own `template`, where there is one of that name, else its type's. Names of parts, which have a
 * folder, are none of a record.
 */
export function templateOf({ template, type }: Entry, hasTemplate: PlanPlace['hasTemplate']): string {
  if (template !== undefined && isTemplateName(template) && hasTemplate(template)) return template
  return type.template ?? (type.name === 'pages' ? 'page' : 'record')
}

function feedLinks(target: Printable, title: string, { base, outline }: SiteSnapshot, { name }: PlanPlace): FeedLink[] {
  const linkTo = (listing: Listing, title: string) => (form: FeedForm) => ({
    title,
    url: base + feedUrl(listing, form),
    type: form.contentType,
  })
  if (target.kind === 'home') return FEED_FORMS.map(linkTo(outline.home, name))
  const isList = target.kind === 'list' || target.kind === 'term'
  const own = isList && hasFeed(target.listing) ? FEED_FORMS.map(linkTo(target.listing, `${title} · ${name}`)) : []
  return [...own, ...FEED_FORMS.slice(0, 1).map(linkTo(outline.home, name))]
}

function isTemplateName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name) && name !== 'layout'
}

function planned(target: Printable, snapshot: SiteSnapshot, place: PlanPlace): Plan {
  if (target.kind === 'record') return { ...recordPlan(target.entry, place), ...sectionOf(target.entry, snapshot) }
  if (target.kind === 'list') return listPlan(target, snapshot, place)
  if (target.kind === 'search') return searchPlan(snapshot, place)
  const href = (url: string) => hrefOf(snapshot, url)
  if (target.kind === 'terms') {
    const tree = snapshot.outline.kin.tree(target.terms, href)
    const facts = pageFacts('terms', target.url, capital(target.name))
    return { template: 'terms', facts, data: { terms: flatTerms(tree), tree } }
  }
  const { listing, page } = target
  const list = { template: target.kind, ...listed(listing, page, snapshot) }
  const path = pageUrl(listing, page)
  if (target.kind === 'home') return { ...list, ...intro(path, snapshot.outline.index, list.data, place) }
  const { name, description, taxonomy } = target.listing
  const kin = snapshot.outline.kin.around(target.listing, href)
  const term = { name, description, taxonomy: taxonomy.name, singular: taxonomy.singular, ...kin }
  return { ...list, facts: { ...pageFacts('term', path, name), description }, data: { ...list.data, term } }
}

function intro(
  path: string,
  index: Entry | undefined,
  data: object,
  { name }: PlanPlace,
): Pick<Plan, 'facts' | 'whole' | 'data'> {
  if (!index) return { facts: pageFacts('home', path, name), data: { ...data, intro: null } }
  const facts = { ...pageFacts('home', path, index.title), noindex: index.noindex }
  return { facts, data, whole: { as: 'intro', entry: index } }
}

function recordPlan(entry: Entry, { hasTemplate }: PlanPlace): Plan {
  const facts: PageFacts = {
    ...pageFacts('record', entry.url ?? '/', entry.title),
    noindex: entry.noindex,
    og: entry.published === undefined ? 'website' : 'article',
  }
  return { template: templateOf(entry, hasTemplate), facts, data: {}, whole: { as: 'record', entry } }
}

/**
 * The page of a list: that of its record, if it has one. An `index.md` within a type is made with the template of its type, all
 * others with `list`, unless they name one.
 */
function listPlan({ listing, page }: Printable & { kind: 'list' }, snapshot: SiteSnapshot, place: PlanPlace): Plan {
  const { index, label } = listing
  const path = pageUrl(listing, page)
  const section = { title: label, url: listing.url }
  const list = { ...listed(listing, page, snapshot), section }
  if (!index) return { ...list, template: 'list', facts: pageFacts('list', path, label) }
  const own = recordPlan(index, place)
  const isList = index.isSection || isHead(index)
  const facts = { ...own.facts, path, kind: isList ? 'list' : 'record' }
  return { ...own, ...list, template: isList && own.template !== index.template ? 'list' : own.template, facts }
}

/** The nearest section of a record that has a list. */
function sectionOf(entry: Entry, { outline }: SiteSnapshot): Pick<Plan, 'section'> {
  const section = sectionIn(outline, entry)
  if (!section || (outline.lists.get(section.url) ?? outline.sections.get(section.url)) !== section) return {}
  return { section: { title: section.label, url: section.url } }
}

/** Returns the lists of types as pages name them that lead on from where nothing else does. */
export function listsOf(snapshot: SiteSnapshot): readonly { label: string; url: string; count: number }[] {
  const lists = [...snapshot.outline.lists.values()]
  return lists.map(({ label, url, entries }) => ({ label, url: hrefOf(snapshot, url), count: entries.length }))
}

/** Without JavaScript there is all that can be gone through. */
function searchPlan(snapshot: SiteSnapshot, { text }: PlanPlace): Plan {
  const { base, outline } = snapshot
  const counted = ({ url, entries }: Listing) => ({ url: hrefOf(snapshot, url), count: entries.length })
  return {
    template: 'search',
    facts: { ...pageFacts('search', SEARCH_PAGE, text('search')), noindex: true },
    data: {
      search: { module: `${base}${SEARCH_PAGE}/search.js` },
      lists: listsOf(snapshot),
      taxonomies: [...outline.taxonomies.values()].map(({ taxonomy, url, terms }) => ({
        name: taxonomy.name,
        url: hrefOf(snapshot, url),
        terms: mostUsed(terms).map((term) => ({ name: term.name, ...counted(term) })),
      })),
    },
  }
}

/** The terms of most records, in their order: the page of the taxonomy has all. */
function mostUsed<T extends Listing>(terms: readonly T[]): readonly T[] {
  if (terms.length <= MOST_TERMS) return terms
  const used = new Set(terms.toSorted((a, b) => b.entries.length - a.entries.length).slice(0, MOST_TERMS))
  return terms.filter((term) => used.has(term))
}

function listed(listing: Listing, page: number, snapshot: SiteSnapshot): Pick<Plan, 'listed' | 'data'> {
  const pages = pagesOf(listing)
  const address = (n: number) => (n >= 1 && n <= pages ? hrefOf(snapshot, pageUrl(listing, n)) : null)
  const paging = {
    page,
    pages,
    total: listing.entries.length,
    by_date: listing.newest === undefined,
    newer: address(page - 1),
    older: address(page + 1),
  }
  const { entries, perPage } = listing
  return { listed: entries.slice((page - 1) * perPage, page * perPage), data: { paging } }
}

function pageFacts(kind: string, path: string, title: string): PageFacts {
  return { kind, path, title, description: '', noindex: false, og: 'website', breadcrumbs: [], feeds: [] }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns what search engines and previews say of a record: its excerpt, cut. */
export function descriptionOf({ excerpt }: Pick<RecordView, 'excerpt'>): string {
  return cut(excerpt.replace(/\s+/g, ' '), DESCRIPTION_LENGTH)
}
