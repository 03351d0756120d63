import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import { Unauthorized } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import type { Ledger } from '../../../core/ledger.ts'
import type { User } from '../../users/user.ts'
import type { Users } from '../../users/users.ts'
import type { AccessTokens } from './access-tokens.ts'
import { TOKEN_LIFE } from './keys.ts'

/** The ways to sign in. */
export type How = 'code' | 'link' | 'password' | 'provider'

/** What who signed in is given (RFC 6749 §5.1); `expires_in` is in seconds. */
export interface TokenResponse {
  token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
}

/** What is known of a session: whose it is, how and when (milliseconds since 1970) it began. */
export interface Session {
  readonly id: string
  readonly user: string
  readonly version: number
  readonly how: How
  readonly at: number
}

/** What sessions are made of; `life` is how long one lasts without being used, in milliseconds: `auth.refresh.ttl`. */
export interface SessionParts {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly users: Users
  readonly accessTokens: AccessTokens
  readonly life: number
}

/** How long after its first use a refresh token is taken again: an answer may be lost on its way (RFC 9700 §4.14.2 leaves the length open). */
const GRACE = 10_000

/** How much longer the end of a session is remembered than any session could last that was prolonged meanwhile, in milliseconds. */
const MARGIN = 3_600_000

const REFRESH = /^cmsr_([0-9a-f]{24})_[A-Za-z0-9_-]{43}$/

/**
 * Who is signed in. A session lasts as long as its refresh tokens are used; each is good once, and one that comes again later ends its session,
 * since two have it (RFC 9700 §4.14.2). Of tokens only hashes are kept. All nodes share them by the ledger.
 */
export class Sessions {
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #users: Users
  readonly #accessTokens: AccessTokens
  readonly #life: number
  readonly #onEnd: (() => void)[] = []

  constructor(parts: SessionParts) {
    this.#ledger = parts.ledger
    this.#clock = parts.clock
    this.#users = parts.users
    this.#accessTokens = parts.accessTokens
    this.#life = parts.life
  }

  /** Has `listener` told whenever a session ends here. */
  onEnd(listener: () => void): void {
    this.#onEnd.push(listener)
  }

  /** Begins a session of a user who has just shown who they are. */
  async begin(user: User, how: How): Promise<TokenResponse> {
    const id = randomBytes(12).toString('hex')
    return this.#give(user, { id, user: user.id, version: user.tokenVersion, how, at: this.#clock.now() })
  }

  /** The session of that id, unless it ended. Whether its user may still come in is not asked. */
  async find(id: string): Promise<Session | undefined> {
    const [fact, ended] = await Promise.all([this.#ledger.peek(nameOf(id)), this.#ledger.peek(endOf(id))])
    return ended === undefined ? readSession(id, fact) : undefined
  }

  /** New tokens for a refresh token. Throws Unauthorized for one that is unknown, over, or used before; the latter ends its session. */
  async refresh(token: string): Promise<TokenResponse> {
    const name = refreshName(token)
    const id = name && text(await this.#ledger.peek(name))
    const session = id ? await this.find(id) : undefined
    const user = session && (await this.#users.byId(session.user))
    if (!name || !session || !user || !isOf(session, user)) throw refused()
    if (!(await this.#isFirst(name))) {
      await this.end(session.id)
      throw refused()
    }
    return this.#give(user, session)
  }

  /** Ends a session: its tokens are refused from now on. */
  async end(id: string): Promise<void> {
    await this.#ledger.put(endOf(id), this.#clock.now(), this.#life + MARGIN)
    for (const listener of this.#onEnd) listener()
  }

  /** Ends the session that a refresh token is of; nothing for any other text. */
  async endOf(token: string): Promise<void> {
    const name = refreshName(token)
    const id = name && text(await this.#ledger.peek(name))
    if (id) await this.end(id)
  }

  async #give(user: User, session: Session): Promise<TokenResponse> {
    const { id, ...rest } = session
    const refresh = `cmsr_${id}_${randomBytes(32).toString('base64url')}`
    const name = refreshName(refresh)
    if (!name) throw new Error('A refresh token was made that is none.')
    await this.#ledger.put(nameOf(id), rest, this.#life)
    await this.#ledger.put(name, id, this.#life)
    const token = await this.#accessTokens.make(user, id)
    return { token, token_type: 'Bearer', expires_in: TOKEN_LIFE, refresh_token: refresh }
  }

  /** Whether this use of a refresh token is the first, or close to it: some at once are one client that tries again, or has many windows. */
  async #isFirst(name: string): Promise<boolean> {
    const now = this.#clock.now()
    const first = await this.#ledger.peek(`${name}.used`)
    if (typeof first === 'number') return now - first <= GRACE
    // Of several that come here at once each says when it came: they are moments apart.
    await this.#ledger.put(`${name}.used`, now, this.#life)
    return true
  }
}

/** Whether a session is still its user's: they are not disabled, and nothing has happened since that ends all sessions. */
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

function refreshName(token: string): string | undefined {
  return REFRESH.test(token) ? `refresh.${hash('sha256', token, 'base64url')}` : undefined
}

function readSession(id: string, fact: Json | undefined): Session | undefined {
  if (typeof fact !== 'object' || fact === null || Array.isArray(fact)) return undefined
  const { user, version, how, at } = fact
  if (typeof user !== 'string' || typeof version !== 'number' || typeof at !== 'number') return undefined
  return { id, user, version, how: how as How, at }
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
