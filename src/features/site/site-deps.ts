import type { SiteFiles } from '#core/files/site-files.ts'
import type { FileFacts } from '#core/media/file-facts.ts'
import type { UrlStyle } from '#core/page-address.ts'
import type { Setting } from '#core/settings.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import type { SiteExtensions } from '../site-extensions.ts'
import type { MediaSource } from './files/media-source.ts'
import type { SiteSizes } from './outline/list-sizes.ts'
import type { Showing } from './outline/outline.ts'

/**
 * The dependencies of a site. If two templates have the same name, that of `ownTemplatesDir` (the site's) wins over that of
 * `templatesDir` (Quire's).
 */
export interface SiteDeps {
  /** The site's root folder, absolute. */
  readonly root: string
  readonly store: Store
  readonly siteFiles: SiteFiles
  readonly types: ContentTypes
  readonly clock: Clock
  readonly config: {
    readonly site: Readonly<Record<'name' | 'url' | 'locale' | 'timezone' | 'content' | 'templates', string>> & SiteSizes
    readonly build: {
      readonly base_url: string | null
      readonly drafts: boolean
      readonly future: boolean
      readonly urls?: UrlStyle
    }
    readonly features: Readonly<Record<'sitemap' | 'taxonomy' | 'search', boolean>>
    readonly media: { readonly types: readonly string[] }
  }
  /** Declared settings, for templates; absent where settings are switched off. */
  readonly settings?: ReadonlyMap<string, Setting>
  /** The records that the pages of a server show; live ones alone where it is absent. */
  readonly showing?: Showing
  readonly templatesDir: string
  readonly ownTemplatesDir: string
  /** The folder of data for templates; undefined where the site has none. */
  readonly dataDir?: string | undefined
  /** The media that a built site takes along; undefined where there are none. */
  readonly media?: () => MediaSource
  /** The things that modules add to pages. */
  readonly extensions?: SiteExtensions | undefined
  /** Facts about files that are kept; without it they are kept as long as the site is open. */
  readonly facts?: FileFacts
  /**
   * Folder for the memory of builds, and the text that distinguishes this configuration from others; without it every build makes
   * all pages.
   */
  readonly memory?: { readonly folder: string; readonly basis: string }
}
