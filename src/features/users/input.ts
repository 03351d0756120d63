import type { Roles } from '#core/access/roles.ts'
import { plainAddress } from '#core/address.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import { nearest } from '#lib/text/nearest.ts'
import { composed } from '#lib/text/normal-form.ts'

const LONGEST = 100
const HANDLE = /^[a-z0-9][a-z0-9._-]*$/

/** The input for a new user; missing values are derived from the address. `role` is the least if none is given. */
export interface NewUser {
  readonly email: string
  readonly name?: string | undefined
  readonly role?: string | undefined
  readonly handle?: string | undefined
  readonly passwordHash?: string | undefined
  /** As in `User`. */
  readonly invitedTo?: string | undefined
}

/** A new user, checked. */
export interface CheckedUser {
  readonly email: string
  readonly name: string
  readonly role: string
  readonly handle: string | undefined
}

/** Checks all of it; throws InvalidInput naming everything that is wrong. */
export function checkNewUser(roles: Roles, { email, name, role = 'viewer', handle }: NewUser): CheckedUser {
  const address = plainAddress(email)
  const errors: FieldErrors = {}
  if (address === undefined) errors.email = ['The email must be one plain address, such as ada@example.org.']
  const full = kept(name ?? /^[^@+]*/.exec(address ?? 'x')?.[0] ?? '')
  const faults = {
    name: nameFault(full),
    role: roleFault(roles, role),
    handle: handle === undefined ? undefined : handleFault(handle),
  }
  for (const [field, fault] of Object.entries(faults)) if (fault) errors[field] = [fault]
  if (address === undefined || Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return { email: address, name: full, role, handle }
}

/** A name as it is kept; throws InvalidInput. */
export function checkName(name: string): string {
  const full = kept(name)
  const fault = nameFault(full)
  if (fault) throw new InvalidInput({ name: [fault] })
  return full
}

/** A role that there is; throws InvalidInput naming the nearest. */
export function checkRole(roles: Roles, role: string): string {
  const fault = roleFault(roles, role)
  if (fault) throw new InvalidInput({ role: [fault] })
  return role
}

function kept(name: string): string {
  return composed(name).trim()
}

function nameFault(name: string): string | undefined {
  if (name === '') return 'The name is required.'
  // A name goes into the author line of commits and the headers of messages.
  if (name.length <= LONGEST && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}<>]/u.test(name)) return undefined
  return `The name may have ${LONGEST} characters, none of them a control character, < or >.`
}

function handleFault(handle: string): string | undefined {
  if (handle.length <= LONGEST && HANDLE.test(handle)) return undefined
  return `The handle may have ${LONGEST} characters: small letters, digits and ._-, the first a letter or a digit.`
}

function roleFault(roles: Roles, role: string): string | undefined {
  if (roles.has(role)) return undefined
  const near = nearest(role, roles.names())
  return `There is no role "${role}". ${near ? `Did you mean "${near}"?` : `There are ${roles.names().join(', ')}.`}`
}
