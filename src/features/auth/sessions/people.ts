import type { Access } from '#core/access/access.ts'
import type { Store } from '#core/store.ts'
import type { User } from '#features/users/user.ts'
import type { Users } from '#features/users/users.ts'
import type { Bearers } from '#http/guarding/bearer.ts'
import type { Clock } from '#lib/clock.ts'
import type { AccessTokens, Claims } from './access-tokens.ts'
import { isOf, type Session, type Sessions } from './sessions.ts'

/** Three parts of base64url with dots between: what has not this form is no JWT. */
const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** Milliseconds that cached results are trusted. */
const TRUST = 50
const MOST = 1000

/** A signed-in caller. */
export interface Person {
  readonly user: User
  readonly session: Session
  readonly access: Access
}

interface Found extends Person {
  /** The end of the token, in milliseconds since 1970. */
  readonly ends: number
}

/** The dependencies of `People`. */
export interface PeopleDeps {
  readonly store: Store
  readonly clock: Clock
  readonly users: Users
  readonly accessTokens: AccessTokens
  readonly sessions: Sessions
}

/**
 * Finds the user of an access token. The account and the session are looked up, never taken from the token; results are cached
 * for a moment.
 */
export class People implements Bearers {
  readonly #deps: PeopleDeps
  #found = new Map<string, Found>()
  #until = 0
  /** Grows when something ends, so that what was being looked up meanwhile is not kept. */
  #generation = 0

  constructor(deps: PeopleDeps) {
    this.#deps = deps
    deps.store.subscribe(() => this.forget())
    deps.sessions.onEnd(() => this.forget())
  }

  async verify(token: string, credentials = token): Promise<Access | undefined> {
    return (await this.find(token, credentials))?.access
  }

  known(credentials: string): Access | undefined {
    return this.#kept(credentials)?.access
  }

  /**
   * Finds the person that a token belongs to; undefined if the token is not valid. `credentials` is how it was sent, by which
   * `known` finds it again.
   */
  async find(token: string, credentials: string): Promise<Person | undefined> {
    const kept = this.#kept(credentials)
    if (kept) return kept
    const generation = this.#generation
    const claims = JWT.test(token) ? await this.#deps.accessTokens.read(token) : undefined
    const found = claims && (await this.#lookUp(claims))
    if (found && generation === this.#generation && this.#found.size < MOST) this.#found.set(credentials, found)
    return found
  }

  /** Lets go of what was found: something ended. */
  forget(): void {
    this.#generation++
    this.#until = performance.now() + TRUST
    if (this.#found.size > 0) this.#found = new Map()
  }

  #kept(credentials: string): Found | undefined {
    if (performance.now() >= this.#until) this.forget()
    const found = this.#found.get(credentials)
    return found && found.ends > this.#deps.clock.now() ? found : undefined
  }

  async #lookUp({ user: id, session: name, version, ends }: Claims): Promise<Found | undefined> {
    const { users, sessions } = this.#deps
    const [user, session] = await Promise.all([users.byId(id), sessions.find(name)])
    if (!user || !session || session.user !== id) return undefined
    if (!isOf(session, user) || !isOf({ version }, user)) return undefined
    return { user, session, access: await users.access(user), ends }
  }
}
