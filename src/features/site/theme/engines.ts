import { join } from 'node:path'
import type { SiteFacts } from '../pages/site-facts.ts'
import type { SitePictures } from '../pictures/site-pictures.ts'
import type { SiteDeps } from '../site-deps.ts'
import type { Engine } from './engine.ts'

/** The engine of a site: loaded with the first page, and anew once it is outdated. */
export class Engines {
  readonly #load: () => Promise<Engine>
  #engine: Promise<Engine> | undefined
  /** The one before: pages may still be made with it. */
  #former: Engine | undefined

  constructor(load: () => Promise<Engine>) {
    this.#load = load
  }

  async current(): Promise<Engine> {
    this.#engine ??= this.#load().catch((error: unknown) => {
      // A file of the theme may be readable again at the next request.
      this.#engine = undefined
      throw error
    })
    const loading = this.#engine
    const engine = await loading
    if (!engine.isOutdated) return engine
    if (this.#engine === loading) {
      this.#former?.close()
      this.#former = engine
      this.#engine = undefined
    }
    return this.current()
  }

  close(): void {
    this.#former?.close()
    this.#engine?.then((engine) => engine.close()).catch(() => undefined)
  }
}

/** Loads the engine of a site. */
export async function loadEngine(deps: SiteDeps, facts: SiteFacts, pictures: SitePictures): Promise<Engine> {
  const { Engine } = await import('./engine.ts')
  const { config, dataDir, ownTemplatesDir, root, templatesDir, extensions } = deps
  const { locale, timezone } = config.site
  const options = { folders: [ownTemplatesDir, templatesDir], data: dataDir, root, locale, timezone, extensions }
  const { sitemap, taxonomy } = config.features
  const parts = { ...deps, pictures, withTerms: taxonomy, withSitemap: sitemap, plugins: extensions?.markdown }
  return new Engine(parts, facts, options, join(templatesDir, 'search'))
}
