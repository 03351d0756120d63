import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { type Allowing, guardedRequest } from '#lib/net/guarded-request.ts'
import { isPublicAddress } from '#lib/net/public-address.ts'
import { counting, NAMES, namesFrom, PRIVATE_4, PRIVATE_6, PRIVATE_HOSTS } from '#support/private-network.ts'

t.test('addresses are public or not by the registries', (t) => {
  const written = ['localhost', '', '127.1', '8.8.8', '1.2.3.4/8', '2606:4700::1111%eth0', ...PRIVATE_4, ...PRIVATE_6]
  for (const address of written) t.notOk(isPublicAddress(address), address)
  const edges = ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0']
  edges.push('169.253.255.255', '172.15.255.255', '172.32.0.1', '192.0.1.1', '198.17.255.255', '198.20.0.0', '223.255.255.255')
  for (const address of [...edges, '8.8.8.8', '2606:4700::1111', '2001:4860:4860::8888', '2a00::1'])
    t.ok(isPublicAddress(address), address)
  t.end()
})

const send = (url: string, isAllowed: Allowing = isPublicAddress) =>
  guardedRequest({ url: new URL(url), isAllowed, signal: AbortSignal.timeout(10_000), patience: 5_000 })

t.test('no connection is made to an address that is not public, by whatever name', async (t) => {
  const { port, connections } = await counting(t)
  namesFrom(t, (name) => NAMES[name] ?? ['127.0.0.1'])
  const hosts = PRIVATE_HOSTS
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
