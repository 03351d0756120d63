import type { Feature, FeatureDeps } from '../feature.ts'
import type { Deps } from '../records/parts.ts'
import { ChangeList } from './changes/change-list.ts'
import { Revisions } from './revisions.ts'

/** Makes the revisions of records, of what these are made of. */
export function makeRevisions(parts: Deps, { features }: FeatureDeps['config']) {
  const revisions = new Revisions(parts)
  const changes = new ChangeList(parts)
  return {
    offers: revisions,
    routes: async (app, { api }) => {
      const [{ revisionRoutes }, { changeRoutes }] = await Promise.all([import('./routes.ts'), import('./changes/routes.ts')])
      if (!features.api) return
      await changeRoutes(app, { changes, ...api })
      await revisionRoutes(app, { revisions, ...api })
    },
    close: () => changes.close(),
  } satisfies Feature
}
