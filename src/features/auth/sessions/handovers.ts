import { hash, randomBytes } from 'node:crypto'
import type { Ledger } from '#core/ledger.ts'
import type { User } from '#features/users/user.ts'
import type { Users } from '#features/users/users.ts'
import type { SigningIn } from '#http/requests/acting.ts'
import { BadRequest, Unauthorized } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
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

  /**
   * Returns a code for a user who has just proved their identity. With `panel`, the id of a sign-in in the panel, it is good there
   * alone.
   */
  async give(user: User, how: How, panel?: string): Promise<string> {
    const code = randomBytes(32).toString('base64url')
    const fact = { user: user.id, version: user.tokenVersion, how, ...(panel !== undefined && { panel }) }
    await this.#deps.ledger.put(nameOf(code), fact, LIFE)
    return code
  }

  /** The user whom a code signs in to the panel, in the browser of that sign-in; Unauthorized for any other code. */
  async arrive(code: string, panel: string): Promise<User> {
    const found = await this.#take(code, panel)
    return found.user
  }

  /** The tokens that a code stands for; Unauthorized for one that is unknown, over, or was taken. */
  async exchange(code: string, signingIn?: SigningIn): Promise<TokenResponse> {
    const { user, how } = await this.#take(code, undefined)
    return this.#deps.sessions.begin(user, how, signingIn)
  }

  /** Returns a code for a sign-in in the panel that goes on at the site's own host, since the provider leads back to that. */
  async leave(panel: string): Promise<string> {
    const code = randomBytes(32).toString('base64url')
    await this.#deps.ledger.put(nameOf(code), { leaving: panel }, LIFE)
    return code
  }

  /** The sign-in in the panel that a code of `leave` is of; Unauthorized for any other. */
  async left(code: string): Promise<string> {
    const fact = CODE.test(code) ? await this.#deps.ledger.take(nameOf(code)) : undefined
    const panel = typeof fact === 'object' && fact !== null && !Array.isArray(fact) ? fact.leaving : undefined
    if (typeof panel !== 'string') throw new Unauthorized('The sign-in is unknown, or took too long. Begin again in the panel.')
    return panel
  }

  async #take(code: string, panel: string | undefined): Promise<{ user: User; how: How }> {
    const { ledger, users } = this.#deps
    const name = nameOf(code)
    // A try in another browser spends nothing.
    const isTheirs = CODE.test(code) && panelIn(await ledger.peek(name)) === panel
    const fact = isTheirs ? await ledger.take(name) : undefined
    const { user: id, version, how, panel: made } = typeof fact === 'object' && fact !== null && !Array.isArray(fact) ? fact : {}
    const user = typeof id === 'string' && made === panel ? await users.byId(id) : undefined
    if (!user || user.disabled || user.tokenVersion !== version)
      throw new Unauthorized('The code is unknown, used or over. Sign in again.')
    return { user, how: how as How }
  }
}

function panelIn(fact: Json | undefined): string | undefined {
  const panel = typeof fact === 'object' && fact !== null && !Array.isArray(fact) ? fact.panel : undefined
  return typeof panel === 'string' ? panel : undefined
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
