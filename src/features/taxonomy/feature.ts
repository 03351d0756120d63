import type { Feature, FeatureDeps } from '../feature.ts'
import type { Deps } from '../records/parts.ts'
import type { Resources } from '../resource.ts'
import { TermResources } from './panel/resources.ts'
import { Terms } from './terms.ts'

/** Makes the terms of a site; the versions that were lately read are kept with those of records. */
export function makeTerms({ store, types, config }: FeatureDeps, { bases }: Pick<Deps, 'bases'>) {
  const terms = new Terms({ store, types, bases })
  return {
    offers: terms,
    resources: new TermResources(terms, types),
    routes: async (app, { api }) => {
      const { termRoutes } = await import('./routes.ts')
      if (config.features.api) await termRoutes(app, { terms, ...api })
    },
  } satisfies Feature & { readonly resources: Resources }
}
