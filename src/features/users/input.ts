import { randomInt } from 'node:crypto'
import { InvalidInput } from '../../core/errors.ts'
import type { Roles } from '../../core/roles.ts'
import { nearest } from '../../lib/nearest.ts'
import { slugify } from '../../lib/slug.ts'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 16
const LONGEST = 100
const HANDLE = /^[a-z0-9][a-z0-9._-]*$/

/** How many handles are tried at once, and how often. */
const AT_ONCE = 50
const ROUNDS = 40

/** A new user's id: 16 random letters and digits. */
export function newUserId(): string {
  return Array.from({ length: ID_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
}

/** A name as it is kept; where none is given, what stands before the @ of the address. Throws InvalidInput. */
export function checkName(name: string | undefined, email: string): string {
  const trimmed = (name ?? localPart(email)).normalize('NFC').trim()
  if (trimmed === '') throw new InvalidInput({ name: ['The name is required.'] })
  // A name goes into the author line of commits and the headers of letters.
  if (trimmed.length <= LONGEST && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}<>]/u.test(trimmed)) return trimmed
  throw new InvalidInput({ name: [`The name may have ${LONGEST} characters, none of them a control character, < or >.`] })
}

/** A handle that was asked for; throws InvalidInput for what can't be one. */
export function checkHandle(handle: string): string {
  if (handle.length <= LONGEST && HANDLE.test(handle)) return handle
  const rule = `at most ${LONGEST} small letters, digits and ._-, and begins with a letter or a digit`
  throw new InvalidInput({ handle: [`The handle has ${rule}.`] })
}

/** A role that there is; throws InvalidInput naming the nearest. */
export function checkRole(roles: Roles, role: string): string {
  if (roles.has(role)) return role
  const near = nearest(role, roles.names())
  const hint = near ? `Did you mean "${near}"?` : `There are ${roles.names().join(', ')}.`
  throw new InvalidInput({ role: [`There is no role "${role}". ${hint}`] })
}

/** Handles for somebody of this name, some at a time, the best first: `ada`, `ada-2`… */
export function* handlesFor(name: string): Generator<string[]> {
  const base = slugify(name, LONGEST - 10) || 'user'
  for (let round = 0; round < ROUNDS; round++) {
    yield Array.from({ length: AT_ONCE }, (_, n) => numbered(base, round * AT_ONCE + n + 1))
  }
}

function numbered(base: string, n: number): string {
  return n === 1 ? base : `${base}-${n}`
}

function localPart(address: string): string {
  return address.split(/[@+]/, 1)[0] || address
}
