import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { FORMATS } from '#config/schema/media.ts'
import type { SiteSizes } from '#features/site/outline/list-sizes.ts'
import { Site } from '#features/site/site.ts'
import type { SiteDeps } from '#features/site/site-deps.ts'
import { MemorySiteFiles } from './memory-site-files.ts'
import { makeSite } from './sites.ts'

const TEMPLATES = fileURLToPath(new URL('../../templates/site/', import.meta.url))

/** A public site at https://example.org over a store, in a folder of its own with the starter theme; gone with the test. */
export function publicSite(
  t: Test,
  { store, types, clock }: Pick<SiteDeps, 'store' | 'types' | 'clock'>,
  search = false,
  { files = {}, sizes = {}, ...more }: Partial<SiteDeps> & { files?: Readonly<Record<string, string>>; sizes?: SiteSizes } = {},
) {
  const folder = makeSite(files)
  const names = { name: 'Site', url: 'https://example.org', locale: 'en', timezone: 'UTC' }
  const site = new Site({
    ...{ root: folder.root, store, siteFiles: new MemorySiteFiles(), types, clock },
    config: {
      site: { ...names, ...sizes, content: 'content', templates: 'templates' },
      build: { base_url: null, drafts: false, future: false },
      features: { sitemap: true, taxonomy: true, search },
      media: { types: FORMATS },
    },
    templatesDir: TEMPLATES,
    ownTemplatesDir: folder.path('templates/site'),
    dataDir: folder.path('data'),
    ...more,
  })
  t.teardown(() => {
    site.close()
    folder.remove()
  })
  return { site, folder, html: async (path: string) => String((await site.page(path)).body) }
}
