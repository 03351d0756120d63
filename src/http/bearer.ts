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
}

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

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
      else bearers.verify(token).then(admit).catch(done)
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
  return (
    BEARER.exec(header)?.[1] ?? new Unauthorized('The Authorization header is not of the form "Bearer <token>".', 'invalid_token')
  )
}
