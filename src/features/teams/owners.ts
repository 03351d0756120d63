import { Conflict } from '#lib/errors.ts'
import type { Person, Team } from './team.ts'

/**
 * Throws Conflict where a team would be without an owner who can act for it once this member is none: gone, or of another role.
 * Who was invited, to this team or another, and never came is none.
 */
export function mustKeepOwner({ members }: Team, leaving: string, people: ReadonlyMap<string, Person>): void {
  const isActing = (user: string) => {
    const person = people.get(user)
    return person !== undefined && !person.disabled && person.invitedTo === undefined
  }
  const one = members.find(({ user }) => user === leaving)
  if (one?.role !== 'owner' || people.get(leaving)?.invitedTo !== undefined) return
  if (members.some(({ user, role }) => role === 'owner' && user !== leaving && isActing(user))) return
  throw new Conflict('This is the last owner of the team, and one has to stay. Make somebody else an owner first.')
}
