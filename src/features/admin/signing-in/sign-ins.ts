import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ledger } from '#core/ledger.ts'
import type { How } from '#features/auth/sessions/sessions.ts'
import type { User } from '#features/users/user.ts'
import { type SigningIn, signingInBy } from '#http/requests/acting.ts'
import { Unauthorized } from '#lib/errors.ts'
import { type KeptForm, sendKept } from '../requests/kept-form.ts'
import { leadOn, type Panel, SESSION_COOKIE, signedBy } from '../requests/panel.ts'
import { PanelCookie } from './cookies.ts'
import { idOf } from './panel-sessions.ts'

/** Seconds that a sign-in may take. */
const LIFE = 600

/** The cookie of a sign-in that is under way. */
const COOKIE = new PanelCookie('cms_login')

/** A sign-in under way in one browser: known by a secret that the browser keeps. */
export interface SignIn {
  /** The hash of the secret. */
  readonly id: string
  readonly secret: string
  /** The address that a code was asked for. */
  readonly email: string | undefined
  /** The page to lead to. */
  readonly next: string
}

/** The sign-ins under way: each a fact of ten minutes in the ledger, bound to the browser that began it. */
export class SignIns {
  readonly #ledger: Ledger

  constructor({ ledger }: { ledger: Ledger }) {
    this.#ledger = ledger
  }

  /** The sign-in of the browser; undefined where there is none, or it is over. */
  async of(request: FastifyRequest): Promise<SignIn | undefined> {
    const secret = COOKIE.read(request)
    if (secret === undefined) return undefined
    const id = idOf(secret)
    const fact = await this.#ledger.peek(nameOf(id))
    if (typeof fact !== 'object' || fact === null || Array.isArray(fact)) return undefined
    const { email, next } = fact
    return { id, secret, email: typeof email === 'string' ? email : undefined, next: typeof next === 'string' ? next : '/admin' }
  }

  /** The sign-in that this browser has, else a new one: another tab does not end one that is under way. */
  async go(request: FastifyRequest, reply: FastifyReply, next: string): Promise<SignIn> {
    const known = await this.of(request)
    return known ? this.renew(request, reply, { ...known, next }, known.email) : this.begin(request, reply, { next })
  }

  /** Has the sign-in of a browser last as long as one that begins now, for this address. */
  async renew(
    request: FastifyRequest,
    reply: FastifyReply,
    { id, secret, next }: SignIn,
    email: string | undefined,
  ): Promise<SignIn> {
    COOKIE.set(request, reply, secret, LIFE)
    await this.#ledger.put(nameOf(id), { next, ...(email !== undefined && { email }) }, LIFE * 1000)
    return { id, secret, email, next }
  }

  /** Begins one in this browser, in the place of any before. Throws Forbidden where somebody on the way could read its secret. */
  async begin(request: FastifyRequest, reply: FastifyReply, { email, next }: { email?: string; next: string }): Promise<SignIn> {
    const secret = randomBytes(32).toString('base64url')
    COOKIE.set(request, reply, secret, LIFE)
    const id = idOf(secret)
    await this.#ledger.put(nameOf(id), { next, ...(email !== undefined && { email }) }, LIFE * 1000)
    return { id, secret, email, next }
  }

  /** Ends the sign-in of the browser. */
  async end(request: FastifyRequest, reply: FastifyReply, { id }: SignIn): Promise<void> {
    COOKIE.clear(request, reply)
    await this.#ledger.take(nameOf(id))
  }
}

/** A sign-in that arrives: the request that brings its proof, and the form that is to be sent once it is done. */
export interface Arrival {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly signIn: SignIn
  readonly kept?: KeptForm | undefined
}

/**
 * Begins the session of a user who has just proved their identity, in the place of any that this browser had, and leads on; a form
 * that was kept is shown, ready to be sent.
 */
export async function arrive(
  panel: Panel,
  signIns: SignIns,
  { request, reply, signIn, kept }: Arrival,
  user: User,
  how: How,
): Promise<FastifyReply> {
  const before = SESSION_COOKIE.read(request)
  if (before !== undefined) await panel.sessions.end(idOf(before))
  await panel.auth.users.arrived(user)
  const secret = await panel.sessions.begin(user, how, request.headers['user-agent'])
  Object.assign(signingInBy(request, how), {
    user: { id: user.id, name: user.name },
    session: idOf(secret),
  } satisfies Partial<SigningIn>)
  await signIns.end(request, reply, signIn)
  SESSION_COOKIE.set(request, reply, secret)
  if (!kept) return leadOn(reply, signIn.next)
  request.signed = await signedBy(panel, secret)
  const sentences = ['You are signed in again. All you typed is still here, and nothing of it is saved yet.']
  return sendKept(panel.pages, request, reply, kept, { status: 200, title: 'Go on where you were', sentences })
}

/** The sign-in that a form belongs to. Throws Unauthorized where it is over, or of another browser. */
export async function mustHaveBegun(signIns: SignIns, request: FastifyRequest): Promise<SignIn> {
  const signIn = await signIns.of(request)
  if (!signIn) throw new Unauthorized('This sign-in took over ten minutes, or was begun in another browser. Begin again.')
  return signIn
}

function nameOf(id: string): string {
  return `panel.login.${id}`
}
