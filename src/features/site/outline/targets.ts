import { pageHref, type UrlStyle } from '#core/page-address.ts'
import { plainPath, SEARCH_PAGE } from '#core/permalink.ts'
import type { Entry } from './entry.ts'
import type { Listing, Outline } from './outline.ts'
import type { Section } from './sections.ts'
import type { TermListing } from './terms.ts'

/**
 * The target of an address: a record's page, a page of a list, a taxonomy's overview, the search, or a redirect to another
 * address.
 */
export type Target =
  | { readonly kind: 'record'; readonly entry: Entry }
  | { readonly kind: 'home'; readonly listing: Listing; readonly page: number }
  | { readonly kind: 'list'; readonly listing: Section; readonly page: number }
  | { readonly kind: 'term'; readonly listing: TermListing; readonly page: number }
  | { readonly kind: 'terms'; readonly name: string; readonly url: string; readonly terms: readonly TermListing[] }
  | { readonly kind: 'search' }
  | { readonly kind: 'redirect'; readonly to: string }

/** Counts the pages of a list; an empty list has one. */
export function pagesOf(listing: Listing): number {
  return Math.max(1, Math.ceil(listing.entries.length / listing.perPage))
}

/** The address of a page of a list: `/tags/news/page/2`. */
export function pageUrl(listing: Listing, page: number): string {
  if (page <= 1) return listing.url
  return `${listing.url === '/' ? '' : listing.url}/page/${page}`
}

/**
 * Finds the target of a path (in the spelling of `plainPath`); undefined if there is none. A record takes precedence over a list
 * that it is not the page of, a list over an alias.
 */
export function targetAt(outline: Outline, path: string): Target | undefined {
  const entry = path === '/' ? undefined : outline.records.get(path)
  if (entry && !isPageOfList(entry, outline)) return { kind: 'record', entry }
  const found = listAt(outline, path, 1) ?? pageOfList(outline, path)
  if (found) return found
  const to = outline.aliases.get(path)
  return to === undefined ? undefined : { kind: 'redirect', to }
}

/** The address of the page to which a path leads, be it by a redirect; undefined where there is none. */
export function pageAt(path: string, outline: Outline, urls: UrlStyle): string | undefined {
  const plain = plainPath(path)
  if (plain === undefined) return undefined
  const target = targetAt(outline, plain)
  if (target?.kind === 'redirect') return pageHref(target.to, urls)
  return target || plain === SEARCH_PAGE ? pageHref(plain, urls) : undefined
}

/** The path of the page whose file has a path in a site of files: `/x` for `/x.html`. Undefined where there is none. */
export function pageOfFile(path: string, outline: Outline): string | undefined {
  const page = path.endsWith('.html') ? path.slice(0, -'.html'.length) : undefined
  const target = page === undefined ? undefined : targetAt(outline, page)
  return target && target.kind !== 'redirect' ? page : undefined
}

/** Every address of the site with what is there: pages first, then the redirects of aliases. */
export function* targets(outline: Outline): Generator<{ path: string; target: Target }> {
  const { home, lists, sections, terms } = outline
  for (const listing of [home, ...lists.values(), ...sections.values(), ...terms.values()]) {
    for (let page = 1; page <= pagesOf(listing); page++) {
      const path = pageUrl(listing, page)
      const target = targetAt(outline, path)
      if (target && target.kind !== 'record') yield { path, target }
    }
  }
  for (const [path, { taxonomy, url, terms }] of outline.taxonomies) {
    if (targetAt(outline, path)?.kind === 'terms') yield { path, target: { kind: 'terms', name: taxonomy.name, url, terms } }
  }
  for (const [path, entry] of outline.records) {
    if (path !== '/' && !isPageOfList(entry, outline)) yield { path, target: { kind: 'record', entry } }
  }
  for (const path of outline.aliases.keys()) {
    const target = targetAt(outline, path)
    if (target?.kind === 'redirect') yield { path, target }
  }
}

function isPageOfList(entry: Entry, { lists, sections }: Outline): boolean {
  const url = entry.url ?? ''
  return (lists.get(url) ?? sections.get(url))?.index === entry
}

function pageOfList(outline: Outline, path: string): Target | undefined {
  const parts = /^(.*)\/page\/([1-9]\d{0,8})$/.exec(path)
  if (!parts) return undefined
  const list = parts[1] || '/'
  const page = Number(parts[2])
  const target = listAt(outline, list, page)
  return page === 1 && target ? { kind: 'redirect', to: list } : target
}

function listAt(outline: Outline, path: string, page: number): Target | undefined {
  if (path === '/') return page <= pagesOf(outline.home) ? { kind: 'home', listing: outline.home, page } : undefined
  const list = outline.lists.get(path) ?? outline.sections.get(path)
  if (list) return page <= pagesOf(list) ? { kind: 'list', listing: list, page } : undefined
  const term = outline.terms.get(path)
  if (term) return page <= pagesOf(term) ? { kind: 'term', listing: term, page } : undefined
  const overview = outline.taxonomies.get(path)
  return overview && page === 1
    ? { kind: 'terms', name: overview.taxonomy.name, url: overview.url, terms: overview.terms }
    : undefined
}
