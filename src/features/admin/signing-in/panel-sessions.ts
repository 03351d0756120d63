import { createHmac, hash, randomBytes } from 'node:crypto'
import type { Ledger } from '#core/ledger.ts'
import type { How } from '#features/auth/sessions/sessions.ts'
import type { User } from '#features/users/user.ts'
import type { Clock } from '#lib/clock.ts'
import type { Json } from '#lib/json.ts'

/** A signed-in browser. Times are in milliseconds since 1970. */
export interface PanelSession {
  /** The hash of its secret. */
  readonly id: string
  readonly user: string
  /** `User.tokenVersion` when it began. */
  readonly version: number
  readonly how: How
  readonly at: number
  /** The time of a request of late. */
  readonly seen: number
  /** The browser's own name for itself, cut. */
  readonly agent: string
  /** Stands for the user in tokens of their forms, in all of their sessions. */
  readonly mark: string
}

/** The dependencies of the panel's sessions. `idle` and `most` are `auth.session` in milliseconds. */
export interface PanelSessionDeps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly idle: number
  readonly most: number
}

/** Milliseconds within which a session is not marked as used again. */
const FRESH = 60_000
const MARK_LIFE = 90 * 86_400_000
const LONGEST_AGENT = 200
const PREFIX = 'panel.'

/**
 * The sessions of the panel, shared by all nodes through the ledger: a secret of 32 random bytes in a cookie, of which the hash
 * alone is kept. One ends when it is not used for `idle`, and after `most` in any case.
 */
export class PanelSessions {
  readonly #deps: PanelSessionDeps

  constructor(deps: PanelSessionDeps) {
    this.#deps = deps
  }

  /** Begins a session of a user who has just proved their identity; resolves with its secret. */
  async begin(user: User, how: How, agent = ''): Promise<string> {
    const { ledger, clock } = this.#deps
    const secret = randomBytes(32).toString('base64url')
    const known = await ledger.peek(markName(user.id))
    const mark = typeof known === 'string' ? known : randomBytes(16).toString('base64url')
    const now = clock.now()
    const session = {
      user: user.id,
      version: user.tokenVersion,
      how,
      at: now,
      seen: now,
      agent: agent.slice(0, LONGEST_AGENT),
      mark,
    }
    await Promise.all([
      ledger.put(nameOf(idOf(secret)), session, this.#lifeOf(now)),
      ...(known === undefined ? [ledger.put(markName(user.id), mark, MARK_LIFE)] : []),
    ])
    return secret
  }

  /** The session of a secret, unless it ended. Whether its user may still come in is not asked. */
  async find(secret: string): Promise<PanelSession | undefined> {
    const { ledger, clock } = this.#deps
    const id = idOf(secret)
    const [fact, ended] = await Promise.all([ledger.peek(nameOf(id)), ledger.peek(endName(id))])
    const session = ended === undefined ? readSession(id, fact) : undefined
    if (!session || clock.now() - session.at >= this.#deps.most) return undefined
    return clock.now() - session.seen >= Math.min(FRESH, this.#deps.idle / 4) ? this.#used(session) : session
  }

  /** Ends a session: its secret is good for nothing from now on. */
  async end(id: string): Promise<void> {
    await this.#deps.ledger.put(endName(id), true, this.#deps.most)
    await this.#deps.ledger.take(nameOf(id))
  }

  /** The sessions of a user that have not ended, the last used first. Reads all facts of the ledger. */
  async of(user: User): Promise<PanelSession[]> {
    const found: PanelSession[] = []
    for await (const { name, value } of this.#deps.ledger.facts()) {
      const id = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : ''
      const session = /^[A-Za-z0-9_-]{43}$/.test(id) ? readSession(id, value) : undefined
      const isTheirs = session?.user === user.id && session.version === user.tokenVersion
      if (session && isTheirs && (await this.#deps.ledger.peek(endName(id))) === undefined) found.push(session)
    }
    return found.sort((a, b) => b.seen - a.seen)
  }

  async #used(session: PanelSession): Promise<PanelSession> {
    const { id, ...rest } = session
    const seen = this.#deps.clock.now()
    await this.#deps.ledger.put(nameOf(id), { ...rest, seen }, this.#lifeOf(session.at))
    return { ...session, seen }
  }

  #lifeOf(at: number): number {
    return Math.max(1, Math.min(this.#deps.idle, at + this.#deps.most - this.#deps.clock.now()))
  }
}

/** Returns the id of the session of a secret. */
export function idOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/** Returns what a secret proves to its holder's own forms; nobody can find the secret by it. */
export function proofOf(secret: string, use: string): string {
  return createHmac('sha256', secret).update(use).digest('base64url')
}

function nameOf(id: string): string {
  return `${PREFIX}${id}`
}

function endName(id: string): string {
  return `${PREFIX}${id}.ended`
}

function markName(user: string): string {
  return `panel.mark.${user}`
}

function readSession(id: string, fact: Json | undefined): PanelSession | undefined {
  if (typeof fact !== 'object' || fact === null || Array.isArray(fact)) return undefined
  const { user, version, how, at, seen, agent, mark } = fact
  if (typeof user !== 'string' || typeof version !== 'number' || typeof at !== 'number' || typeof seen !== 'number')
    return undefined
  if (typeof mark !== 'string' || typeof agent !== 'string') return undefined
  return { id, user, version, how: how as How, at, seen, agent, mark }
}
