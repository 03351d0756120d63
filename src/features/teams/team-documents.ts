import { randomInt } from 'node:crypto'
import type { Author, Head } from '#core/document.ts'
import type { Asked } from '#core/history/revision.ts'
import { keyOf, parseKey } from '#core/key.ts'
import type { Page, Query, Sort } from '#core/queries/query.ts'
import type { Change, Part, Store } from '#core/store.ts'
import { Conflict, Stale } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { noTeam } from './rights.ts'
import { fieldsOf, KIND, memberFields, readTeam } from './stored.ts'
import type { Team } from './team.ts'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 16

/** Number of times a change is retried because another came in between. */
const TRIES = 100

const BY_NAME: readonly Sort[] = [{ field: 'name', descending: false, as: 'text' }]

/** A change of a team, worked out from it as it is: its new state, and what is written with it in one step. */
export type TeamEdit = (team: Team) => Promise<{ readonly next: Team | 'removed'; readonly also?: readonly Change[] }>

/** Teams as documents. A change starts from the version it was worked out from, and is worked out again where that is another by then. */
export class TeamDocuments {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async byId(id: string): Promise<Team | undefined> {
    const head = await this.#head(id)
    return head && readTeam(head)
  }

  /** A part of the list of all teams by name, or of those that a user is a member of. */
  async page(part: Part, user?: string): Promise<Page<Team>> {
    const { items, total } = await this.#store.heads(KIND, { sort: BY_NAME, ...withMember(user), ...part })
    return { items: items.flatMap((head) => readTeam(head) ?? []), total }
  }

  /** Makes a team. Throws Conflict where its slug is taken. */
  async make(team: Omit<Team, 'id'>, by: Author): Promise<Team> {
    const whole = { ...team, id: newId() }
    const unique = [{ field: 'slug', value: whole.slug }]
    const change = { key: keyOf(KIND, whole.id), put: { set: fieldsOf(whole) }, expects: 'absent', unique } as const
    await this.#store.write([change], by).catch(isTaken)
    return whole
  }

  /** Changes a team, and gives it as it is then. Throws NotFound where there is none. */
  async change(id: string, by: Author, edit: TeamEdit, asked?: Asked): Promise<Team> {
    for (let tries = 1; ; tries++) {
      const head = await this.#head(id)
      const team = head && readTeam(head)
      if (!head || !team) throw noTeam()
      const { next, also = [] } = await edit(team)
      try {
        await this.#store.write([changeOf(head, team, next), ...also], by, asked)
        return next === 'removed' ? team : next
      } catch (error) {
        if (!(error instanceof Stale)) return isTaken(error)
        if (tries === TRIES) throw error
      }
    }
  }

  /** The changes that take a user out of all teams; `check` throws where one can't be without them. */
  async removals(user: string, check: (team: Team) => Promise<void>): Promise<Change[]> {
    const { items } = await this.#store.heads(KIND, withMember(user))
    const changes: Change[] = []
    for (const head of items) {
      const team = readTeam(head)
      if (!team) continue
      await check(team)
      changes.push(changeOf(head, team, { ...team, members: team.members.filter((member) => member.user !== user) }))
    }
    return changes
  }

  async #head(id: string): Promise<Head | undefined> {
    const key = parseKey(KIND, id)
    return key && this.#store.get(key)
  }
}

function changeOf({ key, version }: Head, team: Team, next: Team | 'removed'): Change {
  if (next === 'removed') return { key, remove: true, expects: version }
  const { name, slug, members } = next
  const set: Fields = {
    ...(name !== team.name && { name }),
    ...(slug !== team.slug && { slug }),
    ...(members !== team.members && memberFields(members)),
  }
  return { key, put: { set }, expects: version, ...(slug !== team.slug && { unique: [{ field: 'slug', value: slug }] }) }
}

function withMember(user: string | undefined): Pick<Query, 'where'> {
  return user === undefined ? {} : { where: [{ field: 'users', op: 'eq', value: user, as: 'text' }] }
}

function isTaken(error: unknown): never {
  throw error instanceof Conflict ? new Conflict('There is a team with this slug already.') : error
}

function newId(): string {
  return Array.from({ length: ID_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
}
