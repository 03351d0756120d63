import type { LookupDeps } from '#core/queries/lookups.ts'
import type { Setting } from '#core/settings.ts'
import type { Bases } from '../records/writing/bases.ts'

/** The dependencies of settings; `bases` keeps the versions that were lately read. */
export interface SettingsDeps extends LookupDeps {
  readonly declared: ReadonlyMap<string, Setting>
  readonly bases?: Bases
}
