import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import { bytesOf, type Document } from '#core/document.ts'
import type { Action, Revision } from '#core/history/revision.ts'
import { noHistory } from '#core/history/revision-name.ts'
import type { Key } from '#core/key.ts'
import { seesAllTypes } from '#core/queries/known-types.ts'
import {
  ALL_GROUPS,
  groupKey,
  groupOf,
  groupsIn,
  groupWithin,
  type Setting,
  type SettingGroup,
  type SettingName,
  settingKey,
  settingNamed,
} from '#core/settings.ts'
import type { Store } from '#core/store.ts'
import type { MessageReader } from '#http/past/revisions.ts'
import { Cache } from '#lib/cache.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { type Fields, type Json, jsonLength } from '#lib/json.ts'
import { isThere, mustMayRead, noSetting, seesAll } from './rights.ts'
import { storedGroup } from './stored.ts'
import { type Step, stepsOf } from './timeline.ts'

/** A revision of a group in which a setting got another value; undefined where it lost the one it had. */
export interface SettingRevision extends Revision {
  readonly value: Json | undefined
}

/**
 * The history of a setting: of the document of its group, and of that of all groups where it was in there. Revisions in which it
 * stays as it was are none of its own.
 */
export interface SettingHistory {
  readonly setting: Setting | undefined
  /** The setting's value now. */
  readonly value: Json | undefined
  /** Newest first. */
  readonly revisions: readonly SettingRevision[]
}

/** The values of groups by their names. */
type Groups = ReadonlyMap<string, Readonly<Fields>>

const MOST_BYTES = 4 * 1024 * 1024

/** Most revisions of a document in which the last ones of its settings are looked for. */
const MOST_REVISIONS = 1_000

/** Most documents of which these are cached. */
const MOST_KEPT = 100

/** Actions that say more than what became of the value. */
const KEPT: readonly Action[] = ['external', 'rolled_back', 'restored']

/** The histories of settings, for one reader at a time. */
export class SettingHistories {
  readonly #store: Store
  readonly #declared: ReadonlyMap<string, Setting>
  /** Revisions never change. */
  readonly #read = new Cache<Document>({ bytes: MOST_BYTES, sizeOf: bytesOf })
  readonly #made = new Cache<readonly SettingRevision[]>({ bytes: MOST_BYTES, sizeOf: bytesOfAll })
  readonly #last = new Cache<ReadonlyMap<string, SettingRevision>>({ most: MOST_KEPT })

  constructor({ store, declared }: { store: Store; declared: ReadonlyMap<string, Setting> }) {
    this.#store = store
    this.#declared = declared
  }

  /** The caller as the reader of messages of commits. */
  async reader(access: Access): Promise<MessageReader> {
    const seesTypes = await seesAllTypes(this.#store, access)
    return { isWhole: seesTypes && seesAll(access) && access.may('content:drafts'), seesTypes }
  }

  /** Throws NotFound where revisions are not kept, and where the setting never was or is not there for the reader. */
  async of(access: Access, key: string): Promise<SettingHistory> {
    mustMayRead(access)
    const setting = this.#declared.get(key)
    const named = settingNamed(key)
    if (!named || !isThere(access, setting)) throw noSetting()
    const group = await storedGroup(this.#store, named.group)
    const revisions = await this.#revisions(named)
    if (!setting && revisions.length === 0) throw noSetting()
    return { setting, value: group.values[named.name], revisions }
  }

  /**
   * The last revision of each setting in a document, by the setting's key: for nobody's rights. Of the document of all groups, of
   * those groups alone that have no document of their own. Looks at the last thousand revisions at most.
   */
  async last(key: Key): Promise<ReadonlyMap<string, SettingRevision>> {
    const isWhole = key.id === ALL_GROUPS.id
    const whole = (await this.#historyOf(ALL_GROUPS)).slice(0, MOST_REVISIONS)
    const own = isWhole ? [] : (await this.#historyOf(key)).slice(0, MOST_REVISIONS)
    const state = `${stateOf(own)} ${stateOf(whole)}`
    const found = this.#last.get([key.id], state) ?? (await this.#lastIn(stepsOf(own, whole), isWhole ? undefined : key.id))
    this.#last.set([key.id], found, state)
    return isWhole ? this.#withoutOwn(found) : found
  }

  /** The last revision of each setting of a group, or of all in the document of all groups. */
  async #lastIn(steps: readonly Step[], group: string | undefined): Promise<ReadonlyMap<string, SettingRevision>> {
    const found = new Map<string, SettingRevision>()
    const slices = new Slices()
    let before: Groups = new Map()
    for (const step of steps) {
      const groups = await (group === undefined ? this.#groupsIn(step) : this.#groupAlone(step, group))
      if (!groups) continue
      const { revision } = step
      for (const { group, name, value, old } of differences(before, groups)) {
        found.set(settingKey(group, name), { ...revision, value, action: actionOf(revision.action, old, value) })
      }
      before = groups
      if (slices.isOver) await slices.pause()
    }
    slices.end()
    return found
  }

  async #withoutOwn(found: ReadonlyMap<string, SettingRevision>): Promise<ReadonlyMap<string, SettingRevision>> {
    const groups = new Set([...found.keys()].flatMap((name) => settingNamed(name)?.group ?? []))
    for (const group of groups) if ((await this.#historyOf(groupKey(group))).length > 0) groups.delete(group)
    return new Map([...found].filter(([name]) => groups.has(settingNamed(name)?.group ?? '')))
  }

  /** The values in the document of all groups at a step; undefined where it could not be read then. */
  async #groupsIn({ whole }: Step): Promise<Groups | undefined> {
    const document = await this.#document(ALL_GROUPS, whole)
    if (document?.problem?.severity === 'error') return undefined
    const groups = document ? groupsIn([document]) : new Map<string, SettingGroup>()
    return new Map([...groups].map(([group, { values }]) => [group, values]))
  }

  async #groupAlone(step: Step, group: string): Promise<Groups | undefined> {
    const values = await this.valuesIn(step, group)
    return values && new Map([[group, values]])
  }

  /** The steps in the history of a group, oldest first, and a text that is another with each of them. */
  async stepsOf(group: string): Promise<{ readonly steps: readonly Step[]; readonly state: string }> {
    const [own, whole] = [await this.#historyOf(groupKey(group)), await this.#historyOf(ALL_GROUPS)]
    return { steps: stepsOf(own, whole), state: `${stateOf(own)} ${stateOf(whole)}` }
  }

  async #revisions({ group, name }: SettingName): Promise<readonly SettingRevision[]> {
    const { steps, state } = await this.stepsOf(group)
    const known = this.#made.get([group, name], state)
    if (known) return known
    const revisions = await this.#chosen({ group, name }, steps)
    this.#made.set([group, name], revisions, state)
    return revisions
  }

  /** The revisions in which the setting became another, newest first. */
  async #chosen({ group, name }: SettingName, steps: readonly Step[]): Promise<SettingRevision[]> {
    const revisions: SettingRevision[] = []
    let before: Json | undefined
    for (const step of steps) {
      const values = await this.valuesIn(step, group)
      const value = values?.[name]
      if (!values || isDeepStrictEqual(value, before)) continue
      const { revision } = step
      revisions.push({ ...revision, value, action: actionOf(revision.action, before, value) })
      before = value
    }
    return revisions.reverse()
  }

  async #historyOf(key: Key): Promise<readonly Revision[]> {
    const page = await this.#store.history(key, {})
    if (!page) throw noHistory()
    return page.items
  }

  /** The values of a group at a step, those of its own document if it had one; undefined where that could not be read then. */
  async valuesIn(step: Step, group: string): Promise<Readonly<Fields> | undefined> {
    const document = await this.documentIn(step, group)
    if (!document) return {}
    if (document.problem?.severity === 'error') return undefined
    return document.key.id === ALL_GROUPS.id ? (groupWithin(document, group)?.values ?? {}) : groupOf(document).values
  }

  /** The document that a group was in at a step: its own, else that of all groups. */
  async documentIn({ own, whole }: Step, group: string): Promise<Document | undefined> {
    return (await this.#document(groupKey(group), own)) ?? (await this.#document(ALL_GROUPS, whole))
  }

  /** A document as it was in a revision; undefined where it was not there. */
  async #document(key: Key, revision: Revision | undefined): Promise<Document | undefined> {
    if (revision?.version === undefined) return undefined
    const { number, version } = revision
    const name = [key.id, number, version]
    const known = this.#read.get(name)
    if (known) return known
    const found = await this.#store.at(key, number)
    if (found) this.#read.set(name, found)
    return found
  }
}

/** A setting that differs between two states: what it is, and what it was. */
interface Difference extends SettingName {
  readonly value: Json | undefined
  readonly old: Json | undefined
}

function differences(before: Groups, now: Groups): Difference[] {
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((group) => {
    const [old = {}, made = {}] = [before.get(group), now.get(group)]
    const names = [...new Set([...Object.keys(old), ...Object.keys(made)])]
    const differing = names.filter((name) => !isDeepStrictEqual(old[name], made[name]))
    return differing.map((name) => ({ group, name, value: made[name], old: old[name] }))
  })
}

/** Approximate bytes of revisions beside their values, each. */
const OVERHEAD = 500

function bytesOfAll(revisions: readonly SettingRevision[]): number {
  return revisions.reduce((sum, { value = null, message }) => sum + OVERHEAD + 2 * (jsonLength(value) + message.length), 0)
}

/** The state of a history, newest first. */
function stateOf(all: readonly Revision[]): string {
  const [newest] = all
  return [all.length, newest?.number, newest?.version].join(' ')
}

function actionOf(action: Action, before: Json | undefined, now: Json | undefined): Action {
  if (KEPT.includes(action)) return action
  if (before === undefined) return 'created'
  return now === undefined ? 'deleted' : 'updated'
}
