import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access.ts'
import type { Document } from '#core/document.ts'
import type { Revision } from '#core/revision.ts'
import { mustFindRevision } from '#core/revision-name.ts'
import { type ListMeta, metaOf, pagingOf } from '#http/paging.ts'
import type { QueryParams } from '#http/query.ts'
import { type RevisionView, revisionView } from '#http/revisions.ts'
import { Cache } from '#lib/cache.ts'
import { type Fields, jsonLength } from '#lib/json.ts'
import type { SettingHistories } from '../history.ts'
import { mustMayRead, noSetting, seesAll } from '../rights.ts'
import type { Step } from '../timeline.ts'

/** A revision of a group of settings: the values that it had from then on, and the names of those that became others. */
export interface GroupRevision extends Revision {
  readonly values: Readonly<Fields>
  readonly changed: readonly string[]
  readonly step: Step
}

const MOST_BYTES = 4 * 1024 * 1024

/** Approximate bytes of a revision beside its values. */
const OVERHEAD = 500

/** Groups of settings as they were, for readers who see all settings. Throws NotFound where no revisions are kept. */
export class PastGroups {
  readonly #histories: SettingHistories
  readonly #made = new Cache<readonly GroupRevision[]>({ bytes: MOST_BYTES, sizeOf: bytesOfAll })

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
    const isWhole = access.may('content:drafts')
    const data = revisions.slice((page - 1) * perPage, page * perPage).map((revision) => {
      const current = revision === revisions[0] && areSame(revision.values, now)
      return revisionView(access, revision, { isWhole, changed: [...revision.changed], current })
    })
    return { data, meta: metaOf(revisions.length, paging) }
  }

  async one(access: Access, group: string, ts: string): Promise<GroupRevision> {
    return mustFindRevision(await this.#of(access, group), 'ts', ts)
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
    return [before?.values ?? {}, revision.values]
  }

  /** The document that held it from a revision on. */
  async document(access: Access, group: string, ts: string): Promise<Document | undefined> {
    const { step } = await this.one(access, group, ts)
    return this.#histories.documentIn(step, group)
  }

  /** Its values in a version of its document; undefined where it had none of that name. */
  async inVersion(group: string, version: string): Promise<Readonly<Fields> | undefined> {
    const { steps } = await this.#histories.stepsOf(group)
    const step = steps.findLast(({ own, whole }) => (own?.version ?? whole?.version) === version)
    return step && this.#histories.valuesIn(step, group)
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
      made.push({ ...step.revision, values, changed, step })
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

function bytesOfAll(revisions: readonly GroupRevision[]): number {
  return revisions.reduce((sum, { values, message }) => sum + OVERHEAD + 2 * (jsonLength({ ...values }) + message.length), 0)
}
