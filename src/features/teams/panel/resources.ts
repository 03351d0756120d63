import type { Access } from '#core/access/access.ts'
import type { Field } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import { pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { MemberRow, Membership } from '../../membership.ts'
import type { Offered } from '../../offered.ts'
import type { Resource, Resources, ResourceWrite, Row, Rows } from '../../resource.ts'
import type { Members } from '../members.ts'
import { memberId, writesTeams } from '../rights.ts'
import type { MemberView, TeamView } from '../schema.ts'
import { TEAM_ROLES, type TeamRole } from '../team.ts'
import type { Teams } from '../teams.ts'

const ROLES: readonly (Offered & { readonly value: TeamRole })[] = [
  { value: 'owner', label: 'Owner', note: 'Manages the members.' },
  { value: 'member', label: 'Member', note: 'Belongs to the team.' },
]

/** The teams of a site in the panel: all with teams:write, else those that the reader belongs to. */
export class TeamResource implements Resource, Resources {
  readonly name = 'teams'
  readonly label = 'Teams'
  readonly singular = 'team'
  readonly empty = 'Users who belong together: a type of content, or a subscription, can be theirs.'
  readonly group = 'run'
  readonly icon = 'team'
  readonly layout = 'form'
  readonly columns = ['slug', 'people', 'types', 'created_at']
  readonly sorts = []
  readonly removal = 'Its members keep their accounts. Invitations to it end.'
  readonly membership: Membership
  readonly #teams: Teams

  constructor({ teams, members }: { teams: Teams; members: Members }) {
    this.#teams = teams
    this.membership = membershipOf(members)
  }

  /** Those who may write teams, and those who are in one, have a way to them. */
  async seen(access: Access): Promise<Resource[]> {
    if (!this.sees(access)) return []
    return writesTeams(access) || (await this.count(access)) > 0 ? [this] : []
  }

  named(name: string): Resource | undefined {
    return name === this.name ? this : undefined
  }

  sees(access: Access): boolean {
    return writesTeams(access) || memberId(access) !== undefined
  }

  async count(access: Access): Promise<number> {
    return (await this.#teams.list(access, { page: 1, perPage: 1 })).meta.total
  }

  fields(): readonly Field[] {
    const help = 'What a type of the configuration names. Made of the name while it is empty.'
    return [fieldOf('name', { type: 'text', rules: 'required|max:100' }), fieldOf('slug', { type: 'text', help })]
  }

  mayCreate(access: Access): boolean {
    return writesTeams(access)
  }

  mayUpdate(access: Access): boolean {
    return writesTeams(access)
  }

  async list(access: Access, params: QueryParams): Promise<Rows> {
    const paging = pagingOf(params)
    const { data, meta } = await this.#teams.list(access, paging)
    return { rows: data.map(rowOf), total: meta.total, page: paging.page, perPage: paging.perPage }
  }

  async get(access: Access, id: string): Promise<Row> {
    return rowOf(await this.#teams.get(access, id))
  }

  apiPath(id: string): string {
    return `/api/teams/${encodeURIComponent(id)}`
  }

  async answer(access: Access, id: string): Promise<Json> {
    return { ...(await this.#teams.get(access, id)) }
  }

  async create(access: Access, { name, slug }: Fields): Promise<Row> {
    const said = typeof slug === 'string' && slug !== ''
    return rowOf(await this.#teams.create(access, { name: String(name ?? ''), ...(said && { slug }) }))
  }

  async update(access: Access, id: string, { name, slug }: Fields): Promise<Row> {
    const changes = { ...(typeof name === 'string' && { name }), ...(slug !== undefined && { slug: String(slug ?? '') }) }
    return rowOf(await this.#teams.update(access, id, changes))
  }

  async remove(access: Access, id: string, { asked }: ResourceWrite): Promise<void> {
    await this.#teams.remove(access, id, asked)
  }
}

function membershipOf(members: Members): Membership {
  const of = (values: Fields) => (Array.isArray(values.members) ? values.members : []).map((one) => memberRow(one as MemberView))
  return {
    roles: ROLES,
    of,
    mayManage: (access, values) =>
      writesTeams(access) || of(values).some(({ id, role }) => role === 'owner' && id === memberId(access)),
    add: async (access, id, { email, role }, asked) =>
      void (await members.add(access, id, { email, role: roleNamed(role) }, asked)),
    setRole: async (access, id, member, role) => void (await members.setRole(access, id, member, roleNamed(role))),
    remove: (access, id, member, asked) => members.remove(access, id, member, asked),
  }
}

function memberRow({ user, name, role, since, pending }: MemberView): MemberRow {
  return { id: user, name, role, since, isPending: pending }
}

function roleNamed(name: string): TeamRole {
  const role = TEAM_ROLES.find((one) => one === name)
  if (role === undefined) throw new InvalidInput({ role: [`The role is one of ${TEAM_ROLES.join(', ')}.`] })
  return role
}

function rowOf(view: TeamView): Row {
  const members = view.members.map((member) => ({ ...member }))
  return { id: view.id, title: view.name, values: { ...view, members, people: view.members.length } }
}
