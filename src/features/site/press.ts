import type { Entry } from './catalog.ts'
import type { Edition } from './edition.ts'
import { cut } from './markdown.ts'
import type { MenuItem } from './menu.ts'
import { type Listing, PER_PAGE } from './outline.ts'
import { mayBeSearched, SEARCH_PAGE } from './searching/place.ts'
import { pagesOf, pageUrl, type Target } from './targets.ts'
import type { TermLink } from './terms.ts'
import type { Theme } from './theme.ts'
import type { RecordView, Views } from './views.ts'

/** What the site is called, as the configuration has it. */
export interface SiteFacts {
  readonly name: string
  readonly locale: string
  /** Whether it has a page that searches, where it is small enough. */
  readonly searchable: boolean
}

/** A page as HTML; `trusted` where it holds HTML that was not cleaned. */
export interface Printed {
  readonly html: string
  readonly trusted: boolean
}

interface PageFacts {
  readonly kind: string
  readonly path: string
  readonly title: string
  readonly description: string
  readonly noindex: boolean
  readonly og: 'article' | 'website'
}

const DESCRIPTION_LENGTH = 160

/** Prints targets with a theme: gathers what each template is given, and renders it. */
export class Press {
  readonly #facts: SiteFacts
  readonly #theme: Theme
  readonly #views: Views

  constructor(facts: SiteFacts, theme: Theme, views: Views) {
    this.#facts = facts
    this.#theme = theme
    this.#views = views
  }

  /** The page of a target; undefined where its record is gone since the edition was made. Throws TemplateFailure. */
  async print(target: Exclude<Target, { kind: 'redirect' }>, edition: Edition): Promise<Printed | undefined> {
    if (target.kind === 'record') return this.#record(target.entry, edition)
    if (target.kind === 'search') return this.#search(target.works, edition)
    if (target.kind === 'home') return this.#home(target.listing, target.page, edition)
    if (target.kind === 'terms') {
      const tree = edition.outline.kin.tree(target.terms, edition.base)
      const facts = pageFacts('terms', target.url, capital(target.name))
      return this.#render('terms', edition, facts, { terms: flat(tree), tree })
    }
    const { listing, page } = target
    const title = target.kind === 'term' ? target.listing.name : target.listing.label
    const description = target.kind === 'term' ? target.listing.description : ''
    const extra =
      target.kind === 'term'
        ? {
            term: {
              name: title,
              description,
              taxonomy: target.listing.taxonomy.name,
              singular: target.listing.taxonomy.singular,
              ...edition.outline.kin.around(target.listing, edition.base),
            },
          }
        : {}
    const facts = { ...pageFacts(target.kind, pageUrl(listing, page), title), description }
    return this.#render(target.kind, edition, facts, { ...(await this.#listed(listing, page, edition)), ...extra })
  }

  /** The page that says there is no such page. */
  notFound(edition: Edition): Printed {
    return this.#render('404', edition, { ...pageFacts('404', '/404', 'Page not found'), noindex: true }, {})
  }

  async #record(entry: Entry, edition: Edition): Promise<Printed | undefined> {
    const record = await this.#views.record(entry, edition)
    if (!record) return undefined
    const template = entry.type.template ?? (entry.type.name === 'pages' ? 'page' : 'record')
    const facts: PageFacts = {
      kind: 'record',
      path: entry.url ?? '/',
      title: entry.title,
      description: descriptionOf(record),
      noindex: entry.noindex,
      og: entry.published === undefined ? 'website' : 'article',
    }
    return { ...this.#render(template, edition, facts, { record }), trusted: entry.type.html === 'trusted' }
  }

  async #home(listing: Listing, page: number, edition: Edition): Promise<Printed> {
    const index = edition.outline.index
    const intro = index && (await this.#views.record(index, edition))
    const facts = {
      ...pageFacts('home', pageUrl(listing, page), intro?.title ?? this.#facts.name),
      description: intro ? descriptionOf(intro) : '',
      noindex: index?.noindex === true,
    }
    const printed = this.#render('home', edition, facts, {
      ...(await this.#listed(listing, page, edition)),
      intro: intro ?? null,
    })
    return { ...printed, trusted: index?.type.html === 'trusted' }
  }

  /** Without JavaScript, or without an index, there is all that can be gone through. */
  #search(works: boolean, edition: Edition): Printed {
    const { base, outline } = edition
    const counted = ({ url, entries }: Listing) => ({ url: base + url, count: entries.length })
    return this.#render(
      'search',
      edition,
      { ...pageFacts('search', SEARCH_PAGE, 'Search'), noindex: true },
      {
        search: works ? { module: `${base}${SEARCH_PAGE}/search.js` } : null,
        lists: [...outline.lists.values()].map((list) => ({ label: list.label, ...counted(list) })),
        taxonomies: [...outline.taxonomies.values()].map(({ taxonomy, url, terms }) => ({
          name: taxonomy.name,
          url: base + url,
          terms: terms.map((term) => ({ name: term.name, ...counted(term) })),
        })),
      },
    )
  }

  async #listed(listing: Listing, page: number, edition: Edition): Promise<object> {
    const part = listing.entries.slice((page - 1) * PER_PAGE, page * PER_PAGE)
    const pages = pagesOf(listing)
    const address = (n: number) => (n >= 1 && n <= pages ? edition.base + pageUrl(listing, n) : null)
    return {
      records: await Promise.all(part.map((entry) => this.#views.summary(entry, edition))),
      paging: { page, pages, total: listing.entries.length, newer: address(page - 1), older: address(page + 1) },
    }
  }

  #render(template: string, edition: Edition, facts: PageFacts, data: object): Printed {
    const { base, origin } = edition
    const { path, ...page } = facts
    const { name, locale, searchable } = this.#facts
    const search = searchable && mayBeSearched(edition.outline) ? base + SEARCH_PAGE : null
    const html = this.#theme.render(
      template,
      {
        site: { name, locale, home: `${base}/`, feed: `${base}/feed.xml`, search },
        page: { ...page, url: base + path, canonical: origin + base + path },
        menu: edition.menu.map((item) => menuView(item, path, base)),
        ...data,
      },
      base,
    )
    return { html, trusted: false }
  }
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
