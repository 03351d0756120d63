import type { Feature, FeatureDeps } from '../feature.ts'
import type { Deps } from '../records/parts.ts'
import { Revisions } from './revisions.ts'

/** Makes the revisions of records, of what these are made of. */
export function makeRevisions(parts: Deps, { features }: FeatureDeps['config']) {
  const revisions = new Revisions(parts)
  return {
    offers: revisions,
    routes: async (app, { api }) => {
      const { revisionRoutes } = await import('./routes.ts')
      if (features.api) await revisionRoutes(app, { revisions, ...api })
    },
  } satisfies Feature
}
