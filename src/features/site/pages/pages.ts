import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { pageHref } from '#core/page-address.ts'
import { SEARCH_PAGE } from '#core/permalink.ts'
import type { Prints } from '../data/prints.ts'
import type { ListAnswers } from '../data/questions.ts'
import { type FeedPlace, feedAt, feedPlaces } from '../feeds/feed-places.ts'
import type { Feeds } from '../feeds/feeds.ts'
import { llmsTxt } from '../feeds/llms.ts'
import { robotsTxt, type Sitemaps } from '../feeds/sitemap.ts'
import { redirectTo } from '../outline/redirect.ts'
import type { SitePage, SiteSnapshot } from '../outline/site-snapshot.ts'
import { type Target, targetAt, targets } from '../outline/targets.ts'
import { hasTwin, pageOfTwin, twinOf } from '../outline/twins.ts'
import { FOR_ROBOTS, LLMS, ROBOTS } from '../outline/yielding.ts'
import { mayBeSearched, SEARCH_FILES } from '../searching/place.ts'
import type { SiteSearch } from '../searching/site-search.ts'
import type { Theme } from '../theme/theme.ts'
import { answerOf, feedOf, pageOf, twinPageOf } from './page-answers.ts'
import type { PageRenderer } from './page-renderer.ts'
import type { SiteFacts } from './site-facts.ts'
import type { Twins } from './twins.ts'
import type { Views } from './views.ts'

/** The dependencies for making pages. */
export interface RenderContext {
  readonly theme: Theme
  readonly renderer: PageRenderer
  readonly views: Views
  readonly prints: Prints
  readonly answers: ListAnswers
  readonly twins: Twins
  readonly facts: SiteFacts
  readonly feeds: Feeds
  /** Undefined where it is switched off. */
  readonly sitemaps: Sitemaps | undefined
  /** Undefined where the search is switched off. */
  readonly search: SiteSearch | undefined
}

const PLAIN = 'text/plain; charset=utf-8'
const FILE_OF_SEARCH = /\.js(?:on)?$/

/** The answer at a path in the spelling of `plainPath`; undefined where nothing is there. Throws TemplateFailure. */
export async function pageAt(path: string, snapshot: SiteSnapshot, context: RenderContext): Promise<SitePage | undefined> {
  const file = await fileAt(path, snapshot, context)
  if (file) return file
  const target = pageTargetAt(path, snapshot, context)
  if (target === undefined) return undefined
  if (target.kind === 'redirect') return redirectTo(pageHref(target.to, snapshot.urls), snapshot)
  const printed = await context.renderer.print(target, snapshot)
  return printed && pageOf(printed)
}

/** The target of a path that is none of a file; undefined where nothing is there. */
export function pageTargetAt(path: string, snapshot: SiteSnapshot, context: Pick<RenderContext, 'search'>): Target | undefined {
  return targetAt(snapshot.outline, path) ?? searchAt(path, snapshot, context)
}

/** A path that a build writes: that of a page with its target, or of a file. */
export interface BuiltPath {
  readonly path: string
  readonly target?: Target
  readonly feed?: FeedPlace
  /** The address of the same page as Markdown. */
  readonly twin?: string
  /** True if a file of the site at its address goes before it. */
  readonly yields?: true
  /** True for a file by which browsers search, or a folder of such: these are written together. */
  readonly isOfSearch?: true
}

/**
 * Every path that a build writes, those of files first; the 404 page is not among them. Records come before what lists them: what
 * lists show of one is made when it is read for its page.
 */
export async function paths(snapshot: SiteSnapshot, context: RenderContext): Promise<BuiltPath[]> {
  const assets = [...context.theme.assets.values()].map(({ url }) => url)
  const maps = (await context.sitemaps?.of(snapshot))?.files.keys() ?? []
  const searching = context.search && mayBeSearched(snapshot.outline) ? SEARCH_FILES : []
  const files = [...assets, ...maps].map((path) => ({ path }))
  const together = searching.map((path) => ({ path, isOfSearch: true as const }))
  const yielding = FOR_ROBOTS.map((path) => ({ path, yields: true as const }))
  const feeds = [...feedPlaces(snapshot)].map(([path, feed]) => ({ path, feed }))
  const page = targetAt(snapshot.outline, SEARCH_PAGE) ? undefined : searchAt(SEARCH_PAGE, snapshot, context)
  const searchPage = page ? [{ path: SEARCH_PAGE, target: page }] : []
  const all = [...targets(snapshot.outline)].map((one) => ({ ...one, ...twinAt(one.path, snapshot) }))
  const isRecord = ({ target }: BuiltPath) => target?.kind === 'record'
  return [
    ...files,
    ...together,
    ...yielding,
    ...searchPage,
    ...all.filter(isRecord),
    ...all.filter((one) => !isRecord(one)),
    ...feeds,
  ]
}

function twinAt(path: string, { outline }: SiteSnapshot): Pick<BuiltPath, 'twin'> {
  return hasTwin(path, outline) ? { twin: twinOf(path) } : {}
}

/** Finds the records whose address is that of a file of the theme or the search, or goes on behind it: a build can't have both. */
export function hiddenByFiles({ outline }: SiteSnapshot, { theme, search }: RenderContext): Problem[] {
  const assets = [...theme.assets.values()].map(({ url }) => url)
  const files = new Set([...assets, ...(search ? SEARCH_FILES : [])])
  const hidden = [...outline.records].filter(([url]) => isHiddenBy(files, url))
  return hidden.map(([url, { key }]) => hiddenByFile(keyText(key), url))
}

/** Returns whether one of the files is at an address, or on the way to it. */
export function isHiddenBy(files: ReadonlySet<string>, address: string): boolean {
  for (let end = address.length; end > 0; end = address.lastIndexOf('/', end - 1)) {
    if (files.has(address.slice(0, end))) return true
  }
  return false
}

/** The problem that what is at an address, of a record where `file` is its key, can't be seen. */
export function hiddenByFile(file: string, address: string): Problem {
  const message = `The address "${address}" is that of a file of the theme or the search, or behind it: this has no page.`
  return { file, message, hint: 'Choose another permalink.', severity: 'error' }
}

/** The page that searches: not there where the site is too large. */
function searchAt(path: string, { outline }: SiteSnapshot, { search }: Pick<RenderContext, 'search'>): Target | undefined {
  return path === SEARCH_PAGE && search && mayBeSearched(outline) ? { kind: 'search' } : undefined
}

async function fileAt(path: string, snapshot: SiteSnapshot, context: RenderContext): Promise<SitePage | undefined> {
  if (path === ROBOTS) return answerOf(200, PLAIN, Buffer.from(robotsTxt(snapshot, context.sitemaps !== undefined)))
  if (path === LLMS) return answerOf(200, PLAIN, Buffer.from(llmsTxt(snapshot, context.facts.name)))
  const page = pageOfTwin(path, snapshot.outline)
  if (page !== undefined) return twinPage(page, snapshot, context)
  const feed = feedAt(path, snapshot)
  if (feed) {
    return feedOf(feed, await context.feeds.written(feed, snapshot))
  }
  if (/^\/sitemap(?:-\d+)?\.xml$/.test(path)) {
    const xml = (await context.sitemaps?.of(snapshot))?.files.get(path)
    if (xml) return { status: 200, contentType: 'application/xml; charset=utf-8', ...xml, isKept: false }
  }
  if (path.startsWith(`${SEARCH_PAGE}/`)) return searchFileAt(path, snapshot, context)
  if (!path.startsWith('/assets/')) return undefined
  const asset = [...context.theme.assets.values()].find(({ url }) => url === path)
  return asset && { ...answerOf(200, asset.contentType, asset.body), immutable: true }
}

async function twinPage(path: string, snapshot: SiteSnapshot, context: RenderContext): Promise<SitePage | undefined> {
  const target = targetAt(snapshot.outline, path)
  const printed = target && target.kind !== 'redirect' ? await context.renderer.print(target, snapshot) : undefined
  return printed && twinPageOf(printed, context.twins)
}

async function searchFileAt(path: string, snapshot: SiteSnapshot, { search }: RenderContext): Promise<SitePage | undefined> {
  const file = FILE_OF_SEARCH.test(path) ? await search?.file(path, snapshot) : undefined
  return file && { ...answerOf(200, file.contentType, file.body), ...(file.immutable && { immutable: true }) }
}
