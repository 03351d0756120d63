import { isIPv6 } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AuditActor, type AuditLog, newEntryId, type Outcome } from '#core/audit-log.ts'
import { type Acting, mayChange, type SignedOut, type SigningIn, sessionName } from '#http/requests/acting.ts'
import type { Clock } from '#lib/clock.ts'
import { networkOf } from '#lib/net/network.ts'
import { Crowd } from './crowd.ts'
import { actorIn, type NewEntry, UNKNOWN } from './entries.ts'
import type { Origins } from './origins.ts'
import { refusedIn } from './refused.ts'

/** Statuses of sign-ins that failed: not right, not allowed, too many. */
const FAILED: ReadonlySet<number> = new Set([401, 403, 429])

/** The dependencies of what is kept of requests. */
export interface RequestDeps {
  readonly log: AuditLog
  readonly clock: Clock
  readonly origins: Origins
  /** Finds the user of an address, if there is one. */
  readonly userOf: (email: string) => Promise<{ readonly id: string; readonly name: string } | undefined>
}

/** Keeps what requests did that no store tells of: sign-ins, and what was refused. */
export class RequestEntries {
  readonly #deps: RequestDeps
  readonly #failures: Crowd
  readonly #refusals: Crowd

  constructor(deps: RequestDeps) {
    this.#deps = deps
    this.#failures = new Crowd(deps)
    this.#refusals = new Crowd(deps)
  }

  /** Keeps what comes before an answer; undefined where nothing does. */
  before(request: FastifyRequest, { statusCode }: Pick<FastifyReply, 'statusCode'>): Promise<void> | undefined {
    const { signingIn, signedOut } = request
    if (signedOut) return this.#signedOut(request, signedOut)
    if (signingIn?.user) return this.#signedIn(request, signingIn, signingIn.user)
    if (signingIn && (signingIn.hasFailed || FAILED.has(statusCode))) return this.#failed(request, signingIn)
    return statusCode === 403 && request.acting ? this.#refused(request, request.acting) : undefined
  }

  /** Notes where a request came from that may have changed content. */
  after(request: FastifyRequest, { statusCode }: Pick<FastifyReply, 'statusCode'>): void {
    const { acting, id, ip } = request
    if (!acting || statusCode >= 400 || !mayChange(request)) return
    this.#deps.origins.add({ request: id, at: this.#now(), via: acting.via, ip })
  }

  async close(): Promise<void> {
    await Promise.all([this.#failures.close(), this.#refusals.close()])
  }

  async #signedIn(request: FastifyRequest, { how, session }: SigningIn, { id, name }: NonNullable<SigningIn['user']>) {
    const target = { kind: 'user', type: 'user', id, title: name }
    const entry = this.#entry(request, { kind: 'user', id, name }, 'auth.login', 'ok')
    const via = session === undefined ? how : `${how} ${sessionName(session)}`
    await this.#deps.log.append([{ id: newEntryId(), ...entry, via, target }])
  }

  async #signedOut(request: FastifyRequest, { user: { id, name }, session }: SignedOut): Promise<void> {
    const target = { kind: 'user', type: 'user', id, title: name }
    const entry = this.#entry(request, { kind: 'user', id, name }, 'auth.logout', 'ok')
    await this.#deps.log.append([{ id: newEntryId(), ...entry, via: sessionName(session), target }])
  }

  /** Keeps whom a sign-in was tried for, and not what was typed as their address: it may be a password. */
  async #failed(request: FastifyRequest, { how, email }: SigningIn): Promise<void> {
    const bare = { ...this.#entry(request, UNKNOWN, 'auth.failed', 'failed'), via: how }
    await this.#failures.keep(isIPv6(request.ip) ? networkOf(request.ip) : request.ip, bare, async () => {
      const user = email === undefined ? undefined : await this.#deps.userOf(email)
      return { ...bare, target: user ? { kind: 'user', type: 'user', id: user.id, title: user.name } : null }
    })
  }

  async #refused(request: FastifyRequest, acting: Acting): Promise<void> {
    const refused = refusedIn(request)
    if (!refused) return
    const { action, target } = refused
    const entry = { ...this.#entry(request, actorIn(acting), action, 'refused'), via: acting.via, target }
    await this.#refusals.keep(acting.access.id, entry, async () => entry)
  }

  #entry({ id, ip }: FastifyRequest, actor: AuditActor, action: string, outcome: Outcome): NewEntry {
    return { at: this.#now(), actor, via: null, action, target: null, outcome, changed: null, request_id: id, ip }
  }

  #now(): string {
    return new Date(Math.floor(this.#deps.clock.now())).toISOString()
  }
}
