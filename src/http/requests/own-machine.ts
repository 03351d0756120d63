import type { FastifyRequest } from 'fastify'
import { isLoopbackHost } from '#lib/secure-address.ts'

/** Headers that proxies add. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'] as const

/**
 * Returns whether a request is from a browser on this machine, and not through a proxy: connection and Host are loopback, and no
 * header says that it was forwarded. Proxies without such a header speak HTTP/1.0 or keep the original Host.
 */
export function isOwnMachine({ raw, headers }: FastifyRequest): boolean {
  const isNear = isLoopbackHost((raw.socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
  const host = URL.canParse(`http://${headers.host}`) ? new URL(`http://${headers.host}`).hostname : ''
  const isHandedOn = raw.httpVersion !== '1.1' || FORWARDING.some((name) => headers[name] !== undefined)
  return isNear && isLoopbackHost(host) && !isHandedOn
}
