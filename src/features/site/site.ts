import { join } from 'node:path'
import type { ContentTypes } from '#core/content-type.ts'
import type { Problem } from '#core/document.ts'
import { plainPath } from '#core/permalink.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { type BuildOptions, type BuildReport, writeSite } from './build.ts'
import type { BuildMemory } from './build-memory.ts'
import type { Engine } from './engine.ts'
import { OutFolder } from './out-folder.ts'
import type { Showing } from './outline.ts'
import type { SiteFacts } from './page-renderer.ts'
import type { RenderContext } from './pages.ts'
import { SiteEntries } from './site-entries.ts'
import { editionOf, type Place, placeOf, type SitePage, type SiteSnapshot } from './site-snapshot.ts'

/**
 * The dependencies of a site. If two templates have the same name, that of `ownTemplatesDir` (the site's) wins over that of
 * `templatesDir` (Quire's).
 */
export interface SiteParts {
  /** The site's root folder, absolute. */
  readonly root: string
  readonly store: Store
  readonly types: ContentTypes
  readonly clock: Clock
  readonly config: {
    readonly site: Readonly<Record<'name' | 'url' | 'locale' | 'timezone' | 'content' | 'templates', string>>
    readonly build: { readonly base_url: string | null; readonly drafts: boolean; readonly future: boolean }
    readonly features: Readonly<Record<'sitemap' | 'taxonomy' | 'search', boolean>>
  }
  readonly templatesDir: string
  readonly ownTemplatesDir: string
  /**
   * Folder for the memory of builds, and the text that distinguishes this configuration from others; without it every build makes
   * all pages.
   */
  readonly memory?: { readonly folder: string; readonly basis: string }
}

interface Served {
  readonly edition: SiteSnapshot
  readonly revision: number
  readonly room: RenderContext
}

const LIVE_ONLY: Showing = { drafts: false, future: false }

/** The public site: its pages one by one, for a server, or all of them, into a folder. Both ways make the same bytes. */
export class Site {
  readonly #parts: SiteParts
  readonly #catalog: SiteEntries
  #engine: Promise<Engine> | undefined
  #served: Served | undefined

  constructor(parts: SiteParts) {
    this.#parts = parts
    this.#catalog = new SiteEntries(parts.store, parts.types, parts.clock, parts.config.features.taxonomy)
  }

  /**
   * Resolves with the response for a path (percent-encoded, without the query). Throws TemplateFailure if a template is broken.
   */
  async page(path: string): Promise<SitePage> {
    const { edition, room } = await this.#current()
    const { missingPage, pageAt, redirectTo } = await import('./pages.ts')
    const { base } = edition
    const own = base !== '' && (path === base || path.startsWith(`${base}/`)) ? path.slice(base.length) || '/' : path
    const plain = plainPath(own)
    const kept = plain === undefined ? undefined : edition.pages.get(plain)
    const page = kept ?? (plain === undefined ? undefined : await pageAt(plain, edition, room))
    if (plain === undefined || page === undefined) return missingPage(edition, room)
    if (page.status === 200) edition.pages.set(plain, page)
    return page.status === 200 && isOddlySpelt(own, plain) ? redirectTo(plain, edition) : page
  }

  /** Writes the whole site to the folder `out`, as files whose bytes differ from what is there. Throws Failure where the folder can't be one for a site. */
  async build(out: string, options: BuildOptions = {}): Promise<BuildReport> {
    // A history that can't be read leaves dates out, and no pages.
    await this.#parts.store.dated().catch(() => undefined)
    const { build, site } = this.#parts.config
    const { root } = this.#parts
    const showing = { drafts: options.drafts ?? build.drafts, future: options.future ?? build.future }
    const edition = await this.#edition(showing, placeOf(options.baseUrl ?? build.base_url ?? site.url))
    const room = await this.#room()
    const folder = OutFolder.open(out, root, [site.content, site.templates])
    const memory = await memoryOf(this.#parts.memory, folder.path, edition, room)
    const report = await writeSite({ folder, memory }, edition, room, options.onProgress)
    return { ...report, problems: [...(await this.#parts.store.problems()), ...edition.outline.problems, ...report.problems] }
  }

  /**
   * Finds problems with addresses, ordered by id (two live records with the same one, or a record that can't have one), then with
   * templates.
   */
  async problems(): Promise<Problem[]> {
    const { outline } = await this.#edition(LIVE_ONLY, placeOf(this.#parts.config.site.url))
    const { theme } = await this.#room()
    const needed = this.#parts.types.declared().flatMap((type) => type.template ?? [])
    return [...outline.problems, ...theme.faults(needed).map((fault) => fault.problem)]
  }

  /**
   * Finds further problems to report: links and menu items that lead nowhere, templates that name something missing, and unused
   * templates.
   */
  async remarks(): Promise<Problem[]> {
    const { types, root, ownTemplatesDir, templatesDir } = this.#parts
    const edition = await this.#edition(LIVE_ONLY, placeOf(this.#parts.config.site.url))
    const { theme } = await this.#room()
    const { linkProblems } = await import('./checking/links.ts')
    const { templateProblems } = await import('./checking/templates.ts')
    const templates = templateProblems(theme, { root, own: ownTemplatesDir, builtIn: templatesDir, named: types.declared() })
    return [...templates, ...(await linkProblems(this.#parts, edition, theme))]
  }

  close(): void {
    this.#catalog.close()
    void this.#engine?.then((engine) => engine.close())
  }

  async #current(): Promise<Served> {
    const entries = await this.#catalog.current()
    const room = await this.#room()
    const now = this.#parts.clock.now()
    const served = this.#served
    const fresh = served && served.revision === this.#catalog.revision && served.room.theme === room.theme
    if (fresh && now >= served.edition.made && now < served.edition.outline.until) return served
    const revision = this.#catalog.revision
    const edition = await editionOf(this.#parts, entries, now, LIVE_ONLY, placeOf(this.#parts.config.site.url))
    this.#served = { edition, revision, room }
    return this.#served
  }

  async #edition(showing: Showing, place: Place): Promise<SiteSnapshot> {
    const entries = await this.#catalog.current()
    return editionOf(this.#parts, entries, this.#parts.clock.now(), showing, place)
  }

  async #room(): Promise<RenderContext> {
    this.#engine ??= this.#load()
    const engine = await this.#engine
    const { views, search } = engine
    return { ...engine.current(), views, search, facts: this.#facts(), sitemap: this.#parts.config.features.sitemap }
  }

  async #load(): Promise<Engine> {
    const { Engine } = await import('./engine.ts')
    const { config, ownTemplatesDir, root, templatesDir } = this.#parts
    const { locale, timezone } = config.site
    const options = { folders: [ownTemplatesDir, templatesDir], root, locale, timezone }
    return new Engine(this.#parts, this.#facts(), options, join(templatesDir, 'search'))
  }

  #facts(): SiteFacts {
    const { site, features } = this.#parts.config
    return { name: site.name, locale: site.locale, searchable: features.search }
  }
}

/** Opens the memory of the last build, if pages depend only on what can be compared. */
async function memoryOf(
  kept: SiteParts['memory'],
  out: string,
  edition: SiteSnapshot,
  room: RenderContext,
): Promise<BuildMemory> {
  const { BuildMemory } = await import('./build-memory.ts')
  if (!kept || !room.theme.isSteady) return BuildMemory.none()
  const { programStamp } = await import('#lib/program-stamp.ts')
  const { origin, base, menu } = edition
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const basis = [kept.basis, room.theme.stamp, room.press.site(edition), origin, base, menu, timeZone, programStamp()]
  return BuildMemory.open(kept.folder, out, JSON.stringify(basis))
}

/** A trailing slash, a doubled one, or `index.html`: there is one spelling of each address. */
function isOddlySpelt(path: string, plain: string): boolean {
  if (path === '/' || path === '') return false
  return path.endsWith('/') || path.endsWith('/index.html') || path.split('/').length !== plain.split('/').length
}
