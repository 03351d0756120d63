import type { Feature, FeatureDeps } from '../feature.ts'

/** Makes the API's own pages. */
export function makeDocs({ types, config }: FeatureDeps) {
  return {
    routes: async (app, { api, operations, version }) => {
      const { docsRoutes } = await import('./routes.ts')
      docsRoutes(app, { deps: { operations, types, site: config.site, version }, bearer: api.bearer })
    },
  } satisfies Feature
}
