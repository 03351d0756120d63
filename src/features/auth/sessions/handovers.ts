import { hash, randomBytes } from 'node:crypto'
import type { Ledger } from '#core/ledger.ts'
import type { User } from '#features/users/user.ts'
import type { Users } from '#features/users/users.ts'
import { BadRequest, Unauthorized } from '#lib/errors.ts'
import type { How, Sessions, TokenResponse } from './sessions.ts'

/** Lifetime of a code, in milliseconds. */
const LIFE = 60_000

const CODE = /^[A-Za-z0-9_-]{43}$/

/** The dependencies of handovers. `redirects` are the allowed redirect addresses of a sign-in: `auth.redirects`. */
export interface HandoverDeps {
  readonly ledger: Ledger
  readonly users: Users
  readonly sessions: Sessions
  readonly redirects: readonly string[]
}

/**
 * Hands a sign-in in the browser over to the application that asked for it: by a code in the address, good once and for a minute,
 * never by a token (RFC 9700 §4.3).
 */
export class Handovers {
  readonly #deps: HandoverDeps

  constructor(deps: HandoverDeps) {
    this.#deps = deps
  }

  /**
   * The address that a sign-in is to lead to, as it is configured; undefined where none is asked for. Throws BadRequest for any
   * other.
   */
  to(address: string | undefined): string | undefined {
    if (address === undefined) return undefined
    if (this.#deps.redirects.includes(address)) return address
    throw new BadRequest('The address in "to" is not one of those in auth.redirects of the configuration.')
  }

  /** Returns a code for a user who has just proved their identity. */
  async give(user: User, how: How): Promise<string> {
    const code = randomBytes(32).toString('base64url')
    await this.#deps.ledger.put(nameOf(code), { user: user.id, version: user.tokenVersion, how }, LIFE)
    return code
  }

  /** The tokens that a code stands for; Unauthorized for one that is unknown, over, or was taken. */
  async exchange(code: string): Promise<TokenResponse> {
    const { ledger, users, sessions } = this.#deps
    const fact = CODE.test(code) ? await ledger.take(nameOf(code)) : undefined
    const { user: id, version, how } = typeof fact === 'object' && fact !== null && !Array.isArray(fact) ? fact : {}
    const user = typeof id === 'string' ? await users.byId(id) : undefined
    if (!user || user.disabled || user.tokenVersion !== version)
      throw new Unauthorized('The code is unknown, used or over. Sign in again.')
    return sessions.begin(user, how as How)
  }
}

/** An address with a parameter more, its own kept. */
export function addressWith(address: string, name: string, value: string): string {
  const url = new URL(address)
  url.searchParams.set(name, value)
  return url.href
}

function nameOf(code: string): string {
  return `handover.${hash('sha256', code, 'base64url')}`
}
