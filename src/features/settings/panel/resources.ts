import type { Access } from '#core/access/access.ts'
import type { Version } from '#core/document.ts'
import { CUSTOM, type Setting, settingKey } from '#core/settings.ts'
import type { Field } from '#core/types/content-type.ts'
import { fieldOf, labelOf } from '#core/types/fields.ts'
import { NotFound } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Past, Resource, Resources, ResourceWrite, Row, Rows, SourceText } from '../../resource.ts'
import { sourceOf } from '../../source-text.ts'
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
  readonly past: Past | undefined
  readonly #settings: Settings
  readonly #declared: ReadonlyMap<string, Setting>

  /** `past` is undefined where revisions are switched off. */
  constructor(settings: Settings, declared: ReadonlyMap<string, Setting>, past?: Past) {
    this.#settings = settings
    this.#declared = declared
    this.past = past
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
    const { values, version } = await this.#settings.groups.get(access, id)
    return { ...found, values: { ...values }, version }
  }

  async inVersion(access: Access, id: string, version: Version): Promise<Row | undefined> {
    const found = await this.#settings.groups.inVersion(access, id, version)
    return found && { id, title: labelOf(id), values: { ...found.values }, version }
  }

  async source(access: Access, id: string): Promise<SourceText | undefined> {
    return sourceOf(await this.#settings.groups.source(access, id))
  }

  /** There is an address for each setting; this one answers with all. */
  apiPath(): string {
    return '/api/settings'
  }

  async answer(access: Access): Promise<Json> {
    return (await this.#settings.list(access)) as unknown as Json
  }

  /** Changes those that are sent together; null takes the value of one away. */
  async update(access: Access, id: string, values: Fields, write: ResourceWrite): Promise<Row> {
    await this.#settings.groups.update(access, id, values, write)
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
