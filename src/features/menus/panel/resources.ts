import type { Access } from '#core/access/access.ts'
import type { Field } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Past, Resource, Resources, ResourceWrite, Row, Rows, SourceText } from '../../resource.ts'
import { sourceOf } from '../../source-text.ts'
import type { Menus } from '../menus.ts'
import { removedRows, rowOf } from './rows.ts'

/** The menus of a site in the panel. */
export class MenuResource implements Resource, Resources {
  readonly name = 'menus'
  readonly label = 'Menus'
  readonly singular = 'menu'
  readonly group = 'arrange'
  readonly icon = 'menus'
  readonly layout = 'form'
  readonly editPage = 'menu'
  readonly columns = ['count']
  readonly sorts = []
  readonly removal = 'Pages show it no more. Its revisions stay, and a rollback brings it back.'
  readonly past: Past | undefined
  readonly #menus: Menus

  /** `past` is undefined where revisions are switched off. */
  constructor(menus: Menus, past?: Past) {
    this.#menus = menus
    this.past = past
  }

  async seen(access: Access): Promise<Resource[]> {
    return this.sees(access) ? [this] : []
  }

  named(name: string): Resource | undefined {
    return name === this.name ? this : undefined
  }

  sees(access: Access): boolean {
    return access.may('content:read')
  }

  fields(): readonly Field[] {
    const help = 'Templates call it so: main, footer.'
    return [fieldOf('name', { type: 'slug', rules: 'required', help }), fieldOf('label', { type: 'text', rules: 'max:200' })]
  }

  mayCreate(access: Access): boolean {
    return access.may('menus:write')
  }

  mayUpdate(access: Access): boolean {
    return access.may('menus:write')
  }

  async list(access: Access, params: QueryParams): Promise<Rows> {
    if (params.deleted === 'true') return removedRows(await this.#menus.past.removed(access, params))
    const { page = '1', per_page = '25' } = params
    const { data, meta } = await this.#menus.list(access, { page, per_page })
    return { rows: data.map(rowOf), total: meta.total, page: meta.current_page, perPage: meta.per_page }
  }

  async get(access: Access, id: string): Promise<Row> {
    return rowOf((await this.#menus.get(access, id)).view)
  }

  async source(access: Access, id: string): Promise<SourceText | undefined> {
    return sourceOf(await this.#menus.source(access, id))
  }

  apiPath(id: string): string {
    return `/api/menus/${encodeURIComponent(id)}`
  }

  async answer(access: Access, id: string): Promise<Json> {
    return JSON.parse((await this.#menus.get(access, id)).body.toString()).data
  }

  async create(access: Access, values: Fields, { asked }: ResourceWrite): Promise<Row> {
    return rowOf((await this.#menus.create(access, values, asked)).view)
  }

  async update(access: Access, id: string, values: Fields, { asked, base, settled }: ResourceWrite): Promise<Row> {
    return rowOf((await this.#menus.update(access, id, values, { asked, base, settled })).view)
  }

  async remove(access: Access, id: string, { asked }: ResourceWrite): Promise<void> {
    await this.#menus.remove(access, id, { asked })
  }
}
