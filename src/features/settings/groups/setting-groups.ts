import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import { type Document, NO_BYTES } from '#core/document.ts'
import { type Asked, VERBS } from '#core/history/revision.ts'
import { ALL_GROUPS, defaultOf, groupKey, groupOf, groupWithin, settingKey } from '#core/settings.ts'
import { untilFirst } from '#http/guarding/until-first.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Conflict, type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { checkValue, writableField } from '../checking.ts'
import type { SettingsDeps } from '../deps.ts'
import type { SettingHistories } from '../history.ts'
import { mustMayWrite, noSetting, seesAll } from '../rights.ts'
import { type GroupValues, type StoredGroup, storedGroup, writeGroup } from '../stored.ts'
import { unreadable } from '../unreadable.ts'
import { differing, PastGroups } from './past-groups.ts'

/** The dependencies of groups of settings; `mutex` has a key for each group. */
export interface GroupsDeps extends SettingsDeps {
  readonly histories: SettingHistories
  readonly mutex: KeyedMutex
}

/** A group of settings: its values, with the defaults of those that have none, and the version of its file. */
export interface GroupState {
  readonly values: Readonly<Fields>
  readonly version: string
}

/** The request of a change of a group; `base` is the version that it began from. */
export interface GroupChange {
  readonly asked: Asked
  readonly base?: string | undefined
}

/** The settings of a site group by group, for readers who see all settings: what is changed together is one write. */
export class SettingGroups {
  readonly past: PastGroups
  readonly #deps: GroupsDeps

  constructor(deps: GroupsDeps) {
    this.#deps = deps
    this.past = new PastGroups(deps.histories)
  }

  /** A group as it is, for a change that may begin from it. */
  async get(access: Access, group: string): Promise<GroupState> {
    const stored = await this.#stored(access, group)
    if (stored.document) this.#deps.bases?.remember(stored.document)
    return { values: this.#shown(group, stored.values), version: versionOf(stored) }
  }

  /** The document that holds a group. */
  async source(access: Access, group: string): Promise<Document | undefined> {
    return (await this.#stored(access, group)).document
  }

  /** The revisions of a group; `params` are `page` and `per_page`. */
  async revisions(access: Access, group: string, params: QueryParams): ReturnType<PastGroups['list']> {
    return this.past.list(access, group, params, (await this.#stored(access, group)).values)
  }

  /** A group in a version that its file once had; undefined where that is not known any more. */
  async inVersion(access: Access, group: string, version: string): Promise<GroupState | undefined> {
    const stored = await this.#stored(access, group)
    const values = await this.#valuesIn(stored, version)
    return values && { values: this.#shown(group, values), version }
  }

  /**
   * Gives settings of a group other values, null for none, and returns whether that changed any. With `base`, Conflict with the
   * three sides where others have changed the same since.
   */
  async update(access: Access, group: string, values: Fields, { asked, base }: GroupChange): Promise<boolean> {
    this.#mustMayWrite(access, group, Object.keys(values))
    return this.#alone(group, async () => {
      const stored = await this.#stored(access, group)
      if (base !== undefined && base !== versionOf(stored)) await this.#mustNotMeet(stored, values, base)
      const made = await this.#checked(access, stored, values)
      if (made.size === 0) return false
      await writeGroup(this.#deps.store, access, stored, made, { message: messageFor(group, made), ...asked })
      return true
    })
  }

  /** Makes a group what it was in a revision, where the types and rules of its settings still take that. */
  async rollback(access: Access, group: string, ts: string, { asked, base }: GroupChange): Promise<boolean> {
    const { values: then, at } = await this.past.one(access, group, ts)
    return this.#alone(group, async () => {
      const stored = await this.#stored(access, group)
      if (base !== undefined && base !== versionOf(stored))
        throw new Conflict('The settings have changed since you read them. Nothing was restored.')
      const names = differing(then, stored.values)
      this.#mustMayWrite(access, group, names)
      const values = Object.fromEntries(names.map((name) => [name, then[name] ?? null]))
      const made = await this.#checked(access, stored, values)
      if (made.size === 0) return false
      const message = `${VERBS.rolled_back} settings/${group} to ${at}`
      await writeGroup(this.#deps.store, access, stored, made, { message, action: 'rolled_back', ...asked })
      return true
    })
  }

  #alone<T>(group: string, work: () => Promise<T>): Promise<T> {
    return this.#deps.mutex.run(group, () => untilFirst({}, work))
  }

  #mustMayWrite(access: Access, group: string, names: readonly string[]): void {
    for (const name of names) mustMayWrite(access, this.#deps.declared.get(settingKey(group, name)))
  }

  async #stored(access: Access, group: string): Promise<StoredGroup> {
    if (!seesAll(access)) throw noSetting()
    const stored = await storedGroup(this.#deps.store, group)
    if (stored.document?.problem?.severity === 'error') throw unreadable(stored.document.problem, true)
    return stored
  }

  /** The values that are to be written, checked; those that are as they are left out. */
  async #checked(access: Access, stored: StoredGroup, values: Fields): Promise<GroupValues> {
    const made = new Map<string, Json | undefined>()
    const errors: FieldErrors = {}
    for (const [name, value] of Object.entries(values)) {
      const now = stored.values[name]
      const checked = await this.#check(access, stored, name, value).catch((error: unknown) => {
        if (!(error instanceof InvalidInput)) throw error
        for (const [path, sentences] of Object.entries(error.errors)) errors[path.replace(/^(?:value|key)/, name)] = sentences
        return now
      })
      if (!isDeepStrictEqual(checked, now)) made.set(name, checked)
    }
    if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
    return made
  }

  async #check(access: Access, { name: group, values }: StoredGroup, name: string, value: Json): Promise<Json | undefined> {
    if (value === null) return undefined
    const field = writableField(this.#deps.declared, settingKey(group, name))
    return (await checkValue(this.#deps, access, field, value, values[name])) ?? undefined
  }

  async #mustNotMeet(stored: StoredGroup, values: Fields, base: string): Promise<void> {
    const found = await this.#valuesIn(stored, base)
    const before = found && this.#shown(stored.name, found)
    const now = this.#shown(stored.name, stored.values)
    const isSame = (one: Json | undefined, other: Json | undefined) => isDeepStrictEqual(one ?? null, other ?? null)
    const fields = Object.keys(values).filter(
      (name) => !isSame(values[name], now[name]) && !(before && isSame(before[name], now[name])),
    )
    if (fields.length === 0) return
    const words = before
      ? `Others changed the same since you began: ${fields.join(', ')}.`
      : 'The version you began from is not known any more, and the settings have changed since.'
    const valuesOf = (side: Readonly<Fields>) => Object.fromEntries(fields.map((name) => [name, side[name] ?? null]))
    throw new Conflict(words, {
      fields,
      base: before ? valuesOf(before) : null,
      yours: valuesOf(values),
      theirs: valuesOf(now),
    })
  }

  async #valuesIn(stored: StoredGroup, version: string): Promise<Readonly<Fields> | undefined> {
    const { name: group } = stored
    if (version === versionOf(stored)) return stored.values
    if (version === NO_BYTES) return {}
    const { bases, store } = this.#deps
    const own = bases?.find(groupKey(group), version)?.document
    if (own) return groupOf(own).values
    const whole = bases?.find(ALL_GROUPS, version)?.document
    if (whole) return groupWithin(whole, group)?.values ?? {}
    const isKept = (await store.history(groupKey(group), { limit: 0 })) !== undefined
    return isKept ? this.past.inVersion(group, version) : undefined
  }

  /** The values that readers see: those that are set, and the defaults of the others. */
  #shown(group: string, values: Readonly<Fields>): Fields {
    const declared = [...this.#deps.declared.values()].filter((setting) => setting.group === group)
    return { ...Object.fromEntries(declared.map(({ name, field }) => [name, defaultOf(field)])), ...values }
  }
}

function versionOf({ document }: StoredGroup): string {
  return document?.version ?? NO_BYTES
}

function messageFor(group: string, values: GroupValues): string {
  const [[name, value] = ['', undefined], ...others] = values
  if (others.length > 0) return `${VERBS.updated} settings/${group}`
  return `${value === undefined ? 'Remove' : 'Set'} ${settingKey(group, name)}`
}
