import type { Problem } from '#core/document.ts'
import { Hints } from '#core/feed/hints.ts'
import { FileFacts } from '#core/media/file-facts.ts'
import { pageHref } from '#core/page-address.ts'
import type { BuildOptions, BuildReport } from './building/build.ts'
import type { LastBuild } from './building/last-build.ts'
import type { FileSource } from './files/placing.ts'
import { type ServedFile, ServedFiles } from './files/served-files.ts'
import type { Showing } from './outline/outline.ts'
import { isOddlySpelt, pathBelow } from './outline/own-path.ts'
import { redirectTo } from './outline/redirect.ts'
import { SiteEntries, type SiteRecords } from './outline/site-entries.ts'
import { type Place, placeOf, type SitePage, type SiteSnapshot } from './outline/site-snapshot.ts'
import { Snapshots } from './outline/snapshots.ts'
import { pageOfFile } from './outline/targets.ts'
import { givesWay } from './outline/yielding.ts'
import type { RenderContext } from './pages/pages.ts'
import { type SiteFacts, siteFacts } from './pages/site-facts.ts'
import { SitePictures } from './pictures/site-pictures.ts'
import { MadePages } from './serving/made-pages.ts'
import { MISSING } from './serving/missing.ts'
import type { SiteDeps } from './site-deps.ts'
import { Engines, loadEngine } from './theme/engines.ts'

/** The site in its present state, and what makes pages of it. */
export interface Served {
  readonly snapshot: SiteSnapshot
  readonly revision: number
  readonly context: RenderContext
}

const LIVE_ONLY: Showing = { drafts: false, future: false }

/** The public site: its pages one by one, for a server, or all of them, into a folder. Both ways make the same bytes. */
export class Site {
  readonly #deps: SiteDeps
  readonly #entries: SiteEntries
  readonly #files: ServedFiles
  readonly #engines: Engines
  readonly #facts: SiteFacts
  readonly #days: Intl.DateTimeFormat
  #served: Served | undefined
  /** Many may ask before the first snapshot, or a page of it, is made. */
  #serving: Promise<Served> | undefined
  readonly #hints: Hints
  readonly #made: MadePages
  readonly #snapshots: Snapshots
  #rendering: RenderContext | undefined
  /** Of builds one after the other. */
  #last: LastBuild | undefined

  constructor(deps: SiteDeps) {
    this.#deps = deps
    this.#facts = siteFacts(deps.config)
    this.#days = new Intl.DateTimeFormat('en', { dateStyle: 'short', timeZone: this.#facts.timezone })
    this.#files = new ServedFiles(deps.siteFiles, deps.config.media.types)
    this.#hints = new Hints(deps.store, deps.clock)
    this.#made = new MadePages(this.#hints)
    this.#snapshots = new Snapshots(deps, deps.showing ?? LIVE_ONLY, this.#placeAt())
    const places = { facts: deps.facts ?? new FileFacts(deps.siteFiles), media: deps.media, state: () => this.#hints.state }
    const pictures = new SitePictures({ ...places, fileAt: (...at) => this.#files.find(...at) })
    this.#engines = new Engines(() => loadEngine(deps, this.#facts, pictures))
    this.#entries = new SiteEntries(deps.store, deps.types, deps.clock, deps.config.site.content, deps.config.features.taxonomy)
  }

  /**
   * Resolves with the response for a path (percent-encoded, without the query): a page, else a file. Throws TemplateFailure if a
   * template is broken.
   */
  async answer(path: string): Promise<SitePage | ServedFile> {
    const served = await this.current()
    const { own, plain } = pathBelow(served.snapshot.base, path)
    if (plain === undefined) return this.#missing(served)
    const page = await this.#pageAt(own, plain, served)
    if (page && !givesWay(plain, served.snapshot)) return page
    return (await this.#files.answer(own, plain, served.snapshot)) ?? page ?? this.#missing(served)
  }

  /** Returns whether a file of the site is at a path, where no page is. */
  async hasFile(path: string): Promise<boolean> {
    const { snapshot } = await this.current()
    const { own, plain } = pathBelow(snapshot.base, path)
    return plain !== undefined && (await this.#files.answer(own, plain, snapshot)) !== undefined
  }

  /** As `answer`, of pages alone. */
  async page(path: string): Promise<SitePage> {
    const served = await this.current()
    const { own, plain } = pathBelow(served.snapshot.base, path)
    return (plain === undefined ? undefined : await this.#pageAt(own, plain, served)) ?? this.#missing(served)
  }

  /**
   * Writes the whole site to the folder `out`, as files whose bytes differ from what is there. Throws Failure where the folder
   * can't be one for a site.
   */
  async build(out: string, options: BuildOptions = {}): Promise<BuildReport> {
    const { buildSite } = await import('./building/site-build.ts')
    if (options.isOneOfMany) this.#last ??= new (await import('./building/last-build.ts')).LastBuild()
    // Their dates are those of a history that goes on without them.
    this.#entries.forget()
    return buildSite(
      {
        deps: this.#deps,
        source: this.#fileSource(),
        snapshot: (showing, url) => this.#snapshot(showing, url),
        context: () => this.#context(),
        last: options.isOneOfMany ? this.#last : undefined,
      },
      out,
      options,
    )
  }

  /**
   * Finds problems with addresses, ordered by id (two live records with the same one, or a record that can't have one), then with
   * templates.
   */
  async problems(): Promise<Problem[]> {
    const snapshot = await this.#snapshot(LIVE_ONLY)
    const context = await this.#context()
    const { hiddenByFiles } = await import('./pages/pages.ts')
    const needed = this.#deps.types.declared().flatMap((type) => type.template ?? [])
    const faults = context.theme.faults(needed).map((fault) => fault.problem)
    return [...snapshot.outline.problems, ...hiddenByFiles(snapshot, context), ...faults]
  }

  /**
   * Finds further problems to report: links and menu items that lead nowhere, templates that name something missing, and unused
   * templates.
   */
  async remarks(): Promise<Problem[]> {
    const snapshot = await this.#snapshot(LIVE_ONLY)
    const context = await this.#context()
    const { siteRemarks } = await import('./checking/remarks.ts')
    return siteRemarks({ ...this.#deps, files: this.#fileSource() }, snapshot, context)
  }

  /** Finds templates that fail with a page, by making every page a build would make; nothing is written. */
  async rendered(onProgress?: (done: number, total: number) => void): Promise<Problem[]> {
    const { build, site } = this.#deps.config
    const snapshot = await this.#snapshot(build, build.base_url ?? site.url)
    const context = await this.#context()
    context.theme.workAlone()
    const { renderingProblems } = await import('./checking/rendering.ts')
    return renderingProblems(snapshot, context, onProgress)
  }

  /** The names of the shortcodes that texts may use. */
  async shortcodes(): Promise<ReadonlySet<string>> {
    return (await this.#context()).theme.shortcodes
  }

  close(): void {
    this.#hints.close()
    this.#entries.close()
    this.#engines.close()
  }

  async #pageAt(own: string, plain: string, { snapshot, context }: Served): Promise<SitePage | undefined> {
    const { urls } = snapshot
    const page = await this.#made.page(plain, { snapshot, context })
    if (page?.status === 200) {
      const address = page.isPage ? pageHref(plain, urls) : plain
      return isOddlySpelt(own, address) ? redirectTo(address, snapshot) : page
    }
    const named = page || urls !== 'file' ? undefined : pageOfFile(plain, snapshot.outline)
    return named === undefined ? page : redirectTo(named, snapshot)
  }

  async #missing({ snapshot, context }: Served): Promise<SitePage> {
    const page = await this.#made.page(MISSING, { snapshot, context })
    if (!page) throw new Error('There is no page for what is not there.')
    return page
  }

  /** The site as of every write that resolved before the call. */
  async current(): Promise<Served> {
    const records = await this.#entries.current()
    const context = await this.#context()
    const now = this.#deps.clock.now()
    const isFresh = ({ revision, context: { theme }, snapshot }: Served) =>
      revision === records.revision &&
      theme === context.theme &&
      now >= snapshot.made &&
      now < snapshot.until &&
      (theme.isSteady || this.#dayOf(now) === this.#dayOf(snapshot.made))
    if (this.#served && isFresh(this.#served)) return this.#served
    if (this.#serving) {
      const served = await this.#serving
      // One that was begun since is as new as what was asked for.
      return isFresh(served) || served.revision > records.revision ? served : this.current()
    }
    this.#serving = this.#serve(records, context, now).finally(() => {
      this.#serving = undefined
    })
    return this.#serving
  }

  /** The day of a moment where the site is: templates that name it show it. */
  #dayOf(moment: number): string {
    return this.#days.format(moment)
  }

  async #serve(records: SiteRecords, context: RenderContext, now: number): Promise<Served> {
    const { revision } = records
    const snapshot = await this.#snapshots.next(records, now)
    this.#served = { snapshot, revision, context }
    return this.#served
  }

  async #snapshot(showing: Showing, url?: string): Promise<SiteSnapshot> {
    const records = await this.#entries.current()
    return new Snapshots(this.#deps, showing, this.#placeAt(url)).next(records, this.#deps.clock.now())
  }

  #placeAt(url = this.#deps.config.site.url): Place {
    return placeOf(url, this.#deps.config.build.urls ?? 'directory')
  }

  async #context(): Promise<RenderContext> {
    const engine = await this.#engines.current()
    const { views, prints, answers, feeds, search, sitemaps, twins } = engine
    const { theme, renderer } = engine.current()
    if (this.#rendering?.renderer !== renderer)
      this.#rendering = { theme, renderer, views, prints, answers, feeds, search, sitemaps, twins, facts: this.#facts }
    return this.#rendering
  }

  #fileSource(): FileSource {
    const { siteFiles, config, media } = this.#deps
    return { siteFiles, media: media?.(), content: config.site.content, isServed: (path) => this.#files.isServed(path) }
  }
}
