import type { Access } from '#core/access.ts'
import type { Field } from '#core/content-type.ts'
import { fieldOf, labelOf } from '#core/fields.ts'
import { CUSTOM, type Setting, settingKey } from '#core/settings.ts'
import { Conflict, NotFound } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Resource, Resources, ResourceWrite, Row, Rows } from '../../resource.ts'
import type { SettingView } from '../schema.ts'
import type { Settings } from '../settings.ts'

/** The settings of a site in the panel: each group is one thing, and its settings are the fields. */
export class SettingResource implements Resource, Resources {
  readonly name = 'settings'
  readonly label = 'Settings'
  readonly singular = 'group of settings'
  readonly group = 'run'
  readonly icon = 'settings'
  readonly layout = 'form'
  readonly editPage = 'settings'
  readonly columns = []
  readonly sorts = []
  readonly #settings: Settings
  readonly #declared: ReadonlyMap<string, Setting>

  constructor(settings: Settings, declared: ReadonlyMap<string, Setting>) {
    this.#settings = settings
    this.#declared = declared
  }

  async seen(access: Access): Promise<Resource[]> {
    return this.sees(access) ? [this] : []
  }

  named(name: string): Resource | undefined {
    return name === this.name ? this : undefined
  }

  /** Returns whether the reader may change settings; others have no page of them. */
  sees(access: Access): boolean {
    return access.may('settings:write')
  }

  fields(_access: Access, row?: Row): readonly Field[] {
    if (!row) return []
    const declared = [...this.#declared.values()].filter(({ group }) => group === row.id)
    const names = new Set(declared.map(({ name }) => name))
    const others = Object.keys(row.values).filter((name) => !names.has(name))
    return [...declared.map(({ field }) => field), ...others.map((name) => fieldOf(name, { type: 'json' }))]
  }

  /** Returns whether readers of the public site may read a setting of a group. */
  isPublic(group: string, name: string): boolean {
    return this.#declared.get(settingKey(group, name))?.isPublic === true
  }

  mayCreate(): boolean {
    return false
  }

  mayUpdate(access: Access): boolean {
    return access.may('settings:write')
  }

  async list(access: Access): Promise<Rows> {
    const rows = await this.#groups(access)
    return { rows, total: rows.length, page: 1, perPage: Math.max(1, rows.length) }
  }

  async get(access: Access, id: string): Promise<Row> {
    const found = (await this.#groups(access)).find((row) => row.id === id)
    if (!found) throw new NotFound('There is no such group of settings.')
    return found
  }

  /** Changes those that are sent, one after the other. Throws Conflict where the group is another than the base: nothing is changed. */
  async update(access: Access, id: string, values: Fields, { asked, base }: ResourceWrite): Promise<Row> {
    const row = await this.get(access, id)
    if (base !== undefined && row.version !== undefined && base !== row.version)
      throw new Conflict(
        'Others have changed settings of this group since you opened the page. Nothing was saved; save again to set yours.',
      )
    for (const [name, value] of Object.entries(values)) {
      const key = settingKey(id, name)
      if (value === null) await this.#settings.remove(access, key, { asked })
      else await this.#settings.set(access, key, value, { asked })
    }
    return this.get(access, id)
  }

  async #groups(access: Access): Promise<Row[]> {
    const groups = new Map<string, SettingView[]>([[CUSTOM, []]])
    for (const view of await this.#settings.list(access)) {
      const [group = ''] = view.key.split('.')
      groups.set(group, [...(groups.get(group) ?? []), view])
    }
    return [...groups].map(([group, views]) => ({
      id: group,
      title: labelOf(group),
      values: Object.fromEntries(views.map(({ key, value }) => [key.slice(group.length + 1), value as Json])),
      version: views.find(({ version }) => version !== null)?.version ?? undefined,
    }))
  }
}
