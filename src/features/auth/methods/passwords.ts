import type { Author } from '#core/document.ts'
import type { Composed, Mailer, Message } from '#core/mail.ts'
import type { User } from '#features/users/user.ts'
import type { Users } from '#features/users/users.ts'
import type { Clock } from '#lib/clock.ts'
import { InvalidInput, Unauthorized } from '#lib/errors.ts'
import type { Attempts } from '../attempts.ts'
import { addressOf, notSignedIn } from '../registration.ts'
import type { Person } from '../sessions/people.ts'
import { isOf } from '../sessions/sessions.ts'
import type { Hashing } from './hashing.ts'
import type { PasswordRules, Whose } from './password-rules.ts'

/** The author of a hash of the same password that costs more. */
const BY: Author = { name: 'Quire', email: 'quire@localhost' }

/** Milliseconds after a sign-in with a code or a link in which the user may change their password without the current one. */
const FRESH = 10 * 60_000

/** The dependencies of passwords. */
export interface PasswordDeps {
  readonly users: Users
  readonly clock: Clock
  readonly mailer: Mailer
  readonly attempts: Attempts
  readonly hashing: Hashing
  readonly rules: PasswordRules
}

/** A password that is to take the place of another: `current`. */
export interface PasswordChange {
  readonly password: string
  readonly current?: string | undefined
}

/**
 * Sign-in with a password, and setting one. An address without an account costs as much time as any other, with the same answer.
 */
export class Passwords {
  readonly #deps: PasswordDeps

  constructor(deps: PasswordDeps) {
    this.#deps = deps
  }

  /** The fewest characters that a password has. */
  get least(): number {
    return this.#deps.rules.least
  }

  /**
   * Verifies a password and resolves with its user. Throws Unauthorized if address and password don't match, TooMany while this
   * network has to wait for the account, Unavailable while too many passwords are being checked. `client` is the network address
   * of the request.
   */
  async verify(email: string, password: string, client: string): Promise<User> {
    const address = addressOf(email)
    const { users, hashing, attempts } = this.#deps
    return hashing.whenFree(async () => {
      const user = await users.byEmail(address)
      await attempts.beginPassword({ address, client })
      const isRight = await hashing.isSame(password, user?.passwordHash)
      if (!user || user.disabled || !isRight) throw notSignedIn()
      await attempts.signedIn(address, 'password', client)
      return this.#renewed(user, password)
    })
  }

  /** The hash of a password that is to be somebody's; InvalidInput for one that may not. */
  async hashFor(password: string, whose: Whose): Promise<string> {
    const { rules, hashing } = this.#deps
    await rules.check(password, whose)
    return hashing.whenFree(() => hashing.hash(password))
  }

  /**
   * Sets another password for the signed-in user, which ends all their sessions, and notifies them by mail. Unless they signed in
   * by a code or a link within the last ten minutes, they have to send the current one: else InvalidInput, and a failure that
   * counts.
   */
  async change({ user, session, access }: Person, { password, current }: PasswordChange, client: string): Promise<User> {
    const { users, mailer, clock } = this.#deps
    const isFresh = session.how !== 'password' && session.how !== 'provider' && clock.now() - session.at <= FRESH
    if (!isFresh) await this.#prove(user, current, client)
    const changed = await users.setPassword(user.id, await this.hashFor(password, user), access.author, (now) => {
      // Of two changes at once the first ended the session of the second.
      if (!isOf(session, now)) throw new Unauthorized('The session has ended. Sign in again.', 'invalid_token')
    })
    await mailer.send({ template: 'password-changed', to: user.email, data: {} })
    return changed
  }

  /** Composes the message about a password change. Undefined if the account no longer exists. */
  async composeChanged({ to }: Message): Promise<Composed<'password-changed'> | undefined> {
    const user = await this.#deps.users.byEmail(to)
    return user && { name: user.name, values: {}, shown: '' }
  }

  async #prove(user: User, current: string | undefined, client: string): Promise<void> {
    if (current === undefined) throw wrong('The current password is required, or sign in anew with a code or a link.')
    const { hashing, attempts } = this.#deps
    const isRight = await hashing.whenFree(async () => {
      await attempts.beginPassword({ address: user.email, client })
      return hashing.isSame(current, user.passwordHash)
    })
    if (!isRight) throw wrong('The current password is not right.')
    await attempts.signedIn(user.email, 'password', client)
  }

  /** A hash made at another cost is made anew while the password is at hand. */
  async #renewed(user: User, password: string): Promise<User> {
    const { users, hashing } = this.#deps
    const before = user.passwordHash
    if (before === undefined || !hashing.isOld(before)) return user
    return users.rehash(user.id, before, await hashing.hash(password), BY)
  }
}

function wrong(message: string): InvalidInput {
  return new InvalidInput({ current: [message] })
}
