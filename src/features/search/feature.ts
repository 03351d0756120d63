import { join } from 'node:path'
import type { Feature, FeatureDeps } from '../feature.ts'
import { Search } from './search.ts'

/** Makes the search of a site. */
export function makeSearch(deps: FeatureDeps) {
  const { store, types, clock, isShared, privateDir, config } = deps
  const folder = isShared ? {} : { folder: join(privateDir, 'cache') }
  const search = new Search({ store, types, clock, locale: config.site.locale, index: deps.search, ...folder })
  return {
    offers: search,
    routes: async (app, { api }) => {
      const { searchRoutes } = await import('./routes.ts')
      if (config.features.api) searchRoutes(app, { search, bearer: api.searching.bearer, send: api.send })
    },
    // A search says itself why there is no index.
    begin: () => void search.begin().catch(() => undefined),
    close: () => search.close(),
  } satisfies Feature
}
