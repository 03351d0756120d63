import type { Access } from '#core/access/access.ts'
import type { Asked } from '#core/history/revision.ts'
import type { Change, Store } from '#core/store.ts'
import { type ListMeta, metaOf, type Paging } from '#http/requests/paging.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, Forbidden } from '#lib/errors.ts'
import { asciiSlug } from '#lib/text/slug.ts'
import type { SubscriptionView, TeamSubscriptions } from '../subscription-view.ts'
import { checkTeam } from './input.ts'
import { mustKeepOwner } from './owners.ts'
import type { People } from './people.ts'
import { memberId, mustWrite, noTeam, seesTeam, writesTeams } from './rights.ts'
import type { MemberView, TeamView } from './schema.ts'
import type { Member, Person, Team } from './team.ts'
import { TeamDocuments, type TeamEdit } from './team-documents.ts'

/** Room for a number after a slug of the most characters one may have. */
const LONGEST_MADE = 90

/** Number of slugs that are tried where those before are taken. */
const TRIES = 100

/** The dependencies of teams. */
export interface TeamDeps {
  readonly store: Store
  readonly clock: Clock
  readonly people: People
  /** The types of the configuration, with the slug of the team that owns each. */
  readonly types: Readonly<Record<string, { readonly team: string | null }>>
  /** Undefined where teams have none. */
  readonly subscriptions: (() => TeamSubscriptions) | undefined
}

/** The teams of a site, for one caller at a time: all with teams:write, else those that the caller is a member of. */
export class Teams {
  readonly documents: TeamDocuments
  readonly #deps: TeamDeps

  constructor(deps: TeamDeps) {
    this.documents = new TeamDocuments(deps.store)
    this.#deps = deps
  }

  /** A part of the list of teams, by their names. */
  async list(access: Access, paging: Paging): Promise<{ data: TeamView[]; meta: ListMeta }> {
    const { page, perPage } = paging
    // An empty id is nobody's.
    const user = writesTeams(access) ? undefined : (memberId(access) ?? '')
    const { items, total } = await this.documents.page({ offset: (page - 1) * perPage, limit: perPage }, user)
    const [people, subscriptions] = await Promise.all([this.peopleOf(items), this.#subscriptionsOf(items)])
    return { data: items.map((team) => this.#view(team, people, subscriptions.get(team.id))), meta: metaOf(total, paging) }
  }

  async get(access: Access, id: string): Promise<TeamView> {
    return this.shown(await this.seen(access, id))
  }

  /** Makes a team, whose first owner is the user who calls. A slug that was not asked for is made of the name, and numbered. */
  async create(access: Access, input: { readonly name: string; readonly slug?: string | undefined }): Promise<TeamView> {
    mustWrite(access)
    const { user } = access
    if (user === undefined) throw new Forbidden('A team begins with an owner: it is made by a user, or by the token of one.')
    const { name, slug } = checkTeam(input)
    const since = new Date(this.#deps.clock.now()).toISOString()
    const team = { name, members: [{ user, role: 'owner', since } as const], createdAt: since }
    if (slug !== undefined) return this.shown(await this.documents.make({ ...team, slug }, access.author))
    const base = asciiSlug(name, LONGEST_MADE) || 'team'
    for (let tries = 1; ; tries++) {
      const made = { ...team, slug: tries === 1 ? base : `${base}-${tries}` }
      try {
        return await this.shown(await this.documents.make(made, access.author))
      } catch (error) {
        if (!(error instanceof Conflict) || tries === TRIES) throw error
      }
    }
  }

  /** Changes the name or the slug. The slug of a team that owns types is in the configuration, and stays. */
  async update(
    access: Access,
    id: string,
    input: { readonly name?: string | undefined; readonly slug?: string | undefined },
  ): Promise<TeamView> {
    await this.seen(access, id)
    mustWrite(access)
    const { name, slug } = checkTeam(input)
    const changed = await this.documents.change(id, access.author, async (team) => {
      if (slug !== undefined && slug !== team.slug) this.#mustOwnNone(team, 'Its slug can’t be changed')
      return { next: { ...team, ...(name !== undefined && { name }), ...(slug !== undefined && { slug }) } }
    })
    return this.shown(changed)
  }

  /** Removes a team, with its invitations. Throws Conflict while it owns a type, or has a subscription that has not ended. */
  async remove(access: Access, id: string, asked?: Asked): Promise<void> {
    await this.seen(access, id)
    mustWrite(access)
    const edit: TeamEdit = async (team) => {
      this.#mustOwnNone(team, 'It can’t be removed')
      await this.#deps.subscriptions?.().mustBeOver(id)
      return { next: 'removed', also: await this.withdrawals(team, team.members) }
    }
    await this.documents.change(id, access.author, edit, asked)
  }

  /** The types that belong to a team that is not there, with its slug. */
  async orphans(): Promise<[type: string, slug: string][]> {
    const owned = Object.entries(this.#deps.types).flatMap(([name, { team }]): [string, string][] =>
      team === null ? [] : [[name, team]],
    )
    if (owned.length === 0) return []
    const slugs = new Set((await this.documents.page({})).items.map(({ slug }) => slug))
    return owned.filter(([, slug]) => !slugs.has(slug))
  }

  /**
   * The team, for who may know of it. Throws NotFound. It is looked for among those of the caller alone: a team of others takes the
   * time of one that is not there.
   */
  async seen(access: Access, id: string): Promise<Team> {
    const own = async () => (await this.ofMember(access)).find((one) => one.id === id)
    const team = writesTeams(access) ? await this.documents.byId(id) : await own()
    if (!team || !seesTeam(access, team)) throw noTeam()
    return team
  }

  /** The teams that the caller is a member of, by their names. */
  async ofMember(access: Access): Promise<readonly Team[]> {
    const user = memberId(access)
    return user === undefined ? [] : (await this.documents.page({}, user)).items
  }

  /** The changes that take away the accounts of these members that stand for an invitation to this team, and are in no other. */
  async withdrawals(team: Team, members: readonly Member[]): Promise<Change[]> {
    const changes: Change[] = []
    for (const { user } of members) {
      const change = await this.#deps.people.withdrawal(user, team.id)
      if (change && (await this.documents.page({ limit: 0 }, user)).total === 1) changes.push(change)
    }
    return changes
  }

  /** The changes that take a user who is removed out of all teams. Throws Conflict for the last owner of one. */
  removals(user: string): Promise<Change[]> {
    return this.documents.removals(user, async (team) => mustKeepOwner(team, user, await this.peopleOf([team])))
  }

  /** The members of these teams, by their ids. */
  peopleOf(teams: readonly Team[]): Promise<ReadonlyMap<string, Person>> {
    return this.#deps.people.some([...new Set(teams.flatMap(({ members }) => members.map(({ user }) => user)))])
  }

  /** A team as it is shown. */
  async shown(team: Team): Promise<TeamView> {
    const [people, subscriptions] = await Promise.all([this.peopleOf([team]), this.#subscriptionsOf([team])])
    return this.#view(team, people, subscriptions.get(team.id))
  }

  /** Throws Conflict where a team may not have so many members. */
  async mustHaveSeats({ id }: Team, members: number): Promise<void> {
    await this.#deps.subscriptions?.().mustHaveSeats(id, members)
  }

  /** A team as it is shown, without members who are gone. */
  #view(team: Team, people: ReadonlyMap<string, Person>, subscription: SubscriptionView | undefined): TeamView {
    const { id, name, slug, members, createdAt } = team
    const views = members.flatMap((member) => {
      const person = people.get(member.user)
      return person ? [memberView(member, person)] : []
    })
    const types = this.#typesOf(slug)
    return { id, name, slug, members: views, types, subscription: subscription ?? null, created_at: createdAt ?? null }
  }

  async #subscriptionsOf(teams: readonly Team[]): Promise<ReadonlyMap<string, SubscriptionView>> {
    return this.#deps.subscriptions?.().of(teams.map(({ id }) => id)) ?? new Map()
  }

  #typesOf(slug: string): string[] {
    return Object.entries(this.#deps.types).flatMap(([name, { team }]) => (team === slug ? [name] : []))
  }

  #mustOwnNone({ slug }: Team, what: string): void {
    const types = this.#typesOf(slug)
    if (types.length === 0) return
    throw new Conflict(`The team owns types (${types.join(', ')}). ${what} while the configuration says so.`)
  }
}

/** Returns the view of a member that is shown. */
export function memberView({ user, role, since }: Member, { name, invitedTo }: Person): MemberView {
  return { user, name, role, since, pending: invitedTo !== undefined }
}
