import { type Access, REACHES, type Reach, SCOPES, type Scope } from '#core/access/access.ts'
import type { Roles } from '#core/access/roles.ts'
import { Forbidden } from '#lib/errors.ts'
import type { Handles } from './creator.ts'
import type { User } from './user.ts'
import type { Users } from './users.ts'

/** No type has this name: what is held for it is held for all. */
const ANY_TYPE = ''

/** Throws Forbidden, naming the right, where it is not held. */
export function mustMay(access: Access, scope: 'users:read' | 'users:write'): void {
  if (!access.may(scope)) throw new Forbidden(`This needs the right ${scope}.`)
}

/** Resolves with the users who have a right now. */
export async function usersWith(users: Users, scope: Scope): Promise<User[]> {
  const all = await Promise.all((await users.list()).map(async (user) => ({ user, access: await users.access(user) })))
  return all.filter(({ access }) => access.may(scope)).map(({ user }) => user)
}

/**
 * Throws Forbidden if the holder of the role could do something that the caller can't: nobody grants a right they do not have,
 * nor takes it from a user who has it. So only owners manage owners.
 */
export function mustCover(roles: Roles, access: Access, role: string): void {
  const right = rightBeyond(roles, access, role)
  if (right === undefined) return
  throw new Forbidden(`The role "${role}" has a right that you have not: ${right}.`)
}

/**
 * Returns the handles that the caller may assign. A handle that is the author of records brings these records with it, so it
 * takes the right to write all.
 */
export function givableHandles(access: Access): Handles {
  return access.may('content:write') ? 'any' : 'unwritten'
}

/** The first right that goes further for the role; undefined where none does. */
function rightBeyond(roles: Roles, access: Access, role: string): string | undefined {
  const theirs = roles.access(role, { id: '', handle: '', author: access.author })
  for (const type of [ANY_TYPE, ...roles.types()]) {
    const name = (scope: string) => (type === ANY_TYPE || !access.sees(type) ? scope : `${scope}@${type}`)
    const scope = SCOPES.find((one) => isFurther(theirs.reach(one, type), access.reach(one, type)))
    if (scope) return name(scope)
    if (theirs.reach('content:write', type) !== 'none' && !writesAll(access, theirs, type)) return name('content:write')
  }
  return undefined
}

function isFurther(one: Reach, other: Reach): boolean {
  return REACHES.indexOf(one) > REACHES.indexOf(other)
}

/** Returns whether the first access may write every field that the other may. */
function writesAll(access: Access, other: Access, type: string): boolean {
  const fields = access.writable(type)
  const wanted = other.writable(type)
  return !fields || (wanted !== undefined && [...wanted].every((field) => fields.has(field)))
}
