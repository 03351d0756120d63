import type { Access } from '#core/access/access.ts'
import type { Author } from '#core/document.ts'
import type { Asked } from '#core/history/revision.ts'
import type { Change } from '#core/store.ts'
import type { Person } from './team.ts'

/** The users of a site, as far as teams need them. */
export interface People {
  byId(id: string): Promise<Person | undefined>
  byEmail(email: string): Promise<Person | undefined>
  /** Those of these ids that there are, by their ids. */
  some(ids: readonly string[]): Promise<ReadonlyMap<string, Person>>
  /** Makes the account that stands for an invitation to a team. Throws InvalidInput, and Conflict where the address is taken. */
  make(access: Access, email: string, team: string, asked: Asked | undefined): Promise<Person>
  /** Has the invitation sent to an account that was made for one. */
  invite(id: string): Promise<void>
  /** Removes an account, and its place in all teams. */
  remove(id: string, by: Author, asked: Asked | undefined): Promise<unknown>
  /** The change that takes away the account of an invitation to this team; undefined for one that is more than that by now. */
  withdrawal(id: string, team: string): Promise<Change | undefined>
}
