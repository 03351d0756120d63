import { isIPv4, isIPv6 } from 'node:net'

/** Returns whether a host, as in a URL or of a bound socket, is this machine itself, with nobody in between. */
export function isLoopbackHost(host: string): boolean {
  const plain = host.toLowerCase().replace(/^\[|\]$/g, '')
  if (isIPv4(plain)) return plain.startsWith('127.')
  return isIPv6(plain) ? plain === '::1' : plain === 'localhost' || plain.endsWith('.localhost')
}

/** Returns whether nobody on the way can read data sent to an address: https, or http to this machine itself. */
export function isSecureAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}
