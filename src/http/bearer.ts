import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Access } from '../core/access.ts'
import { NotAcceptable, Unauthorized } from '../core/errors.ts'
import { acceptsJson } from '../lib/accept.ts'
import type { Throttle } from './throttle.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null on routes that take no token. */
    access: Access | null
  }
}

/** Knows who bears a token. */
export interface Bearers {
  verify(token: string): Promise<Access | undefined>
  /** As `verify`, without waiting, where the answer is at hand; undefined says nothing. */
  known(token: string): Access | undefined
}

const SCHEME = 'bearer '

/** Lets in who bears a valid token in the `Authorization` header (never in a URL), counted by `throttle` where there is one. */
export function bearer(bearers: Bearers, throttle: Throttle | undefined): onRequestHookHandler {
  return (request, reply, done) => {
    const admit = (access: Access | undefined, refusal?: Unauthorized) => {
      throttle?.count(access?.id ?? request.ip, reply)
      if (!access) throw refusal ?? new Unauthorized('The token is unknown, expired or revoked.', 'invalid_token')
      request.access = access
      done()
    }
    try {
      if (!acceptsJson(request.headers.accept)) throw new NotAcceptable()
      const token = tokenOf(request)
      if (typeof token !== 'string') admit(undefined, token)
      else {
        const known = bearers.known(token)
        if (known) admit(known)
        else bearers.verify(token).then(admit).catch(done)
      }
    } catch (error) {
      done(error as Error)
    }
  }
}

/** Who asks, on a route behind `bearer`. */
export function accessOf(request: FastifyRequest): Access {
  if (!request.access) throw new Unauthorized('A token is needed: Authorization: Bearer <token>.')
  return request.access
}

function tokenOf({ headers }: FastifyRequest): string | Unauthorized {
  const header = headers.authorization
  if (header === undefined) return new Unauthorized('A token is needed: Authorization: Bearer <token>.')
  const token = header.slice(SCHEME.length).trim()
  const isBearer = header.slice(0, SCHEME.length).toLowerCase() === SCHEME && token !== ''
  return isBearer ? token : new Unauthorized('The Authorization header is not of the form "Bearer <token>".', 'invalid_token')
}
