import type { Access } from '#core/access/access.ts'
import type { Asked } from '#core/history/revision.ts'
import type { Field } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import { pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { NotFound } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Offered } from '../../offered.ts'
import type { Resource, ResourceAction, Resources, ResourceWrite, Row, Rows, Save } from '../../resource.ts'
import type { Accounts } from '../accounts.ts'
import type { UserView } from '../schema.ts'

/** The dependencies of users in the panel. */
export interface UserResourceDeps {
  readonly accounts: Accounts
  /** The names of the roles there are. */
  readonly roles: () => readonly string[]
}

/** The users of a site in the panel. */
export class UserResource implements Resource, Resources {
  readonly name = 'users'
  readonly label = 'Users'
  readonly singular = 'user'
  readonly group = 'run'
  readonly icon = 'users'
  readonly layout = 'form'
  readonly listTemplate = 'users'
  readonly columns = ['email', 'role', 'state', 'created_at']
  readonly sorts = []
  readonly removal = 'They can sign in no more. What they wrote stays, and keeps their handle.'
  readonly actions: readonly ResourceAction[]
  readonly #deps: UserResourceDeps

  constructor(deps: UserResourceDeps) {
    this.#deps = deps
    const { accounts } = deps
    const one = (
      name: string,
      label: string,
      run: (access: Access, id: string, asked: Asked) => Promise<unknown>,
      isFor: (row: Row) => boolean = () => true,
    ): ResourceAction => ({
      name,
      label,
      on: 'one',
      may: (access, row) => access.may('users:write') && (row === undefined || isFor(row)),
      run: async (access, ids, _values, asked) => {
        for (const id of ids) await run(access, id, asked)
        return []
      },
    })
    this.actions = [
      one('disable', 'Disable', (access, id, asked) => accounts.update(access, id, { disabled: true }, asked), isActive),
      one(
        'enable',
        'Enable',
        (access, id, asked) => accounts.update(access, id, { disabled: false }, asked),
        (row) => !isActive(row),
      ),
      one('sign-out', 'Sign out everywhere', (access, id) => accounts.signOut(access, id)),
      one('invite', 'Invite again', (access, id) => accounts.invite(access, id)),
    ]
  }

  async seen(access: Access): Promise<Resource[]> {
    return this.sees(access) ? [this] : []
  }

  named(name: string): Resource | undefined {
    return name === this.name ? this : undefined
  }

  sees(access: Access): boolean {
    return access.may('users:read')
  }

  fields(_access: Access, row?: Row): readonly Field[] {
    const name = fieldOf('name', { type: 'text', rules: 'max:100' })
    const role = fieldOf('role', { type: 'select', rules: 'required', default: 'author' })
    if (row) return [name, role]
    const email = fieldOf('email', { type: 'email', label: 'E-mail', rules: 'required', help: 'An invitation goes there.' })
    const handle = fieldOf('handle', { type: 'text', help: 'The author of their records. Made of the name while it is empty.' })
    return [email, name, role, handle]
  }

  async options(): Promise<Record<string, readonly Offered[]>> {
    const roles = this.#deps.roles().map((role) => {
      const note = NOTES[role]
      return { value: role, label: role.charAt(0).toUpperCase() + role.slice(1), ...(note !== undefined && { note }) }
    })
    return { role: roles }
  }

  saves(_access: Access, row: Row | undefined): readonly Save[] {
    return [{ name: 'save', label: row ? 'Save' : 'Send invitation', says: '', set: {}, isMain: true }]
  }

  mayCreate(access: Access): boolean {
    return access.may('users:write')
  }

  mayUpdate(access: Access): boolean {
    return access.may('users:write')
  }

  async list(access: Access, params: QueryParams): Promise<Rows> {
    const paging = pagingOf(params)
    const { data, meta } = await this.#deps.accounts.list(access, paging)
    return { rows: data.map(rowOf), total: meta.total, page: paging.page, perPage: paging.perPage }
  }

  async get(access: Access, id: string): Promise<Row> {
    return rowOf(await this.#deps.accounts.get(access, id))
  }

  apiPath(id: string): string {
    return `/api/users/${encodeURIComponent(id)}`
  }

  async answer(access: Access, id: string): Promise<Json> {
    return { ...(await this.#deps.accounts.get(access, id)) }
  }

  async create(access: Access, values: Fields, { asked }: ResourceWrite): Promise<Row> {
    const text = (name: string) => (typeof values[name] === 'string' ? { [name]: values[name] } : {})
    const input = { email: String(values.email ?? ''), ...text('name'), ...text('role'), ...text('handle') }
    return rowOf(await this.#deps.accounts.create(access, input, asked))
  }

  async update(access: Access, id: string, { name, role }: Fields, { asked }: ResourceWrite): Promise<Row> {
    const changes = { ...(typeof name === 'string' && { name }), ...(typeof role === 'string' && { role }) }
    return rowOf(await this.#deps.accounts.update(access, id, changes, asked))
  }

  async remove(access: Access, id: string, { asked }: ResourceWrite): Promise<void> {
    if (access.user === id) throw new NotFound('Nobody removes their own account here: ask another owner.')
    await this.#deps.accounts.remove(access, id, asked)
  }
}

/** The words for what each built-in role may do. */
const NOTES: Readonly<Record<string, string>> = {
  viewer: 'Reads what is public.',
  contributor: 'Writes drafts of their own; others publish them.',
  author: 'Writes and publishes records of their own.',
  editor: 'Writes and publishes all records, terms, menus and media.',
  admin: 'All of that, with settings, users and tokens.',
  owner: 'Everything, with owners and billing.',
}

function isActive({ values }: Row): boolean {
  return values.disabled !== true
}

function rowOf(view: UserView): Row {
  const { id, name, disabled } = view
  return { id, title: name, person: { id, name }, values: { ...view, state: disabled ? 'Disabled' : 'Active' } }
}
