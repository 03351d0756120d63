import type { Feature, FeatureDeps } from '../feature.ts'
import type { Resources } from '../resource.ts'
import { TermResources } from './panel/resources.ts'
import { Terms } from './terms.ts'

/** Makes the terms of a site. */
export function makeTerms({ store, types, config }: FeatureDeps) {
  const terms = new Terms({ store, types })
  return {
    offers: terms,
    resources: new TermResources(terms, types),
    routes: async (app, { api }) => {
      const { termRoutes } = await import('./routes.ts')
      if (config.features.api) await termRoutes(app, { terms, ...api })
    },
  } satisfies Feature & { readonly resources: Resources }
}
