import { BlockList, isIP } from 'node:net'

/** Parts of IPv4 that are not of the public internet (IANA, IPv4 Special-Purpose Address Registry), multicast and class E. */
const PRIVATE_4: readonly (readonly [net: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Parts of global unicast IPv6 (2000::/3) that lead elsewhere: protocol assignments with Teredo, 6to4, documentation. */
const APART_6: readonly (readonly [net: string, bits: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const PRIVATE = new BlockList()
for (const [net, bits] of PRIVATE_4) PRIVATE.addSubnet(net, bits, 'ipv4')
const GLOBAL = new BlockList()
GLOBAL.addSubnet('2000::', 3, 'ipv6')
const APART = new BlockList()
for (const [net, bits] of APART_6) APART.addSubnet(net, bits, 'ipv6')

/**
 * Returns whether an IP address is one of the public internet. IPv6 addresses that stand for an IPv4 address (mapped, NAT64,
 * 6to4) never are; nor is text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  // One with a zone (RFC 4007) is of a link.
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 4) return !PRIVATE.check(address, 'ipv4')
  return family === 6 && GLOBAL.check(address, 'ipv6') && !APART.check(address, 'ipv6')
}
