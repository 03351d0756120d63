import type { ChangedKind } from '../changed-kind.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import type { Deps } from '../records/parts.ts'
import type { Past } from '../resource.ts'
import { ChangeList } from './changes/change-list.ts'
import { RecordPast } from './panel/record-past.ts'
import { Revisions } from './revisions.ts'

/** Makes the revisions of records, of what these are made of, and the list of changes to all content; `others` are its kinds. */
export function makeRevisions(
  parts: Deps,
  { config: { features }, ledger }: Pick<FeatureDeps, 'config' | 'ledger'>,
  others: readonly ChangedKind[],
) {
  const revisions = new Revisions(parts)
  const changes = new ChangeList({ ...parts, others, ledger })
  return {
    offers: revisions,
    changes,
    pastOf: (type: string) => new RecordPast(revisions, parts, type),
    routes: async (app, { api }) => {
      const [{ revisionRoutes }, { changeRoutes }] = await Promise.all([import('./routes.ts'), import('./changes/routes.ts')])
      if (!features.api) return
      await changeRoutes(app, { changes, ...api })
      await revisionRoutes(app, { revisions, ...api })
    },
    close: () => changes.close(),
  } satisfies Feature & { readonly changes: ChangeList; readonly pastOf: (type: string) => Past }
}
