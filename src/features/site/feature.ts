import { join } from 'node:path'
import { FileFacts } from '#core/media/file-facts.ts'
import { type SettingInput, settingsOf } from '#core/settings.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import type { Previewing, PreviewPage } from '../resource.ts'
import type { SiteExtensions } from '../site-extensions.ts'
import { isWithin } from './building/out-place.ts'
import type { MediaSource } from './files/media-source.ts'
import { Site } from './site.ts'
import type { SiteDeps } from './site-deps.ts'

/** The dependencies of the public site. */
export interface SiteFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] &
    SiteDeps['config'] & {
      readonly settings: Readonly<Record<string, SettingInput>>
      readonly features: Readonly<Record<'settings' | 'admin' | 'auth', boolean>>
      readonly admin: { readonly url: string | null }
    }
  /** A text that distinguishes this configuration from others. */
  readonly fingerprint: string
  /** The things that modules add to pages; absent where they add none. */
  readonly extensions?: SiteExtensions | undefined
  /** True if the pages of a server show drafts and what is scheduled, to browsers on this machine alone. */
  readonly withDrafts?: boolean
}

/** Makes the public site; `media` are those that it leads to, if they are on. */
export function makeSite(deps: SiteFeatureDeps, media?: () => MediaSource) {
  const { root, store, siteFiles, types, clock, config, templates, privateDir, isShared, fingerprint, extensions } = deps
  const folders = { templatesDir: join(templates, 'site'), ownTemplatesDir: join(root, config.site.templates, 'site') }
  const taken = [join(root, config.site.content), join(root, config.site.templates), privateDir]
  const dataDir = dataFolder(root, taken)
  // Beside a database nothing is written on the machine.
  const cache = isShared ? undefined : join(privateDir, 'cache')
  const memory = cache === undefined ? {} : { memory: { folder: cache, basis: basisOf(fingerprint, extensions) } }
  const settings = config.features.settings ? { settings: settingsOf(config.settings) } : {}
  const site = new Site({
    ...(media && { media }),
    facts: new FileFacts(siteFiles, cache),
    root,
    store,
    siteFiles,
    types,
    clock,
    config,
    ...settings,
    ...(deps.withDrafts && { showing: { drafts: true, future: true } }),
    ...folders,
    dataDir,
    extensions,
    ...memory,
  })
  return {
    offers: site,
    /** The page of a document that may not be written. */
    preview: async (...asked: Parameters<Previewing>): Promise<PreviewPage | undefined> => {
      const { previewOf } = await import('./pages/preview.ts')
      return previewOf(site, config.features.taxonomy, ...asked)
    },
    routes: async (app, { isLocal, log, api: { send } }) => {
      const { siteRoutes } = await import('./routes.ts')
      const { features, admin } = config
      const panelHost = admin.url === null ? undefined : new URL(admin.url).host
      const isPanelHost = (host: string) => features.admin && features.auth && (panelHost ?? host) === host
      const local = isLocal ? { root } : undefined
      await app.register(siteRoutes, { site, local, log, send, isPanelHost, isNearOnly: deps.withDrafts === true })
    },
    close: () => site.close(),
  } satisfies Feature & { readonly preview: Previewing }
}

/** The text that distinguishes all that pages are made of beside content and templates. */
function basisOf(fingerprint: string, extensions: SiteExtensions | undefined): string {
  return extensions ? JSON.stringify([fingerprint, extensions.stamp]) : fingerprint
}

/** The folder of data for templates; undefined where that is, or holds, a folder of something else. */
function dataFolder(root: string, taken: readonly string[]): string | undefined {
  const folder = join(root, 'data')
  // Some disks ignore case.
  const [own, ...others] = [folder, ...taken].map((path) => path.toLowerCase()) as [string, ...string[]]
  return others.some((other) => isWithin(own, other) || isWithin(other, own)) ? undefined : folder
}

/** Makes the site's map; with `isNearOnly` it is answered to browsers on this machine alone. */
export function makeSitemap(site: Site, isNearOnly = false) {
  return {
    routes: async (app, { api: { send } }) => {
      const { sitemapRoutes } = await import('./routes.ts')
      await app.register(sitemapRoutes, { site, send, isNearOnly })
    },
  } satisfies Feature
}
