import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access.ts'
import { bytesOf, type Document } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import type { Action, Revision } from '#core/revision.ts'
import { noHistory } from '#core/revision-name.ts'
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
import { Cache } from '#lib/cache.ts'
import { type Fields, type Json, jsonLength } from '#lib/json.ts'
import { Slices } from '#lib/slices.ts'
import { isThere, mustMayRead, noSetting } from './rights.ts'
import { type StoredGroup, storedGroup } from './stored.ts'

/** A revision of a group in which a setting got another value; undefined where it lost the one it had. */
export interface SettingRevision extends Revision {
  readonly value: Json | undefined
}

/** The history of a setting. Revisions of its group in which it stays as it was are none of its own. */
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

  /** Throws NotFound where revisions are not kept, and where the setting never was or is not there for the reader. */
  async of(access: Access, key: string): Promise<SettingHistory> {
    mustMayRead(access)
    const setting = this.#declared.get(key)
    const named = settingNamed(key)
    if (!named || !isThere(access, setting)) throw noSetting()
    const group = await storedGroup(this.#store, named.group)
    const revisions = await this.#revisions(named, group)
    if (!setting && revisions.length === 0) throw noSetting()
    return { setting, value: group.values[named.name], revisions }
  }

  /**
   * The last revision of each setting in a document, by the setting's key: for nobody's rights. Of the document of all groups, of
   * those groups alone that have no document of their own. Looks at the last thousand revisions at most.
   */
  async last(key: Key): Promise<ReadonlyMap<string, SettingRevision>> {
    const all = (await this.#historyOf(key)).slice(0, MOST_REVISIONS)
    const [newest] = all
    const state = [all.length, newest?.number, newest?.version].join(' ')
    const found = this.#last.get([key.id], state) ?? (await this.#lastIn(key, all))
    this.#last.set([key.id], found, state)
    return key.id === ALL_GROUPS.id ? this.#withoutOwn(found) : found
  }

  async #lastIn(key: Key, all: readonly Revision[]): Promise<ReadonlyMap<string, SettingRevision>> {
    const found = new Map<string, SettingRevision>()
    const slices = new Slices()
    let before: Groups = new Map()
    for (const revision of [...all].reverse()) {
      const groups = await this.#groupsIn(key, revision)
      if (!groups) continue
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

  /** The values of a document's groups in a revision; undefined where it could not be read then. */
  async #groupsIn(key: Key, revision: Revision): Promise<Groups | undefined> {
    const document = revision.version === undefined ? undefined : await this.#document(key, revision)
    if (document?.problem?.severity === 'error') return undefined
    const groups = document ? groupsIn([document]) : new Map<string, SettingGroup>()
    return new Map([...groups].map(([group, { values }]) => [group, values]))
  }

  async #revisions(named: SettingName, group: StoredGroup): Promise<readonly SettingRevision[]> {
    const own = group.document?.key ?? groupKey(named.group)
    const found = await this.#historyOf(own)
    // A group that is nowhere now may have been in the file of all.
    const [key, all] = group.document || found.length > 0 ? [own, found] : [ALL_GROUPS, await this.#historyOf(ALL_GROUPS)]
    const [newest] = all
    const [name, state] = [[key.id, named.group, named.name], [all.length, newest?.number, newest?.version].join(' ')]
    const known = this.#made.get(name, state)
    if (known) return known
    const revisions = await this.#chosen(named, key, all)
    this.#made.set(name, revisions, state)
    return revisions
  }

  /** Of the revisions of a document, newest first, those in which the setting became another. */
  async #chosen(named: SettingName, key: Key, all: readonly Revision[]): Promise<SettingRevision[]> {
    const revisions: SettingRevision[] = []
    let before: Json | undefined
    for (const revision of [...all].reverse()) {
      const values = await this.#valuesIn(key, revision, named.group)
      const value = values?.[named.name]
      if (!values || isDeepStrictEqual(value, before)) continue
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

  /** The values of a group in a revision; undefined where the file could not be read then. */
  async #valuesIn(key: Key, revision: Revision, group: string): Promise<Readonly<Fields> | undefined> {
    if (revision.version === undefined) return {}
    const document = await this.#document(key, revision)
    if (!document) return {}
    if (document.problem?.severity === 'error') return undefined
    return key.id === group ? groupOf(document).values : (groupWithin(document, group)?.values ?? {})
  }

  async #document(key: Key, { number, version = '' }: Revision): Promise<Document | undefined> {
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

function actionOf(action: Action, before: Json | undefined, now: Json | undefined): Action {
  if (KEPT.includes(action)) return action
  if (before === undefined) return 'created'
  return now === undefined ? 'deleted' : 'updated'
}
