import { isIPv4, isIPv6 } from 'node:net'

/** Whether a host, as a URL or a bound socket has it, is this machine itself: nobody is between. */
export function isLoopbackHost(host: string): boolean {
  const plain = host.toLowerCase().replace(/^\[|\]$/g, '')
  if (isIPv4(plain)) return plain.startsWith('127.')
  return isIPv6(plain) ? plain === '::1' : plain === 'localhost' || plain.endsWith('.localhost')
}

/** Whether nobody on the way can read what goes to an address: https, or http to this machine itself. */
export function isSecureAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}
