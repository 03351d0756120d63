import { SEARCH_PAGE } from '#core/permalink.ts'
import { cut } from '#markdown/text.ts'
import type { Asked } from '../files/asked.ts'
import type { MenuItem } from '../outline/menu.ts'
import { type Listing, PER_PAGE } from '../outline/outline.ts'
import type { Entry } from '../outline/site-entries.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { pagesOf, pageUrl, type Target } from '../outline/targets.ts'
import type { TermLink } from '../outline/terms.ts'
import { mayBeSearched } from '../searching/place.ts'
import type { Theme } from '../theme/theme.ts'
import type { RecordView, Views } from './views.ts'

/** The name of the site and other facts about it, from the configuration. */
export interface SiteFacts {
  readonly name: string
  readonly locale: string
  /** True if it has a search page, provided that it is small enough. */
  readonly searchable: boolean
}

/** A page as HTML; `trusted` where it holds HTML that was not cleaned. */
export interface Printed {
  readonly html: string
  readonly trusted: boolean
  /** Set where the body of the record could not be made in time, and is shown as it was written. */
  readonly isPlain?: true
}

/** The metadata of a page. */
export interface PageFacts {
  readonly kind: string
  readonly path: string
  readonly title: string
  readonly description: string
  readonly noindex: boolean
  readonly og: 'article' | 'website'
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
}

const DESCRIPTION_LENGTH = 160

/** Prints targets with a theme: gathers what each template is given, and renders it. */
export class PageRenderer {
  readonly #facts: SiteFacts
  readonly #theme: Theme
  readonly #views: Views

  constructor(facts: SiteFacts, theme: Theme, views: Views) {
    this.#facts = facts
    this.#theme = theme
    this.#views = views
  }

  /** Renders the page of a target; undefined if its record was removed since the snapshot. Throws TemplateFailure. */
  async print(target: Printable, snapshot: SiteSnapshot): Promise<Printed | undefined> {
    return this.printPlan(this.plan(target, snapshot), snapshot)
  }

  /** As `print`, of a plan. What the bodies of records ask is put down in `asked`. */
  async printPlan(plan: Plan, snapshot: SiteSnapshot, asked?: Asked): Promise<Printed | undefined> {
    const whole = plan.whole && (await this.#views.record(plan.whole.entry, snapshot, asked))
    if (plan.whole?.as === 'record' && !whole) return undefined
    const facts = whole ? { ...plan.facts, description: descriptionOf(whole) } : plan.facts
    const printed = await this.#render(plan.template, snapshot, facts, {
      ...plan.data,
      ...(plan.listed && { records: await Promise.all(plan.listed.map((entry) => this.#views.summary(entry, snapshot))) }),
      ...(plan.whole && { [plan.whole.as]: whole ?? null }),
    })
    return { ...printed, trusted: plan.whole?.entry.type.html === 'trusted', ...(whole?.isPlain && { isPlain: true }) }
  }

  /** Returns the plan of a target's page, without the data read from its records. */
  plan(target: Printable, snapshot: SiteSnapshot): Plan {
    if (target.kind === 'record') return recordPlan(target.entry)
    if (target.kind === 'search') return searchPlan(target.works, snapshot)
    if (target.kind === 'terms') {
      const tree = snapshot.outline.kin.tree(target.terms, snapshot.base)
      const facts = pageFacts('terms', target.url, capital(target.name))
      return { template: 'terms', facts, data: { terms: flat(tree), tree } }
    }
    const { listing, page } = target
    const list = { template: target.kind, ...listed(listing, page, snapshot) }
    const path = pageUrl(listing, page)
    if (target.kind === 'home') return { ...list, ...this.#intro(path, snapshot.outline.index, list.data) }
    if (target.kind === 'list') return { ...list, facts: pageFacts('list', path, target.listing.label) }
    const { name, description, taxonomy } = target.listing
    const kin = snapshot.outline.kin.around(target.listing, snapshot.base)
    const term = { name, description, taxonomy: taxonomy.name, singular: taxonomy.singular, ...kin }
    return { ...list, facts: { ...pageFacts('term', path, name), description }, data: { ...list.data, term } }
  }

  /** The page that says there is no such page. */
  notFound(snapshot: SiteSnapshot): Promise<Printed> {
    return this.#render('404', snapshot, { ...pageFacts('404', '/404', 'Page not found'), noindex: true }, {})
  }

  /** Returns the data about the site that every template gets. */
  site({ base, outline }: SiteSnapshot): object {
    const { name, locale, searchable } = this.#facts
    const search = searchable && mayBeSearched(outline) ? base + SEARCH_PAGE : null
    return { name, locale, home: `${base}/`, feed: `${base}/feed.xml`, search }
  }

  #intro(path: string, index: Entry | undefined, data: object): Pick<Plan, 'facts' | 'whole' | 'data'> {
    if (!index) return { facts: pageFacts('home', path, this.#facts.name), data: { ...data, intro: null } }
    const facts = { ...pageFacts('home', path, index.title), noindex: index.noindex }
    return { facts, data, whole: { as: 'intro', entry: index } }
  }

  async #render(template: string, snapshot: SiteSnapshot, facts: PageFacts, data: object): Promise<Printed> {
    const { base, origin } = snapshot
    const { path, ...page } = facts
    const html = await this.#theme.render(
      template,
      {
        site: this.site(snapshot),
        page: { ...page, url: base + path, canonical: origin + base + path },
        menu: snapshot.menu.map((item) => menuView(item, path, base)),
        settings: snapshot.settings,
        ...data,
      },
      base,
    )
    return { html, trusted: false }
  }
}

function recordPlan(entry: Entry): Plan {
  const facts: PageFacts = {
    ...pageFacts('record', entry.url ?? '/', entry.title),
    noindex: entry.noindex,
    og: entry.published === undefined ? 'website' : 'article',
  }
  const template = entry.type.template ?? (entry.type.name === 'pages' ? 'page' : 'record')
  return { template, facts, data: {}, whole: { as: 'record', entry } }
}

/** Without JavaScript, or without an index, there is all that can be gone through. */
function searchPlan(works: boolean, { base, outline }: SiteSnapshot): Plan {
  const counted = ({ url, entries }: Listing) => ({ url: base + url, count: entries.length })
  return {
    template: 'search',
    facts: { ...pageFacts('search', SEARCH_PAGE, 'Search'), noindex: true },
    data: {
      search: works ? { module: `${base}${SEARCH_PAGE}/search.js` } : null,
      lists: [...outline.lists.values()].map((list) => ({ label: list.label, ...counted(list) })),
      taxonomies: [...outline.taxonomies.values()].map(({ taxonomy, url, terms }) => ({
        name: taxonomy.name,
        url: base + url,
        terms: terms.map((term) => ({ name: term.name, ...counted(term) })),
      })),
    },
  }
}

function listed(listing: Listing, page: number, snapshot: SiteSnapshot): Pick<Plan, 'listed' | 'data'> {
  const pages = pagesOf(listing)
  const address = (n: number) => (n >= 1 && n <= pages ? snapshot.base + pageUrl(listing, n) : null)
  const paging = { page, pages, total: listing.entries.length, newer: address(page - 1), older: address(page + 1) }
  return { listed: listing.entries.slice((page - 1) * PER_PAGE, page * PER_PAGE), data: { paging } }
}

/** All terms of a tree by name, without those below them. */
function flat(tree: readonly TermLink[]): TermLink[] {
  const all = tree.flatMap(({ children, ...term }): TermLink[] => [{ ...term, children: [] }, ...flat(children)])
  return all.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function pageFacts(kind: string, path: string, title: string): PageFacts {
  return { kind, path, title, description: '', noindex: false, og: 'website' }
}

function descriptionOf(record: RecordView): string {
  return cut(record.excerpt.replace(/\s+/g, ' '), DESCRIPTION_LENGTH)
}

function menuView(item: MenuItem, path: string, base: string): object {
  const internal = item.url?.startsWith('/') === true && !item.url.startsWith('//')
  return {
    label: item.label,
    url: internal ? base + item.url : item.url,
    current: item.url === path,
    within: internal && item.url !== '/' && path.startsWith(`${item.url}/`),
    new_tab: item.newTab,
    children: item.children.map((child) => menuView(child, path, base)),
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
