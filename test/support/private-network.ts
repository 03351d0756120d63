import dns, { type LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { replaceIn } from './builtins.ts'

/** Addresses of IPv4 and of IPv6 that are not of the public internet. */
export const PRIVATE_4: readonly string[] =
  '0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255'.split(
    ' ',
  )
export const PRIVATE_6: readonly string[] =
  ':: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:10::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1'.split(
    ' ',
  )
/** Other ways to write an address of this machine or its network in place of a name, as the URL standard reads them. */
const WRITTEN: readonly string[] =
  '0 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.0.0.1. 0x7f.0x0.0x0.0x1 00000177.1 ①②⑦.⓪.⓪.① 127。0。0。1 3232235521 0xa9fea9fe %31%32%37.0.0.1'.split(
    ' ',
  )
/** Names that stand for such addresses, also beside public ones. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'mapped.test': ['::ffff:10.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'both.test': ['93.184.215.14', '127.0.0.1'],
  'both6.test': ['2606:4700::1111', 'fd00::1'],
}

/** Hosts of addresses by which nobody may reach this machine or its network, however they are written. */
export const PRIVATE_HOSTS: readonly string[] = [
  ...PRIVATE_4,
  ...PRIVATE_6.map((address) => `[${address}]`),
  ...WRITTEN,
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'unknown.test', ...Object.keys(NAMES)],
]

/** Answers name look-ups from a table for the time of a test: no name is asked for on a network. Returns the names that were. */
export function namesFrom(t: Test, addressesOf: (name: string, nth: number) => readonly string[]): string[] {
  const asked: string[] = []
  const lookup = (name: string, _: unknown, callback: (error: Error | null, found: LookupAddress[]) => void) => {
    const found = addressesOf(name, asked.push(name))
    if (found.length === 0) return callback(new Error(`getaddrinfo ENOTFOUND ${name}`), [])
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  replaceIn(t, dns, { lookup })
  return asked
}

/** A server on this machine, by IPv4 and IPv6 where there is one, that counts its connections. */
export async function counting(
  t: Test,
  answer = 'here',
): Promise<{ port: number; connections: () => number; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    if (request.url === '/away') response.writeHead(302, { location: '/' }).end()
    else response.end(answer)
  })
  let connections = 0
  server.on('connection', () => connections++)
  server.listen(0)
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections, requests }
}
