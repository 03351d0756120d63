import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOwnMachine } from '#http/requests/own-machine.ts'
import { Forbidden } from '#lib/errors.ts'
import { isLoopbackHost } from '#lib/secure-address.ts'

/** A random value of 32 bytes, as base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/

/**
 * A cookie with a secret of the panel. Where the request came by https no other host and no plain connection can have set it
 * (`__Host-`, RFC 6265bis §4.1.3.2); elsewhere it is for this machine alone. Only the name of the request's own scheme is read.
 */
export class PanelCookie {
  readonly #name: string

  /** `name` is the cookie's, without the prefix. */
  constructor(name: string) {
    this.#name = name
  }

  /** Returns the secret that a browser sends. Undefined if it sends none, or several, since nobody can tell whose they are. */
  read(request: FastifyRequest): string | undefined {
    const name = this.#nameFor(request)
    if (name === undefined) return undefined
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
    const found = pairs.filter((pair) => pair.startsWith(`${name}=`))
    const value = found.length === 1 ? found[0]?.slice(name.length + 1) : undefined
    return value !== undefined && SECRET.test(value) ? value : undefined
  }

  /**
   * Has the browser keep a secret: for so many seconds, else until it is closed. Throws Forbidden where somebody on the way could
   * read it.
   */
  set(request: FastifyRequest, reply: FastifyReply, secret: string, seconds?: number): void {
    const name = this.#nameFor(request)
    if (name === undefined) throw insecure()
    reply.header(
      'set-cookie',
      [`${name}=${secret}`, ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]), ...attributes(name)].join('; '),
    )
  }

  /** Has the browser forget it. */
  clear(request: FastifyRequest, reply: FastifyReply): void {
    const name = this.#nameFor(request)
    if (name !== undefined) reply.header('set-cookie', [`${name}=`, 'Max-Age=0', ...attributes(name)].join('; '))
  }

  #nameFor(request: FastifyRequest): string | undefined {
    if (request.protocol === 'https') return `__Host-${this.#name}`
    return isOnLoopback(request) ? this.#name : undefined
  }
}

/** Returns whether nobody on the way can read what is sent: https, or connection and Host are this machine's own. */
export function isPrivateWay(request: FastifyRequest): boolean {
  return request.protocol === 'https' || isOnLoopback(request)
}

/** The refusal to sign in over a connection that others can read. */
export function insecure(): Forbidden {
  return new Forbidden(
    'Signing in needs https: on this connection others could read it. Behind a proxy that speaks https, set server.trust_proxy in cms.config.yaml; on this machine, open http://localhost.',
  )
}

/** Returns whether a browser on this machine asks, and no proxy hands it on: a page's own origin says so too. */
function isOnLoopback(request: FastifyRequest): boolean {
  const { origin = '' } = request.headers
  const isHere = origin === '' || origin === 'null' || (URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname))
  return isHere && isOwnMachine(request)
}

function attributes(name: string): string[] {
  return ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(name.startsWith('__Host-') ? ['Secure'] : [])]
}
