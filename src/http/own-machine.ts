import type { FastifyRequest } from 'fastify'
import { isLoopbackHost } from '#lib/secure-address.ts'

/** Headers that proxies add. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'] as const

/**
 * True where a browser on this machine asks, and no proxy on behalf of another: connection and Host are loopback, and nothing
 * says that the request was handed on. Proxies that say nothing of themselves speak HTTP/1.0 or keep the Host they were asked
 * for.
 */
export function isOwnMachine({ raw, headers }: FastifyRequest): boolean {
  const isNear = isLoopbackHost((raw.socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
  const host = URL.canParse(`http://${headers.host}`) ? new URL(`http://${headers.host}`).hostname : ''
  const isHandedOn = raw.httpVersion !== '1.1' || FORWARDING.some((name) => headers[name] !== undefined)
  return isNear && isLoopbackHost(host) && !isHandedOn
}
