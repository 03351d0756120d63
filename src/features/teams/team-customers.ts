import type { Access } from '#core/access/access.ts'
import { parseKey } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import { Stale } from '#lib/errors.ts'
import type { Customer, Customers, Recipient, Standing } from '../customers.ts'
import { memberId } from './rights.ts'
import { KIND, readTeam } from './stored.ts'
import type { Team } from './team.ts'
import type { Teams } from './teams.ts'

/** Teams as those who subscribe. */
export class TeamCustomers implements Customers {
  readonly areTeams = true
  readonly #store: Store
  readonly #teams: Teams

  constructor({ store, teams }: { store: Store; teams: Teams }) {
    this.#store = store
    this.#teams = teams
  }

  async byId(id: string): Promise<Customer | undefined> {
    const team = await this.#teams.documents.byId(id)
    return team && (await this.#shown([team]))[0]
  }

  async some(most: number): Promise<readonly Customer[]> {
    return this.#shown((await this.#teams.documents.page({ limit: most })).items)
  }

  async ownedBy(access: Access, most: number): Promise<readonly Customer[]> {
    const own = await this.#teams.ofMember(access)
    return this.#shown(own.filter((team) => roleIn(team, memberId(access)) === 'owner').slice(0, most))
  }

  async standings(access: Access): Promise<ReadonlyMap<string, Standing>> {
    const own = await this.#teams.ofMember(access)
    return new Map(
      own.flatMap((team): [string, Standing][] => {
        const role = roleIn(team, memberId(access))
        return role === undefined ? [] : [[team.id, role]]
      }),
    )
  }

  /** The owners who can act for it. */
  async recipients(id: string): Promise<readonly Recipient[]> {
    const team = await this.#teams.documents.byId(id)
    if (!team) return []
    const people = await this.#teams.peopleOf([team])
    return team.members.flatMap(({ user, role }) => {
      const person = people.get(user)
      if (role !== 'owner' || !person || person.disabled || person.invitedTo === id) return []
      return [{ email: person.email, name: person.name }]
    })
  }

  async beginning({ id, members }: Customer, subscription: string): Promise<readonly Change[]> {
    const key = parseKey(KIND, id)
    const head = key && (await this.#store.get(key))
    const team = head && readTeam(head)
    if (!head || !team || (await this.#shown([team]))[0]?.members !== members) throw new Stale('The team has changed meanwhile.')
    return [{ key: head.key, put: { set: { subscription } }, expects: head.version }]
  }

  async #shown(teams: readonly Team[]): Promise<Customer[]> {
    const people = await this.#teams.peopleOf(teams)
    return teams.map(({ id, name, members }) => ({ id, name, members: members.filter(({ user }) => people.has(user)).length }))
  }
}

function roleIn({ members }: Team, user: string | undefined): Standing | undefined {
  return members.find((member) => member.user === user)?.role
}
