import { hash, randomBytes } from 'node:crypto'
import type { Ledger } from '#core/ledger.ts'
import type { User } from '#features/users/user.ts'
import type { Users } from '#features/users/users.ts'
import type { SigningIn } from '#http/requests/acting.ts'
import type { Clock } from '#lib/clock.ts'
import { Unauthorized } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import type { AccessTokens } from './access-tokens.ts'
import { TOKEN_LIFE } from './keys.ts'

/** The ways to sign in. */
export type How = 'code' | 'link' | 'password' | 'provider'

/** The response to a sign-in (RFC 6749 §5.1); `expires_in` is in seconds. */
export interface TokenResponse {
  token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
}

/** A session: its user, and how and when (milliseconds since 1970) it began. */
export interface Session {
  readonly id: string
  readonly user: string
  readonly version: number
  readonly how: How
  readonly at: number
}

/** The dependencies of sessions; `life` is the time in milliseconds that one lasts without being used: `auth.refresh.ttl`. */
export interface SessionDeps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly users: Users
  readonly accessTokens: AccessTokens
  readonly life: number
}

/**
 * Milliseconds after its first use that a refresh token is still accepted, since a response may be lost on its way (RFC 9700
 * §4.14.2 leaves the length open).
 */
const GRACE = 10_000
/** The most uses of one refresh token, and of those beside it, within the grace: each makes tokens that are kept for weeks. */
const MOST_AT_ONCE = 50

/**
 * Milliseconds that the end of a session is remembered beyond the longest time any session could last that was prolonged
 * meanwhile.
 */
const MARGIN = 3_600_000

/**
 * Longest time a session lasts, however often it is used, in milliseconds (NIST SP 800-63B-4 §2.1.3 asks for an end): half a
 * year.
 */
const LONGEST = 180 * 86_400_000

const REFRESH = /^cmsr_[0-9a-f]{24}_[A-Za-z0-9_-]{43}$/

/** The data kept for a refresh token under its hash: its session, and its number in the sequence of that session's tokens. */
interface Kept {
  readonly session: string
  readonly generation: number
}

/**
 * The sessions of signed-in users. A session lasts as long as its refresh tokens are used, half a year at most. Each refresh
 * token is valid once. One that is used again later ends its session, since two parties have it (RFC 9700 §4.14.2). Only hashes
 * of tokens are kept. All nodes share them through the ledger.
 */
export class Sessions {
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #users: Users
  readonly #accessTokens: AccessTokens
  readonly #life: number
  readonly #onEnd: (() => void)[] = []

  constructor(deps: SessionDeps) {
    this.#ledger = deps.ledger
    this.#clock = deps.clock
    this.#users = deps.users
    this.#accessTokens = deps.accessTokens
    this.#life = deps.life
  }

  /** Has `listener` told whenever a session ends here. */
  onEnd(listener: () => void): void {
    this.#onEnd.push(listener)
  }

  /** Begins a session of a user who has just proved their identity; `signingIn`, where it is given, says so then. */
  async begin(user: User, how: How, signingIn?: SigningIn): Promise<TokenResponse> {
    const id = randomBytes(12).toString('hex')
    await this.#users.arrived(user)
    if (signingIn) Object.assign(signingIn, { how, user: { id: user.id, name: user.name }, session: id } satisfies SigningIn)
    return this.#give(user, { id, user: user.id, version: user.tokenVersion, how, at: this.#clock.now() }, 0)
  }

  /** The session of that id, unless it ended. Whether its user may still come in is not asked. */
  async find(id: string): Promise<Session | undefined> {
    const [fact, ended] = await Promise.all([this.#ledger.peek(nameOf(id)), this.#ledger.peek(endOf(id))])
    return ended === undefined ? readSession(id, fact) : undefined
  }

  /**
   * New tokens for a refresh token. Throws Unauthorized for one that is unknown, over, or used before; the latter ends its
   * session.
   */
  async refresh(token: string): Promise<TokenResponse> {
    const kept = await this.#kept(token)
    const session = kept && (await this.find(kept.session))
    const user = session && (await this.#users.byId(session.user))
    if (!kept || !session || !user || !isOf(session, user)) throw refused()
    if (this.#clock.now() - session.at > LONGEST) throw refused()
    if (!(await this.#isInSequence(kept))) {
      await this.end(session.id)
      throw refused()
    }
    // Counted in one step: of many at once none passes for the first.
    if ((await this.#ledger.add(usesOf(kept), 1, GRACE)) > MOST_AT_ONCE) throw refused()
    return this.#give(user, session, kept.generation + 1)
  }

  /** Ends a session: its tokens are refused from now on. */
  async end(id: string): Promise<void> {
    await this.#ledger.put(endOf(id), this.#clock.now(), this.#life + MARGIN)
    for (const listener of this.#onEnd) listener()
  }

  /** Ends the session that a refresh token is of, and resolves with it, unless it had ended; nothing for any other text. */
  async endOf(token: string): Promise<Session | undefined> {
    const kept = await this.#kept(token)
    const session = kept && (await this.find(kept.session))
    if (kept) await this.end(kept.session)
    return session
  }

  async #give(user: User, session: Session, generation: number): Promise<TokenResponse> {
    const { id, ...rest } = session
    const refresh = `cmsr_${id}_${randomBytes(32).toString('base64url')}`
    // At once, so that they share the wait for the disk.
    const [token] = await Promise.all([
      this.#accessTokens.make(user, id),
      this.#ledger.put(nameOf(id), rest, this.#life),
      this.#ledger.put(refreshName(refresh), { session: id, turn: generation }, this.#life),
    ])
    return { token, token_type: 'Bearer', expires_in: TOKEN_LIFE, refresh_token: refresh }
  }

  async #kept(token: string): Promise<Kept | undefined> {
    const fact = REFRESH.test(token) ? await this.#ledger.peek(refreshName(token)) : undefined
    const { session, turn: generation } = typeof fact === 'object' && fact !== null && !Array.isArray(fact) ? fact : {}
    return typeof session === 'string' && typeof generation === 'number' ? { session, generation } : undefined
  }

  /**
   * Checks whether a refresh token is used in sequence: it is the first with its number, or comes shortly after. Several at once
   * are one client that retries or has many windows. They all get tokens with the same next number, so that they do not go on
   * side by side.
   */
  async #isInSequence({ session, generation }: Kept): Promise<boolean> {
    const now = this.#clock.now()
    const fact = await this.#ledger.peek(generationOf(session))
    const { of = -1, at = 0 } = typeof fact === 'object' && fact !== null && !Array.isArray(fact) ? fact : {}
    if (generation < Number(of)) return false
    if (generation === Number(of)) return now - Number(at) <= GRACE
    await this.#ledger.put(generationOf(session), { of: generation, at: now }, this.#life + MARGIN)
    return true
  }
}

/**
 * Returns whether a session is still its user's: they are not disabled, and nothing has happened since that ends all sessions.
 */
export function isOf(session: Pick<Session, 'version'>, user: User): boolean {
  return !user.disabled && session.version === user.tokenVersion
}

function refused(): Unauthorized {
  return new Unauthorized('The refresh token is unknown, used or over. Sign in again.', 'invalid_token')
}

function nameOf(id: string): string {
  return `session.${id}`
}

function endOf(id: string): string {
  return `session.${id}.ended`
}

function generationOf(id: string): string {
  return `session.${id}.turn`
}

function usesOf({ session, generation }: Kept): string {
  return `session.${session}.uses.${generation}`
}

function refreshName(token: string): string {
  return `refresh.${hash('sha256', token, 'base64url')}`
}

function readSession(id: string, fact: Json | undefined): Session | undefined {
  if (typeof fact !== 'object' || fact === null || Array.isArray(fact)) return undefined
  const { user, version, how, at } = fact
  if (typeof user !== 'string' || typeof version !== 'number' || typeof at !== 'number') return undefined
  return { id, user, version, how: how as How, at }
}
