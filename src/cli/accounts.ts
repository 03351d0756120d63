import { NotFound } from '../core/errors.ts'
import type { User } from '../features/users/user.ts'
import { nearest } from '../lib/nearest.ts'
import { usage } from './failure.ts'
import type { Quire } from './open/site.ts'

/** The user that is meant by an address, a handle or an id; throws NotFound with the nearest one else. */
export async function userOf(site: Quire, who: string): Promise<User> {
  try {
    return await site.users.find(who)
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    const known = (await site.users.list()).flatMap(({ handle, email }) => [handle, email])
    const near = nearest(who, known)
    throw new NotFound(error.message, near ? `Did you mean ${near}?` : error.hint)
  }
}

/** The role of that name; wrong usage with the nearest one else. */
export function roleOf(site: Quire, name: string): string {
  const { roles } = site.users
  if (roles.has(name)) return name
  const near = nearest(name, roles.names())
  throw usage(`There is no role "${name}".`, near ? `Did you mean ${near}?` : `There are ${roles.names().join(', ')}.`)
}
