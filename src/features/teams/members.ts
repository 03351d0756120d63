import { createHash } from 'node:crypto'
import type { Access } from '#core/access/access.ts'
import { plainAddress } from '#core/address.ts'
import type { Asked } from '#core/history/revision.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, InvalidInput, NotFound, TooMany } from '#lib/errors.ts'
import { mustKeepOwner } from './owners.ts'
import type { People } from './people.ts'
import { memberId, mustManage } from './rights.ts'
import type { MemberView } from './schema.ts'
import type { Member, Person, Team, TeamRole } from './team.ts'
import type { TeamEdit } from './team-documents.ts'
import { memberView, type Teams } from './teams.ts'

/** Most members of a team. */
const MOST = 200
/** Most invitations in an hour to one address, whoever sends them. */
const MOST_MESSAGES = 5
const HOUR_MS = 3_600_000

/** A member to be added: a user by their id, or whoever has an address. */
export interface NewMember {
  readonly user?: string | undefined
  readonly email?: string | undefined
  readonly role?: TeamRole | undefined
}

/** An invitation, and the request that it is made for. */
interface Invited {
  readonly email: string
  readonly role: TeamRole
  readonly asked: Asked | undefined
}

/** The members of teams, for one caller at a time: who owns a team manages them, or may write any; everybody may leave. */
export class Members {
  readonly #teams: Teams
  readonly #people: People
  readonly #clock: Clock
  readonly #ledger: Ledger

  constructor({ teams, people, clock, ledger }: { teams: Teams; people: People; clock: Clock; ledger: Ledger }) {
    this.#teams = teams
    this.#people = people
    this.#clock = clock
    this.#ledger = ledger
  }

  /** Adds a member. An address that is nobody's gets an invitation. Throws Conflict for who is in the team already. */
  async add(access: Access, id: string, { user, email, role = 'member' }: NewMember, asked?: Asked): Promise<MemberView> {
    const team = await this.#managed(access, id)
    if (user !== undefined && email === undefined) {
      const person = await this.#people.byId(user)
      if (!person) throw new InvalidInput({ user: ['There is no such user.'] })
      return this.#put(access, team, person, role)
    }
    if (user !== undefined || email === undefined) throw new InvalidInput({ user: ['Say who it is: by user, or by email.'] })
    const known = await this.#people.byEmail(email)
    return known ? this.#put(access, team, known, role) : this.#invite(access, team, { email, role, asked })
  }

  /** Gives a member another role. Throws Conflict where that takes away the last owner. */
  async setRole(access: Access, id: string, user: string, role: TeamRole): Promise<MemberView> {
    await this.#managed(access, id)
    const changed = await this.#teams.documents.change(id, access.author, async (team) => {
      mustManage(access, team)
      const member = memberIn(team, user)
      if (role !== 'owner') mustKeepOwner(team, user, await this.#teams.peopleOf([team]))
      return { next: { ...team, members: team.members.map((one) => (one === member ? { ...one, role } : one)) } }
    })
    const person = await this.#people.byId(user)
    if (!person) throw noMember()
    return memberView(memberIn(changed, user), person)
  }

  /** Takes a member out of a team, and ends an invitation. Throws Conflict for the last owner. */
  async remove(access: Access, id: string, user: string, asked?: Asked): Promise<void> {
    const isLeaving = memberId(access) === user
    const seen = await this.#teams.seen(access, id)
    if (!isLeaving) mustManage(access, seen)
    const edit: TeamEdit = async (team) => {
      if (!isLeaving) mustManage(access, team)
      const member = memberIn(team, user)
      mustKeepOwner(team, user, await this.#teams.peopleOf([team]))
      const members = team.members.filter((one) => one !== member)
      return { next: { ...team, members }, also: await this.#teams.withdrawals(team, [member]) }
    }
    await this.#teams.documents.change(id, access.author, edit, asked)
  }

  async #managed(access: Access, id: string): Promise<Team> {
    const team = await this.#teams.seen(access, id)
    mustManage(access, team)
    return team
  }

  async #put(access: Access, { id }: Team, person: Person, role: TeamRole): Promise<MemberView> {
    const member: Member = { user: person.id, role, since: new Date(this.#clock.now()).toISOString() }
    await this.#teams.documents.change(id, access.author, async (team) => {
      mustManage(access, team)
      if (team.members.some(({ user }) => user === person.id)) throw new Conflict('They are in the team already.')
      // Who is gone leaves their place.
      const people = await this.#teams.peopleOf([team])
      const members = team.members.filter(({ user }) => people.has(user))
      if (members.length >= MOST) throw new Conflict(`A team has at most ${MOST} members.`)
      await this.#teams.mustHaveSeats(team, members.length + 1)
      return { next: { ...team, members: [...members, member] } }
    })
    return memberView(member, person)
  }

  /** Counts the invitations to an address: whoever owns a team may send one, take it back and send another. */
  async #count(email: string): Promise<void> {
    const name = createHash('sha256')
      .update(plainAddress(email) ?? email)
      .digest('base64url')
    if ((await this.#ledger.add(`teams/invited/${name}`, 1, HOUR_MS)) <= MOST_MESSAGES) return
    throw new TooMany(`This address was sent ${MOST_MESSAGES} invitations in an hour. Try again later.`, HOUR_MS / 1000)
  }

  async #invite(access: Access, team: Team, { email, role, asked }: Invited): Promise<MemberView> {
    const person = await this.#people.make(access, email, team.id, asked)
    try {
      await this.#count(email)
      const added = await this.#put(access, team, person, role)
      await this.#people.invite(person.id)
      return added
    } catch (error) {
      // A second call must not find half of the first.
      await this.#people.remove(person.id, access.author, asked)
      throw error
    }
  }
}

function memberIn({ members }: Team, user: string): Member {
  const member = members.find((one) => one.user === user)
  if (!member) throw noMember()
  return member
}

function noMember(): NotFound {
  return new NotFound('The member was not found.')
}
