import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { isOwnMachine } from '#http/requests/own-machine.ts'

/** Proxies that are trusted, as `server.trust_proxy` has them: a number of hops, or addresses and CIDR blocks. */
export type TrustedProxies = false | number | readonly string[]

/**
 * Returns whether a request is from this machine and through no proxy. Where a proxy on this machine is trusted none is: one that
 * adds no header can't be told from a client.
 */
export function nearness(proxies: TrustedProxies): (request: FastifyRequest) => boolean {
  if (proxies === false) return isOwnMachine
  if (typeof proxies === 'number') return () => false
  const trusted = blockList(proxies)
  return (request) => isOwnMachine(request) && !has(trusted, request.raw.socket.remoteAddress ?? '')
}

function blockList(proxies: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of proxies) {
    const [address = '', bits] = block.split('/')
    const type = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, type)
    else list.addSubnet(address, Number(bits), type)
  }
  return list
}

/** An IPv4 address in the form of IPv6 counts as what it is; one that is not known as trusted. */
function has(list: BlockList, remote: string): boolean {
  const family = isIP(remote)
  return family === 0 || list.check(remote, family === 4 ? 'ipv4' : 'ipv6')
}
