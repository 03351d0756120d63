import { isLoopbackHost } from '#lib/secure-address.ts'
import type { Quire } from './open/site.ts'

/** The address of a server as a URL. */
export function urlOf(host: string, port: number): string {
  return `http://${bracketed(host)}:${port}`
}

/** An address as it stands in a URL: IPv6 in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Returns whether a server at that address can be reached from this machine only, with no proxy configured in front of it. */
export function isLocalServer({ server }: Pick<Quire['config'], 'server'>, host: string): boolean {
  return server.trust_proxy === false && isLoopbackHost(host)
}
