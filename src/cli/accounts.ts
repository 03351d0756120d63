import type { User } from '#features/users/user.ts'
import { NotFound } from '#lib/errors.ts'
import { distance, nearest } from '#lib/text/nearest.ts'
import { usage } from './failure.ts'
import type { Quire } from './open/site.ts'

/** An address has no more characters. */
const LONGEST = 254

/** The user that is meant by an address, a handle or an id; throws NotFound with the nearest one else. */
export async function userOf(site: Quire, who: string): Promise<User> {
  try {
    return await site.features.users.find(who)
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    const near = nearestUser(who, await site.features.users.list())
    throw new NotFound(error.message, near ? `Did you mean ${near}?` : error.hint)
  }
}

/**
 * The handle or the address that was meant, judged by what stands before the `@` alone: that a domain is alike says nothing of a
 * person.
 */
function nearestUser(who: string, users: readonly User[]): string | undefined {
  const near = nearest(
    localPart(who),
    users.flatMap(({ handle, email }) => [handle, localPart(email)]),
  )
  const meant = users.flatMap(({ handle, email }) => [
    ...(handle === near ? [handle] : []),
    ...(localPart(email) === near ? [email] : []),
  ])
  const wanted = who.toLowerCase().slice(0, LONGEST)
  return meant.map((name) => ({ name, far: distance(wanted, name) })).sort((one, other) => one.far - other.far)[0]?.name
}

function localPart(address: string): string {
  return address.split('@')[0] ?? ''
}

/** The role of that name; wrong usage with the nearest one else. */
export function roleOf(site: Quire, name: string): string {
  const { roles } = site.features.users
  if (roles.has(name)) return name
  const near = nearest(name, roles.names())
  throw usage(`There is no role "${name}".`, near ? `Did you mean ${near}?` : `There are ${roles.names().join(', ')}.`)
}
