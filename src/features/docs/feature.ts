import type { Feature, FeatureDeps } from '../feature.ts'

/** The part of the configuration that is used here. */
export interface DocsConfig {
  readonly site: { readonly name: string; readonly url: string }
}

/** Makes the API's own pages. */
export function makeDocs({ types, config }: FeatureDeps & { readonly config: DocsConfig }) {
  return {
    routes: async (app, { api, operations, version }) => {
      const { docsRoutes } = await import('./routes.ts')
      docsRoutes(app, { deps: { operations, types, site: config.site, version }, bearer: api.bearer })
    },
  } satisfies Feature
}
