import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import {
  mustFindRevision,
  noHistory,
  parseRevisionName,
  revisionAsOf,
  revisionNamed,
  revisionText,
} from '#core/history/revision-name.ts'
import { groupsIn, SETTINGS, type SettingGroup } from '#core/settings.ts'
import type { Store } from '#core/store.ts'
import { PastListGate } from '#http/past/list-gate.ts'
import { type RevisionView, revisionView } from '#http/past/revisions.ts'
import { type ListMeta, metaOf, pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { NotFound } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import type { SettingHistories, SettingRevision } from './history.ts'
import { mustMayRead } from './rights.ts'
import { type SettingAnswer, viewOf } from './views.ts'

/** The difference between two revisions; `against` is null for the time before the first. */
export interface SettingDiff {
  readonly ts: string
  readonly against: string | null
  readonly fields: readonly { readonly field: 'value'; readonly before: Json; readonly after: Json }[]
}

/** Settings as they were, for one reader at a time. Throws NotFound where no revisions are kept, or none has the name. */
export class PastSettings {
  readonly #store: Store
  readonly #histories: SettingHistories
  readonly #gate = new PastListGate('settings')

  constructor(store: Store, histories: SettingHistories) {
    this.#store = store
    this.#histories = histories
  }

  /** A part of the revisions of a setting, newest first; `params` are `page` and `per_page`. */
  async list(access: Access, key: string, params: QueryParams = {}): Promise<{ data: RevisionView[]; meta: ListMeta }> {
    const { revisions, value } = await this.#histories.of(access, key)
    const paging = pagingOf(params)
    const { page, perPage } = paging
    const reader = await this.#histories.reader(access)
    const data = revisions.slice((page - 1) * perPage, page * perPage).map((revision) => {
      const current = revision === revisions[0] && isDeepStrictEqual(revision.value, value)
      return revisionView(access, revision, { ...reader, changed: ['value'], current })
    })
    return { data, meta: metaOf(revisions.length, paging) }
  }

  /** The setting as it was in a revision. */
  async one(access: Access, key: string, ts: string): Promise<SettingAnswer> {
    const { setting, revisions } = await this.#histories.of(access, key)
    const { value, version } = mustFindRevision(revisions, 'ts', ts)
    if (value === undefined) throw new NotFound('The setting had no value of its own in this revision.')
    return viewOf(access, key, setting, value, version)
  }

  /** The difference of a revision to the one before, or to the one that `against` names. */
  async diff(access: Access, key: string, ts: string, against?: string): Promise<SettingDiff> {
    const { revisions } = await this.#histories.of(access, key)
    const revision = mustFindRevision(revisions, 'ts', ts)
    const before: SettingRevision | undefined =
      against === undefined ? revisions[revisions.indexOf(revision) + 1] : mustFindRevision(revisions, 'against', against)
    const [old = null, now = null] = [before?.value, revision.value]
    const fields = isDeepStrictEqual(old, now) ? [] : [{ field: 'value' as const, before: old, after: now }]
    return { ts: revisionText(revision), against: before ? revisionText(before) : null, fields }
  }

  /** The setting as of a time: its default before it had a value. */
  async asOf(access: Access, key: string, at: string): Promise<SettingAnswer> {
    const name = parseRevisionName('at', at)
    const { setting, revisions } = await this.#histories.of(access, key)
    const revision = 'commit' in name ? revisionNamed(revisions, name) : revisionAsOf(revisions, name)
    const isUnknown = 'commit' in name ? !revision : !setting && revision?.value === undefined
    if (isUnknown) throw new NotFound('The setting was not found at that time.')
    return viewOf(access, key, setting, revision?.value, revision?.version)
  }

  /** The groups as of a time. That reads much of the history: one list is made at a time, for who may read drafts. */
  async groups(access: Access, at: string): Promise<ReadonlyMap<string, SettingGroup>> {
    mustMayRead(access)
    const name = parseRevisionName('at', at)
    return this.#gate.runFor(access, async () => {
      const past = await this.#store.past(SETTINGS, { at: name })
      if (!past) throw noHistory()
      return groupsIn(past.heads.map(({ head }) => head))
    })
  }
}
