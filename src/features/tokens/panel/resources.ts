import { type Access, PRESETS, SCOPES } from '#core/access/access.ts'
import type { Field } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import { pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { NotFound } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Offered } from '../../offered.ts'
import type { Resource, Resources, Row, Rows } from '../../resource.ts'
import type { TokenGrants } from '../grants.ts'
import type { TokenView } from '../token-views.ts'

/** Lives that a form offers. */
const LIVES: readonly Offered[] = [
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '365d', label: 'A year' },
  { value: 'never', label: 'Never' },
]

/** The tokens of a site in the panel: all with users:write, else the reader's own. */
export class TokenResource implements Resource, Resources {
  readonly name = 'tokens'
  readonly label = 'Tokens'
  readonly singular = 'token'
  readonly group = 'run'
  readonly icon = 'key'
  readonly layout = 'form'
  readonly listTemplate = 'tokens'
  readonly columns = ['scopes', 'owner', 'last_used_at', 'expires_at']
  readonly sorts = []
  readonly removal = 'Whoever has it is refused at once.'
  readonly #grants: TokenGrants

  constructor(grants: TokenGrants) {
    this.#grants = grants
  }

  async seen(access: Access): Promise<Resource[]> {
    return this.sees(access) ? [this] : []
  }

  named(name: string): Resource | undefined {
    return name === this.name ? this : undefined
  }

  /** Tokens are for who may do more than read what is public. */
  sees(access: Access): boolean {
    return access.may('users:write') || SCOPES.some((scope) => scope !== 'content:read' && access.reach(scope, '') !== 'none')
  }

  fields(access: Access, row?: Row): readonly Field[] {
    const name = fieldOf('name', { type: 'text', rules: 'required|max:100', help: 'Its name in lists and commits.' })
    const types = fieldOf('types', { type: 'list', of: { type: 'text' }, help: 'The only types that it knows of; none for all.' })
    if (row) return [name, fieldOf('scopes', { type: 'list', of: { type: 'text' } }), types]
    const mine = SCOPES.filter((scope) => access.reach(scope, '') !== 'none')
    const scopes = fieldOf('scopes', {
      type: 'select',
      multiple: true,
      options: [...Object.keys(PRESETS), ...mine],
      label: 'It may',
      rules: 'required',
    })
    const expires = fieldOf('expires', { type: 'select', rules: 'required', default: '90d', label: 'It ends after' })
    return [name, scopes, types, expires]
  }

  async options(access: Access): Promise<Record<string, readonly Offered[]>> {
    const mine = SCOPES.filter((scope) => access.reach(scope, '') !== 'none')
    const presets = Object.entries(PRESETS).filter(([, scopes]) => scopes.every((scope) => mine.includes(scope)))
    const words: Readonly<Record<string, string>> = {
      read: 'read: what is public',
      edit: 'edit: write, publish, delete',
      admin: 'admin: everything',
    }
    const offered = [
      ...presets.map(([name]) => ({ value: name, label: words[name] ?? name })),
      ...mine.map((scope) => ({ value: scope, label: scope })),
    ]
    return { scopes: offered, expires: LIVES }
  }

  mayCreate(access: Access): boolean {
    return this.sees(access)
  }

  mayUpdate(): boolean {
    return false
  }

  mayRemove(_access: Access, { values }: Row): boolean {
    return values.configured !== true
  }

  async list(access: Access, params: QueryParams): Promise<Rows> {
    const { page, perPage } = pagingOf(params)
    const { data, meta } = await this.#grants.list(access, { page, perPage })
    return { rows: data.map(rowOf), total: meta.total, page, perPage }
  }

  async get(access: Access, id: string): Promise<Row> {
    for (let page = 1; ; page++) {
      const { data, meta } = await this.#grants.list(access, { page, perPage: 100 })
      const found = data.find((view) => view.id === id)
      if (found) return rowOf(found)
      if (page >= meta.last_page) throw new NotFound('The token was not found.')
    }
  }

  async create(access: Access, { name, scopes, types, expires }: Fields): Promise<Row> {
    const input = { name: String(name ?? ''), scopes: textsOf(scopes), types: textsOf(types), expires: String(expires ?? '90d') }
    const { token, view } = await this.#grants.create(access, input)
    return { ...rowOf(view), secret: token }
  }

  async remove(access: Access, id: string): Promise<void> {
    await this.#grants.revoke(access, id)
  }
}

function rowOf(view: TokenView): Row {
  return { id: view.id, title: view.name, values: { ...view, owner: view.owner?.name ?? null } }
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
