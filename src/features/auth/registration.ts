import { plainAddress } from '#core/address.ts'
import type { Author } from '#core/document.ts'
import { Conflict, InvalidInput, Unauthorized } from '#lib/errors.ts'
import type { User } from '../users/user.ts'
import type { Users } from '../users/users.ts'

/** The author of accounts that people register themselves. */
const BY: Author = { name: 'Quire', email: 'quire@localhost' }

/**
 * Admits people by an e-mail address that they have just proved to own. `auth.registration` decides whether people without an
 * account may come in.
 */
export class Registration {
  readonly isOpen: boolean
  readonly #users: Users

  constructor({ users, isOpen }: { users: Users; isOpen: boolean }) {
    this.#users = users
    this.isOpen = isOpen
  }

  /** Returns whether the owner of the address may come in, with an account or without. */
  admits(user: User | undefined): boolean {
    return user ? !user.disabled : this.isOpen
  }

  /**
   * The account of who owns the address; made, with the least role there is and the name where one is known, where they have none
   * and may. Undefined where they may not come in.
   */
  async admit(address: string, name?: string): Promise<User | undefined> {
    const user = await this.#users.byEmail(address)
    if (user) return user.disabled ? undefined : user
    return this.isOpen ? this.#make(address, name) : undefined
  }

  async #make(email: string, name: string | undefined): Promise<User | undefined> {
    try {
      // Nobody makes records their own by choosing an address or a name.
      return await this.#users.create({ email, name, role: 'viewer' }, BY, 'unwritten')
    } catch (error) {
      // Another of theirs came first.
      const user = error instanceof Conflict ? await this.#users.byEmail(email) : undefined
      if (!user) throw error
      return user.disabled ? undefined : user
    }
  }
}

/** Normalizes an e-mail address that a user entered. Throws InvalidInput if it is none. */
export function addressOf(email: string): string {
  const address = plainAddress(email.trim())
  if (address === undefined) throw new InvalidInput({ email: ['The email is no plain address such as ada@example.org.'] })
  return address
}

/** The one answer to all that do not get in, so that it tells nothing. */
export function notSignedIn(): Unauthorized {
  return new Unauthorized('That is not right, or no longer good. Nobody was signed in.')
}
