import type { FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import type { Author } from '#core/document.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller who does something in it; null where nobody is known to. */
    acting: Acting | null
    /** The sign-in that it tries; null where it tries none. */
    signingIn: SigningIn | null
    /** The session that it ended; null where it ended none. */
    signedOut: SignedOut | null
  }
}

/** A session that ended by a request of the user's. */
export interface SignedOut {
  readonly user: { readonly id: string; readonly name: string }
  readonly session: string
}

/** A caller, and the token or session that they use: `token:<id>`, `session:<beginning of its id>`. */
export interface Acting {
  readonly access: Access
  readonly via: string | null
}

/** A sign-in that a request tries, and what came of it: `user` and `session` are there once it succeeded. */
export interface SigningIn {
  /** A code, a link, a password, a provider. */
  how: string
  /** The address that is signed in with. */
  email?: string | undefined
  user?: { readonly id: string; readonly name: string } | undefined
  session?: string | undefined
  /** True where it failed, whatever the answer. */
  hasFailed?: boolean
}

/** Characters of a session's id that tell it from others. */
const TOLD = 12

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Returns whether a request may change something. */
export function mayChange({ method }: Pick<FastifyRequest, 'method'>): boolean {
  return !READS.has(method)
}

/**
 * Notes who acts in a request, by which session, if not by a token, and returns the access that they do it with: its changes say
 * which request they were made in.
 */
export function actingIn(request: FastifyRequest, access: Access, session?: string): Access {
  const via = access.id.startsWith('token:') ? access.id : session === undefined ? null : sessionName(session)
  request.acting = { access, via }
  if (!mayChange(request)) return access
  const { id, ip } = request
  return { ...access, author: { ...access.author, request: { id, ip, via } } }
}

/** Returns the author of what a request does, for what is kept of it, whether or not it may change something. */
export function authorIn({ acting, id, ip }: FastifyRequest): Author {
  if (!acting) throw new Error('Nobody is known to act in this request.')
  return { ...acting.access.author, request: { id, ip, via: acting.via } }
}

/** Notes that a request tries to sign in; returns what the outcome is to be written into. */
export function signingInBy(request: FastifyRequest, how: string, email?: string): SigningIn {
  request.signingIn = { how, email }
  return request.signingIn
}

/** Returns the name of a session by its id, which is no secret; the beginning of it is enough to tell it from others. */
export function sessionName(id: string): string {
  return `session:${id.slice(0, TOLD)}`
}
