import dns, { type LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { type Allowing, guardedRequest } from '#lib/net/guarded-request.ts'
import { isPublicAddress } from '#lib/net/public-address.ts'

const PRIVATE_4 =
  '0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255'
const PRIVATE_6 =
  ':: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:10::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1'
/** Other ways to write an address of this machine or its network in place of a name, as the URL standard reads them. */
const WRITTEN =
  '0 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.0.0.1. 0x7f.0x0.0x0.0x1 00000177.1 ①②⑦.⓪.⓪.① 127。0。0。1 3232235521 0xa9fea9fe %31%32%37.0.0.1'
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'mapped.test': ['::ffff:10.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'both.test': ['93.184.215.14', '127.0.0.1'],
  'both6.test': ['2606:4700::1111', 'fd00::1'],
}

t.test('addresses are public or not by the registries', (t) => {
  const written = [
    'localhost',
    '',
    '127.1',
    '8.8.8',
    '1.2.3.4/8',
    '2606:4700::1111%eth0',
    ...PRIVATE_4.split(' '),
    ...PRIVATE_6.split(' '),
  ]
  for (const address of written) t.notOk(isPublicAddress(address), address)
  const edges = ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0']
  edges.push('169.253.255.255', '172.15.255.255', '172.32.0.1', '192.0.1.1', '198.17.255.255', '198.20.0.0', '223.255.255.255')
  for (const address of [...edges, '8.8.8.8', '2606:4700::1111', '2001:4860:4860::8888', '2a00::1'])
    t.ok(isPublicAddress(address), address)
  t.end()
})

/** Answers name look-ups from a table for the time of a test: no name is asked for on a network. Returns the names that were. */
function namesFrom(t: Test, addressesOf: (name: string, nth: number) => readonly string[]): string[] {
  const [before, asked]: [typeof dns.lookup, string[]] = [dns.lookup, []]
  const lookup = (name: string, _: unknown, callback: (error: Error | null, found: LookupAddress[]) => void) => {
    const found = addressesOf(name, asked.push(name))
    if (found.length === 0) return callback(new Error(`getaddrinfo ENOTFOUND ${name}`), [])
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  Object.assign(dns, { lookup })
  syncBuiltinESMExports()
  t.teardown(() => {
    Object.assign(dns, { lookup: before })
    syncBuiltinESMExports()
  })
  return asked
}

/** A server on this machine, by IPv4 and IPv6 where there is one, that counts its connections. */
async function counting(
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

const send = (url: string, isAllowed: Allowing = isPublicAddress) =>
  guardedRequest({ url: new URL(url), isAllowed, signal: AbortSignal.timeout(10_000), patience: 5_000 })

t.test('no connection is made to an address that is not public, by whatever name', async (t) => {
  const { port, connections } = await counting(t)
  namesFrom(t, (name) => NAMES[name] ?? ['127.0.0.1'])
  const hosts = [
    ...PRIVATE_4.split(' '),
    ...PRIVATE_6.split(' ').map((address) => `[${address}]`),
    ...WRITTEN.split(' '),
    ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'unknown.test', ...Object.keys(NAMES)],
  ]
  t.ok(hosts.length >= 60)
  for (const host of hosts) t.match(await send(`http://${host}:${port}/`), { reason: /private/ }, host)
  for (const url of ['ftp://example.org/', 'file:///etc/passwd', 'gopher://127.0.0.1/', 'data:,x'])
    t.match(await send(url), { reason: /http/ }, url)
  for (const url of ['http://a@example.org/', 'https://:b@example.org/', 'http://example.org:80@127.0.0.1/'])
    t.match(await send(url), { reason: /password|private/ }, url)
  t.equal(connections(), 0)
})

t.test('the connection goes to the address that was looked at', async (t) => {
  const { port, connections, requests } = await counting(t)
  const asked = namesFrom(t, (_, nth) => (nth === 1 ? ['127.0.0.1'] : ['127.0.0.9']))
  const answer = await send(`http://turns.test:${port}/away`, (address) => address === '127.0.0.1')
  if ('reason' in answer) return t.fail(answer.reason)
  t.equal(answer.statusCode, 302, 'a redirect is an answer, and not followed')
  answer.destroy()
  t.strictSame([asked, connections(), requests[0]?.headers.host], [['turns.test'], 1, `turns.test:${port}`])
  t.match(await send(`http://turns.test:${port}/`, (address) => address === '127.0.0.1'), { reason: /private/ })
  t.equal(connections(), 1)
})

t.test('a name that is not known, and a host that says nothing, are failures of the network', async (t) => {
  const silent = createServer()
  silent.on('request', () => undefined)
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const url = new URL(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`)
  const asked = { url, isAllowed: () => true, signal: AbortSignal.timeout(10_000), patience: 50 }
  await t.rejects(guardedRequest(asked), /too long/)
  namesFrom(t, () => [])
  await t.rejects(send('http://nowhere.test/'), /ENOTFOUND/)
})
