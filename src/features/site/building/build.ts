import { setImmediate } from 'node:timers/promises'
import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { pageFile, type UrlStyle } from '#core/page-address.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { compareText } from '#lib/text/compare.ts'
import { FailedPages } from '../checking/failed-pages.ts'
import { copyAllMedia, copyFile } from '../files/copying.ts'
import { type FileSource, type MadeFiles, placedFiles, REDIRECTS, type YieldingFile } from '../files/placing.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { BuiltPath, RenderContext } from '../pages/pages.ts'
import { mayBeSearched, unsearchedReason } from '../searching/place.ts'
import { TemplateFailure } from '../theme/template-failure.ts'
import type { Destination } from './build-memory.ts'
import type { Counts } from './out-arrival.ts'
import type { OutFolder } from './out-folder.ts'
import { redirectRules, withOwnRules } from './redirects.ts'
import type { Shapes } from './site-state.ts'

/** The options of a build; missing ones are as configured. */
export interface BuildOptions {
  /** Future URL of the site, in place of `build.base_url` and `site.url`. */
  readonly baseUrl?: string
  readonly drafts?: boolean
  readonly future?: boolean
  /**
   * Nothing is written: the report says what would be. `dry` goes by what is remembered, as a build does; `verify` makes all anew, so
   * that there is a change where the folder is not what a build of everything makes.
   */
  readonly trial?: 'dry' | 'verify' | undefined
  /**
   * True where this site is built again and again: from the second time on, files that the build before left are taken as they were
   * then, as long as the list in the folder is the one that it left.
   */
  readonly isOneOfMany?: boolean
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * The result of a build. `pages` counts HTML pages without redirects; `problems` has the problems with records, addresses and
 * templates.
 */
export interface BuildReport extends Counts {
  readonly out: string
  readonly pages: number
  readonly redirects: number
  /** Files beside pages: of records, and of `static`. */
  readonly files: number
  readonly problems: readonly Problem[]
  /** Reason why the site can't be searched in a browser, as a sentence; undefined if it can, or is not meant to be. */
  readonly unsearched: string | undefined
}

const AT_ONCE = 16
const MISSING = '404.html'

/**
 * Writes every page of a snapshot into a folder, and takes away what an earlier build wrote and this one does not. A page that is
 * remembered is made again only where something it is made of, or its file, is another than then.
 */
export async function writeSite(
  { folder, memory, shapes }: Destination & { readonly shapes?: Shapes | undefined },
  snapshot: SiteSnapshot,
  context: RenderContext,
  source: FileSource,
  onProgress?: (done: number, total: number) => void,
): Promise<BuildReport> {
  const { hiddenByFile, isHiddenBy, pageAt, paths } = await import('../pages/pages.ts')
  const { SearchWriting } = await import('../searching/search-writing.ts')
  const { Remake } = await import('./remake.ts')
  const { ShownNames } = await import('./shown-names.ts')
  const { stateOf } = await import('./site-state.ts')
  const { Unchanged } = await import('./unchanged.ts')
  const todo = await paths(snapshot, context)
  const { placed, yielding, lost, redirects: ownRedirects } = await placedFiles(source, snapshot, filesOf(todo, snapshot.urls))
  const free = new Set(yielding.map(({ out }) => out))
  const total = todo.length + placed.length
  const files = new Set(todo.flatMap(({ path, target }) => (target ? [] : path)))
  const problems = new Map<string, Problem>()
  const failed = new FailedPages()
  const names = new ShownNames(snapshot, context)
  const state = await stateOf(snapshot, context.views.summaries, shapes)
  memory.begin(state)
  const unchanged = Unchanged.since(memory.state, state, snapshot, names)
  const remake = new Remake({ folder, memory }, { snapshot, context, names, unchanged })
  // No page need show a picture that the sitemap names.
  for (const path of (await context.sitemaps?.of(snapshot))?.media ?? []) remake.media.add(path)
  const { search: made, views } = context
  const search =
    made && mayBeSearched(snapshot.outline) ? new SearchWriting({ folder, memory }, snapshot, { search: made, views }) : undefined
  let pages = 0
  let copied = 0
  const taken = new Map<string, BuiltPath>()
  const make = (one: BuiltPath): void | Promise<void> => {
    const { path, target, feed } = one
    const file = fileOf(one, snapshot.urls)
    if ((target?.kind === 'redirect' || one.yields) && !free.has(file)) return
    const holder = taken.get(file)
    if (holder) {
      problems.set(file, sharesFile(one, holder, file))
      return
    }
    taken.set(file, one)
    if (feed) return remake.feed(file, feed)
    if (one.isOfSearch) return
    if (target && isHiddenBy(files, path)) {
      problems.set(file, hiddenByFile(target.kind === 'record' ? keyText(target.entry.key) : path, path))
      return
    }
    if (target && target.kind !== 'redirect') {
      const twin = one.twin === undefined ? '' : fileOf({ path: one.twin }, snapshot.urls)
      const isThere = remake.page(file, target, free.has(twin) ? twin : undefined)
      const count = (is: boolean) => {
        if (is) pages++
      }
      return isThere instanceof Promise ? isThere.then(count) : count(isThere)
    }
    return pageAt(path, snapshot, context).then((page) => {
      if (page) folder.put(file, page.body)
    })
  }
  const noted = (one: BuiltPath) => (error: unknown) => note(error, fileOf(one, snapshot.urls), folder, failed)
  /** A page that stays as it is needs no waiting. */
  const begin = (one: BuiltPath): void | Promise<void> => {
    try {
      return make(one)?.catch(noted(one))
    } catch (error) {
      return noted(one)(error)
    }
  }
  let making: Promise<void>[] = []
  try {
    const slices = new Slices()
    for (const [at, one] of todo.entries()) {
      const made = begin(one)
      if (made) making.push(made)
      if (making.length < AT_ONCE && at + 1 < todo.length && !slices.isOver) continue
      await Promise.all(making)
      making = []
      onProgress?.(at + 1, total)
      // A build from memory never awaits anything, and signals are handled only between iterations of the event loop.
      await slices.pause()
      await folder.room()
    }
    for (let start = 0; start < placed.length; start += AT_ONCE) {
      const part = placed.slice(start, start + AT_ONCE)
      const done = await Promise.all(part.map((one) => copyFile(source.siteFiles, one, { folder, memory })))
      copied += done.filter(Boolean).length
      onProgress?.(todo.length + start + part.length, total)
      await setImmediate()
    }
    const rules = redirectRules(yielding, snapshot)
    const redirects = ownRedirects && (await withOwnRules(ownRedirects, source.siteFiles, rules))
    if (redirects || rules !== '') folder.put(REDIRECTS, redirects ?? rules)
    if (ownRedirects && !redirects) problems.set(REDIRECTS, unreadRedirects())
    if (redirects) copied++
    search?.end()
    await search?.finish()
    await remake.missing(MISSING)
  } catch (error) {
    // What is being made would make folders again that are abandoned.
    await Promise.allSettled(making)
    if (!(error instanceof TemplateFailure)) await folder.abandon()
    note(error, MISSING, folder, failed)
  } finally {
    search?.end()
  }
  const { mediaOfKept, settleKept } = await import('./kept-pages.ts')
  const finish = async () => {
    await folder.settled()
    const kept = await settleKept(folder, names)
    const { media } = source
    if (!media) return kept
    for await (const path of mediaOfKept(folder)) remake.media.add(path)
    copied += await copyAllMedia(media, remake.media, { folder, memory })
    return kept
  }
  const landed = async () => ({ kept: await finish(), counts: folder.finish() })
  const { kept, counts } = await landed().catch(async (error: unknown) => {
    await folder.abandon()
    throw error
  })
  memory.save(folder.list.print)
  return {
    out: folder.path,
    pages,
    redirects: yielding.filter(({ to }) => to !== undefined).length,
    files: copied,
    ...counts,
    problems: [...problems.values(), ...failed.problems, ...remake.problems, ...lost, ...byFile(folder.problems), ...kept],
    unsearched: context.search && unsearchedReason(snapshot.outline),
  }
}

/** Returns the files of all pages and of what else Quire makes; apart from them those that give way to others, redirects last. */
export function filesOf(paths: readonly BuiltPath[], urls: UrlStyle): MadeFiles {
  const pages = [MISSING, REDIRECTS]
  const redirects: YieldingFile[] = []
  const yielding: YieldingFile[] = []
  for (const one of paths) {
    const out = fileOf(one, urls)
    if (one.twin !== undefined) yielding.push({ address: one.twin, out: fileOf({ path: one.twin }, urls) })
    if (one.yields) yielding.push({ address: one.path, out })
    else if (one.target?.kind !== 'redirect') pages.push(out)
    // An old address that ends in .html may be the file of the page it leads to.
    else if (pageFile(one.target.to, urls) !== out) redirects.push({ address: one.path, to: one.target.to, out })
  }
  return { pages, yielding: [...yielding, ...redirects] }
}

/** The file of what is at a path: that of a page, or of something that is a file itself. */
export function fileOf({ path, target }: Pick<BuiltPath, 'path' | 'target'>, urls: UrlStyle): string {
  return target ? pageFile(path, urls) : decodeURIComponent(path.slice(1))
}

function unreadRedirects(): Problem {
  const message = 'The file static/_redirects is gone, or has over 4 MiB: its rules are left out.'
  return { file: `static/${REDIRECTS}`, message, hint: 'Make it smaller, and build again.', severity: 'error' }
}

/** The problem that two addresses are one file, as `/x` and `/x.html` are where each page is a file. */
export function sharesFile({ path, target }: BuiltPath, holder: BuiltPath, file: string): Problem {
  return {
    file: target?.kind === 'record' ? keyText(target.entry.key) : path,
    message: `The address "${path}" is that of ${file} in a built site, as "${holder.path}" is: this page is not written.`,
    hint: 'Choose another permalink, or another value of build.urls.',
    severity: 'error',
  }
}

/** A page that could not be made keeps its old file if that may be shown; one broken template is one problem, however many pages use it. */
function note(error: unknown, file: string, folder: OutFolder, failed: FailedPages): void {
  if (!(error instanceof TemplateFailure)) throw error
  folder.keep(file)
  failed.add(error, file)
}

/** Problems in the order of their files: several files are copied at a time. */
function byFile(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => compareText(a.file, b.file))
}
