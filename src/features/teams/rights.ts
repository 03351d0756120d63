import type { Access } from '#core/access/access.ts'
import { Forbidden, NotFound } from '#lib/errors.ts'
import type { Team } from './team.ts'

/** Returns whether the caller may write any team. */
export function writesTeams(access: Access): boolean {
  return access.may('teams:write')
}

/**
 * Returns the id of the caller as a member: of somebody who is signed in. A token acts for none, since one that was lost must not
 * let others in.
 */
export function memberId({ id, user }: Access): string | undefined {
  return user !== undefined && id === `user:${user}` ? user : undefined
}

/** Returns whether the team exists for the caller: for its members, and who may write any. */
export function seesTeam(access: Access, { members }: Team): boolean {
  const id = memberId(access)
  return writesTeams(access) || (id !== undefined && members.some(({ user }) => user === id))
}

/** Returns whether the caller may add members, remove them, and give them another role. */
export function managesMembers(access: Access, { members }: Team): boolean {
  const id = memberId(access)
  return writesTeams(access) || (id !== undefined && members.some(({ user, role }) => user === id && role === 'owner'))
}

/** Throws Forbidden for who may not write teams. */
export function mustWrite(access: Access): void {
  if (!writesTeams(access)) throw new Forbidden('This needs the right teams:write.')
}

/** Throws Forbidden for who may not manage the members. */
export function mustManage(access: Access, team: Team): void {
  if (!managesMembers(access, team)) throw new Forbidden('This needs to be an owner of the team, or the right teams:write.')
}

/** The one answer for a team that is not there, and one that the caller may not know of. */
export function noTeam(): NotFound {
  return new NotFound('The team was not found.')
}
