import type { Access } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { SETTINGS } from '#core/settings.ts'
import type { Store } from '#core/store.ts'
import { labelOf } from '#core/types/fields.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Difference, Past, ResourceWrite, Row, SourceText } from '../../resource.ts'
import { sourceOf } from '../../source-text.ts'
import { differing } from '../groups/past-groups.ts'
import type { SettingGroups } from '../groups/setting-groups.ts'

/** The revisions of groups of settings in the panel. */
export class GroupPast implements Past {
  readonly #groups: SettingGroups
  readonly #store: Store

  constructor(groups: SettingGroups, store: Store) {
    this.#groups = groups
    this.#store = store
  }

  async isKept(): Promise<boolean> {
    return (await this.#store.history(keyOf(SETTINGS, 'site'), { limit: 0 })) !== undefined
  }

  list(access: Access, id: string, params: QueryParams): ReturnType<SettingGroups['revisions']> {
    return this.#groups.revisions(access, id, params)
  }

  async one(access: Access, id: string, ts: string): Promise<Row> {
    const { values, version } = await this.#groups.past.one(access, id, ts)
    return { id, title: labelOf(id), values: { ...values }, version }
  }

  async diff(access: Access, id: string, ts: string, against?: string): Promise<readonly Difference[]> {
    const [before, now] = await this.#groups.past.both(access, id, ts, against)
    return differing(before, now).map((field) => ({ field, before: before[field] ?? null, after: now[field] ?? null }))
  }

  rollback(access: Access, id: string, ts: string, write: ResourceWrite): Promise<boolean> {
    return this.#groups.rollback(access, id, ts, write)
  }

  async source(access: Access, id: string, ts: string): Promise<SourceText | undefined> {
    return sourceOf(await this.#groups.past.document(access, id, ts))
  }
}
