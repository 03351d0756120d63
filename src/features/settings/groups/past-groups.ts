import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { Revision } from '#core/history/revision.ts'
import { mustFindRevision } from '#core/history/revision-name.ts'
import { type RevisionView, revisionView } from '#http/past/revisions.ts'
import { type ListMeta, metaOf, pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { Cache } from '#lib/cache.ts'
import type { Fields } from '#lib/json.ts'
import type { SettingHistories } from '../history.ts'
import { mustMayRead, noSetting, seesAll } from '../rights.ts'
import type { Step } from '../timeline.ts'

/** A revision of a group of settings, and the names of those that became others. */
export interface GroupRevision extends Revision {
  readonly changed: readonly string[]
  readonly step: Step
}

/** A revision with the values that the group had from then on. */
export interface PastGroup extends GroupRevision {
  readonly values: Readonly<Fields>
}

/** Most groups of which the revisions are kept: without values, which may be megabytes each. */
const MOST_KEPT = 100

/** Groups of settings as they were, for readers who see all settings. Throws NotFound where no revisions are kept. */
export class PastGroups {
  readonly #histories: SettingHistories
  readonly #made = new Cache<readonly GroupRevision[]>({ most: MOST_KEPT })

  constructor(histories: SettingHistories) {
    this.#histories = histories
  }

  /** A part of the revisions of a group, newest first, of which `now` are its values; `params` are `page` and `per_page`. */
  async list(
    access: Access,
    group: string,
    params: QueryParams,
    now: Readonly<Fields>,
  ): Promise<{ data: RevisionView[]; meta: ListMeta }> {
    const revisions = await this.#of(access, group)
    const paging = pagingOf(params)
    const { page, perPage } = paging
    const reader = await this.#histories.reader(access)
    const [newest] = revisions
    const isAsNow = newest !== undefined && areSame(await this.#valuesIn(newest, group), now)
    const data = revisions.slice((page - 1) * perPage, page * perPage).map((revision) => {
      const current = revision === newest && isAsNow
      return revisionView(access, revision, { ...reader, changed: [...revision.changed], current })
    })
    return { data, meta: metaOf(revisions.length, paging) }
  }

  async one(access: Access, group: string, ts: string): Promise<PastGroup> {
    const revision = mustFindRevision(await this.#of(access, group), 'ts', ts)
    return { ...revision, values: await this.#valuesIn(revision, group) }
  }

  /** Its values in a revision, and those in the one before, or in the one that `against` names. */
  async both(
    access: Access,
    group: string,
    ts: string,
    against?: string,
  ): Promise<readonly [Readonly<Fields>, Readonly<Fields>]> {
    const revisions = await this.#of(access, group)
    const revision = mustFindRevision(revisions, 'ts', ts)
    const before =
      against === undefined ? revisions[revisions.indexOf(revision) + 1] : mustFindRevision(revisions, 'against', against)
    return [before ? await this.#valuesIn(before, group) : {}, await this.#valuesIn(revision, group)]
  }

  /** The document that held it from a revision on. */
  async document(access: Access, group: string, ts: string): Promise<Document | undefined> {
    const { step } = mustFindRevision(await this.#of(access, group), 'ts', ts)
    return this.#histories.documentIn(step, group)
  }

  /** Its values in a version of its document; undefined where it had none of that name. */
  async inVersion(group: string, version: string): Promise<Readonly<Fields> | undefined> {
    const { steps } = await this.#histories.stepsOf(group)
    const step = steps.findLast(({ own, whole }) => (own?.version ?? whole?.version) === version)
    return step && this.#histories.valuesIn(step, group)
  }

  async #valuesIn({ step }: GroupRevision, group: string): Promise<Readonly<Fields>> {
    return (await this.#histories.valuesIn(step, group)) ?? {}
  }

  async #of(access: Access, group: string): Promise<readonly GroupRevision[]> {
    mustMayRead(access)
    if (!seesAll(access)) throw noSetting()
    const { steps, state } = await this.#histories.stepsOf(group)
    const known = this.#made.get([group], state)
    if (known) return known
    const made = await this.#chosen(group, steps)
    this.#made.set([group], made, state)
    return made
  }

  /** The revisions in which a setting of the group became another, newest first. */
  async #chosen(group: string, steps: readonly Step[]): Promise<GroupRevision[]> {
    const made: GroupRevision[] = []
    let before: Readonly<Fields> = {}
    for (const step of steps) {
      const values = await this.#histories.valuesIn(step, group)
      const changed = values ? differing(before, values) : []
      if (!values || changed.length === 0) continue
      made.push({ ...step.revision, changed, step })
      before = values
    }
    return made.reverse()
  }
}

/** The names of the values that differ. */
export function differing(one: Readonly<Fields>, other: Readonly<Fields>): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return names.filter((name) => !isDeepStrictEqual(one[name], other[name]))
}

function areSame(one: Readonly<Fields>, other: Readonly<Fields>): boolean {
  return differing(one, other).length === 0
}
