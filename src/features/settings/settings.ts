import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import { type Note, VERBS } from '#core/history/revision.ts'
import { mustFindRevision, revisionText } from '#core/history/revision-name.ts'
import { groupsIn, SETTINGS, type Setting, type SettingGroup, settingKey, settingNamed } from '#core/settings.ts'
import { matchesRest } from '#http/answers/etag.ts'
import { untilFirst } from '#http/guarding/until-first.ts'
import type { WriteOptions } from '#http/requests/write-options.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Conflict, InvalidInput, Stale } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { compareText } from '#lib/text/compare.ts'
import { ChangedSettings } from './changes.ts'
import { checkValue, noWritable, writableField } from './checking.ts'
import type { SettingsDeps } from './deps.ts'
import { SettingGroups } from './groups/setting-groups.ts'
import { SettingHistories } from './history.ts'
import { PastSettings } from './past.ts'
import { isThere, mustMayRead, mustMayWrite, noSetting, seesAll } from './rights.ts'
import type { SettingView } from './schema.ts'
import { type Split, splitSettings } from './splitting.ts'
import { type StoredGroup, storedGroup, writeGroup } from './stored.ts'
import { unreadable } from './unreadable.ts'
import { type SettingAnswer, viewOf } from './views.ts'

/** A setting that a request names, and the group that it is in. */
interface Found {
  readonly name: string
  readonly setting: Setting | undefined
  readonly group: StoredGroup
}

/** The decision of a change: the new value of a setting, undefined for none, and what the history says of it. */
interface Decision {
  readonly value: Json | undefined
  readonly note: Note
}

/** A setting after a rollback to the revision `to`; `changed` false where it was like that before, and nothing was written. */
export interface RolledBackSetting {
  readonly answer: SettingAnswer
  readonly to: string
  readonly changed: boolean
}

/**
 * The settings of a site, for one reader at a time: without settings:write, only the public ones exist. A setting is a key of a
 * document, its group's; one that is not declared is private, of type json, and can be set in the group `custom` alone.
 */
export class Settings {
  readonly past: PastSettings
  readonly changes: ChangedSettings
  readonly groups: SettingGroups
  readonly #deps: SettingsDeps
  readonly #histories: SettingHistories
  readonly #mutex = new KeyedMutex()

  constructor(deps: SettingsDeps) {
    this.#deps = deps
    this.#histories = new SettingHistories(deps)
    this.past = new PastSettings(deps.store, this.#histories)
    this.changes = new ChangedSettings(deps.declared, this.#histories)
    this.groups = new SettingGroups({ ...deps, histories: this.#histories, mutex: this.#mutex })
  }

  /** All that exist for the reader, by key; with `at`, as of then. Those of a group that can't be read are left out. */
  async list(access: Access, at?: string): Promise<SettingView[]> {
    mustMayRead(access)
    if (at !== undefined) return this.#listed(access, await this.past.groups(access, at), new Set())
    const groups = groupsIn((await this.#deps.store.heads(SETTINGS, {})).items)
    return this.#listed(access, groups, await this.#unreadable(new Set(groups.keys())))
  }

  /** Gives each group in the file of all groups one of its own. */
  split(access: Access): Promise<Split> {
    return splitSettings(this.#deps.store, access)
  }

  #listed(access: Access, groups: ReadonlyMap<string, SettingGroup>, broken: ReadonlySet<string>): SettingView[] {
    const { declared } = this.#deps
    const keys = new Set(declared.keys())
    for (const [group, { values }] of groups) for (const name of Object.keys(values)) keys.add(settingKey(group, name))
    return [...keys].sort(compareText).flatMap((key) => {
      const named = settingNamed(key)
      const setting = declared.get(key)
      if (!named || !isThere(access, setting) || broken.has(named.group)) return []
      const { values = {}, head } = groups.get(named.group) ?? {}
      return [viewOf(access, key, setting, values[named.name], head?.version).view]
    })
  }

  /** A setting; with `at`, as of then. */
  async get(access: Access, key: string, at?: string): Promise<SettingAnswer> {
    if (at !== undefined) return this.past.asOf(access, key, at)
    const found = await this.#find(access, key)
    return this.#answer(access, key, found)
  }

  /** Gives a setting a value; null is none, so that the default counts. Throws InvalidInput for one that may not be set. */
  async set(access: Access, key: string, value: Json, options: WriteOptions = {}): Promise<SettingAnswer> {
    const { answer } = await this.#change(access, key, options, async (found) => {
      const { setting, group, name } = found
      const made = await checkValue(this.#deps, access, writableField(this.#deps.declared, key), value, group.values[name])
      if (made === null && !setting)
        throw new InvalidInput({ value: ['The value must not be null. DELETE removes the setting.'] })
      return { value: made ?? undefined, note: { message: `${made === null ? 'Remove' : 'Set'} ${key}` } }
    })
    return answer
  }

  /** Takes the value of a setting away, so that its default counts. */
  async remove(access: Access, key: string, options: WriteOptions = {}): Promise<void> {
    await this.#change(access, key, options, async ({ setting, group, name }) => {
      if (!setting && !Object.hasOwn(group.values, name)) throw noSetting()
      return { value: undefined, note: { message: `Remove ${key}` } }
    })
  }

  /** Gives a setting the value it had in a revision, where its type and rules still take that. */
  async rollback(access: Access, key: string, ts: string, options: WriteOptions = {}): Promise<RolledBackSetting> {
    mustMayWrite(access, this.#deps.declared.get(key))
    const revision = mustFindRevision((await this.#histories.of(access, key)).revisions, 'ts', ts)
    const { value } = revision
    if (value === undefined) throw new Conflict('The setting had no value of its own in this revision. DELETE takes it away.')
    const done = await this.#change(access, key, options, async ({ group, name }) => {
      const now = group.values[name]
      if (!isDeepStrictEqual(value, now))
        await checkValue(this.#deps, access, writableField(this.#deps.declared, key), value, now)
      const action = now === undefined ? 'restored' : 'rolled_back'
      return { value, note: { message: `${VERBS[action]} ${key} to ${revision.at}`, action } }
    })
    return { ...done, to: revisionText(revision) }
  }

  /** Writes the value that `decide` gives for a setting as it is; undefined removes it. Others may change its group meanwhile. */
  #change(
    access: Access,
    key: string,
    { ifMatch, asked }: WriteOptions,
    decide: (found: Found) => Promise<Decision>,
  ): Promise<{ answer: SettingAnswer; changed: boolean }> {
    mustMayWrite(access, this.#deps.declared.get(key))
    const { group, name } = this.#named(key)
    const once = async () => {
      const found = { name, setting: this.#deps.declared.get(key), group: await this.#group(access, group) }
      const before = this.#answer(access, key, found)
      const isThere = found.setting !== undefined || Object.hasOwn(found.group.values, name)
      // Another value is no reason to try again.
      if (!matchesRest(ifMatch, isThere ? JSON.stringify(before.view.value) : undefined)) return undefined
      const { value, note } = await decide(found)
      if (isDeepStrictEqual(value, found.group.values[name])) return { answer: before, changed: false }
      await writeGroup(this.#deps.store, access, found.group, new Map([[name, value]]), { ...note, ...asked })
      const after = { ...found, group: await storedGroup(this.#deps.store, group) }
      return { answer: this.#answer(access, key, after), changed: true }
    }
    return this.#mutex.run(group, async () => {
      const done = await untilFirst({}, once)
      if (!done) throw new Stale('The setting has changed since you read it.')
      return done
    })
  }

  async #find(access: Access, key: string): Promise<Found> {
    mustMayRead(access)
    const setting = this.#deps.declared.get(key)
    const named = settingNamed(key)
    if (!named || !isThere(access, setting)) throw noSetting()
    const group = await this.#group(access, named.group)
    if (!setting && !Object.hasOwn(group.values, named.name)) throw noSetting()
    return { name: named.name, setting, group }
  }

  async #group(access: Access, name: string): Promise<StoredGroup> {
    const group = await storedGroup(this.#deps.store, name)
    if (group.document?.problem?.severity === 'error') throw unreadable(group.document.problem, seesAll(access))
    return group
  }

  #answer(access: Access, key: string, { name, setting, group }: Found): SettingAnswer {
    return viewOf(access, key, setting, group.values[name], group.document?.version)
  }

  #named(key: string) {
    const named = settingNamed(key)
    if (!named) throw noWritable(this.#deps.declared, key)
    return named
  }

  /** The declared groups that are not in `readable`, and can't be read. */
  async #unreadable(readable: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const broken = new Set<string>()
    for (const group of new Set([...this.#deps.declared.values()].map((setting) => setting.group))) {
      if (readable.has(group)) continue
      const { document } = await storedGroup(this.#deps.store, group)
      if (document?.problem?.severity === 'error') broken.add(group)
    }
    return broken
  }
}
