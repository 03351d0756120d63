import { isIPv4, isIPv6 } from 'node:net'

/** Matches an address with a port, which some proxies add to it: each connection of one client has another. */
const WITH_PORT = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$|^\[([^\]]{2,60})\](?::\d{1,5})?$/

/**
 * Returns the /64 of an IPv6 address, since a client that has one address has the whole network. An IPv4 address in IPv6 form is
 * itself, as is one of IPv4, and text that is no address.
 */
export function networkOf(client: string): string {
  if (isIPv4(client)) return client
  const [, four, six] = WITH_PORT.exec(client) ?? []
  const address = four ?? six ?? client
  const plain = address.replace(/%.*$/, '').toLowerCase()
  if (!isIPv6(plain)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1]
  if (mapped) return mapped
  const [head = '', tail] = plain.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
