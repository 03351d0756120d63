import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Access } from '#core/access/access.ts'
import { acceptsJson } from '#lib/accept.ts'
import { NotAcceptable, Unauthorized } from '#lib/errors.ts'
import { actingIn } from '../requests/acting.ts'
import type { Throttle } from './throttle.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; null on routes that take no token. */
    access: Access | null
  }
}

/** Finds the caller of a token. */
export interface Bearers {
  verify(token: string, credentials: string): Promise<Access | undefined>
  /** As `verify`, without waiting, where the answer for this header is at hand; undefined says nothing. */
  known(credentials: string): Access | undefined
}

/** Counts the requests of each, and refuses what is too many. */
export type Counter = Pick<Throttle, 'count'>

const SCHEME = 'bearer '

/**
 * Makes the guard of routes that need a valid token in the `Authorization` header (never in a URL), counted by `throttle` if
 * given. The route answers in JSON, or in what the client has to `accept`.
 */
export function bearer(
  bearers: Bearers,
  throttle: Counter | undefined,
  accepts: (accept: string) => boolean = acceptsJson,
): onRequestHookHandler {
  return (request, reply, done) => {
    const { accept, authorization } = request.raw.headers
    try {
      if (accept !== undefined && !accepts(accept)) throw new NotAcceptable()
      const known = authorization === undefined ? undefined : bearers.known(authorization)
      if (!known) return void lookUp(bearers, throttle, request, reply).then(() => done(), done)
      throttle?.count(known.id, reply)
      request.access = actingBy(request, known)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}

async function lookUp(
  bearers: Bearers,
  throttle: Counter | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const header = request.headers.authorization ?? ''
  const token = tokenOf(request)
  const access = typeof token === 'string' ? await bearers.verify(token, header) : undefined
  throttle?.count(access?.id ?? request.ip, reply)
  if (typeof token !== 'string') throw token
  if (!access) throw unknown()
  request.access = actingBy(request, access)
}

function unknown(): Unauthorized {
  return new Unauthorized('The token is unknown, expired or revoked.', 'invalid_token')
}

/** Looks up the caller of a request once more, and makes it the request's own; rejects with Unauthorized where the token is over. */
export type Renew = (request: FastifyRequest) => Promise<Access>

/** Makes the second look at the caller of a request that came behind `bearer`: not counted again. */
export function renewal(bearers: Bearers): Renew {
  return async (request) => {
    const { authorization = '' } = request.headers
    const token = tokenOf(request)
    if (typeof token !== 'string') throw token
    const access = bearers.known(authorization) ?? (await bearers.verify(token, authorization))
    if (!access) throw unknown()
    request.access = actingBy(request, access)
    return request.access
  }
}

/**
 * Has every request with a body done by its caller as they are when the body has come: however slowly that was sent, a right that
 * ended meanwhile is over.
 */
export function useRenewal(app: FastifyInstance, renew: Renew): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.access === null || request.body === undefined || request.body === null) done()
    else renew(request).then(() => done(), done)
  })
}

/** A JWT that was verified names its session: `jti` begins with it. */
function actingBy(request: FastifyRequest, access: Access): Access {
  const token = access.id.startsWith('token:') ? undefined : tokenOf(request)
  return actingIn(request, access, typeof token === 'string' ? sessionIn(token) : undefined)
}

function sessionIn(token: string): string | undefined {
  try {
    const { jti }: { jti?: unknown } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return typeof jti === 'string' ? jti.split('.')[0] : undefined
  } catch {
    return undefined
  }
}

/** Returns the caller, on a route behind `bearer`. */
export function accessOf(request: FastifyRequest): Access {
  if (!request.access) throw new Unauthorized('A token is needed: Authorization: Bearer <token>.')
  return request.access
}

/** The token of the `Authorization` header, or what to say of one that has none. */
export function tokenOf({ headers }: FastifyRequest): string | Unauthorized {
  const header = headers.authorization
  if (header === undefined) return new Unauthorized('A token is needed: Authorization: Bearer <token>.')
  const token = header.slice(SCHEME.length).trim()
  const isBearer = header.slice(0, SCHEME.length).toLowerCase() === SCHEME && token !== ''
  return isBearer ? token : new Unauthorized('The Authorization header is not of the form "Bearer <token>".', 'invalid_token')
}
