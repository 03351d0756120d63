import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { type Fetcher, Fetching, placeOfFetched } from '#features/importing/fetching.ts'
import { fetcherTo, publicFetcher } from '#features/importing/public-fetcher.ts'
import { exportOf, importInto, PIXEL } from '#support/importing.ts'
import { eachStore } from '#support/stores.ts'

const never = new AbortController().signal

async function served(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/to-self') response.writeHead(302, { location: '/to-self' }).end()
    else if (request.url === '/inside') response.writeHead(302, { location: 'http://127.0.0.2/x.png' }).end()
    else if (request.url === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    else if (request.url === '/to-sea') response.writeHead(301, { location: '/sea.png' }).end()
    else if (request.url === '/sea.png') response.end(PIXEL)
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('nothing is fetched from this machine, its network, or by way of it', async (t) => {
  const origin = await served(t)
  const { port } = new URL(origin)
  const get = (url: string, fetcher: Fetcher = publicFetcher) => fetcher(new URL(url), never)
  t.match(await get(`${origin}/sea.png`), { reason: /private/ })
  t.match(await get(`http://localhost:${port}/sea.png`), { reason: /private/ })
  t.match(await get(`http://[::1]:${port}/sea.png`), { reason: /private/ })
  t.match(await get(`http://2130706433:${port}/sea.png`), { reason: /private/ }, 'a number is an address, too')
  t.match(await get('ftp://example.org/x.png'), { reason: /http/ })
  t.match(await get('https://a:b@example.org/x.png'), { reason: /password/ })
  const here = fetcherTo((address) => address === '127.0.0.1')
  t.match(await get(`${origin}/inside`, here), { reason: /private/ }, 'a redirect is looked at as the first address is')
  t.match(await get(`${origin}/file`, here), { reason: /http/ })
  t.match(await get(`${origin}/to-self`, here), { reason: /redirects/ })
  t.match(await get(`${origin}/none`, here), { reason: 'the answer is 404' })
  const found = await get(`${origin}/to-sea`, here)
  if ('reason' in found) return t.fail(found.reason)
  const pieces: Uint8Array[] = []
  for await (const piece of found) pieces.push(piece)
  t.ok(Buffer.concat(pieces).equals(PIXEL))
})

t.test('pictures elsewhere come only where that is asked for, each once, and stay', async (t) => {
  const url = 'https://cdn.example.org/2020/sea.png?w=1'
  const folder = exportOf(t, {
    'posts/a.md': `![](${url}) ![](${url}) [a link](https://example.org/other.png)\n`,
    'posts/b.md': '![](https://cdn.example.org/huge.png) ![](https://cdn.example.org/page)\n',
  })
  await eachStore(t, { history: true }, async (t, opened) => {
    const asked: string[] = []
    const fetcher: Fetcher = async ({ href }) => {
      asked.push(href)
      return (async function* () {
        yield href.includes('huge') ? Buffer.alloc(2 * 1024 * 1024) : PIXEL
      })()
    }
    const text = async () => (await opened.store.get(keyOf('posts', 'a')))?.body
    const fetching = () => new Fetching(fetcher, 1024 * 1024, never)
    t.match(await importInto(opened, 'markdown', folder), { left_out: [{ reason: /--fetch/, first: [url] }] })
    t.match(await text(), url)
    await importInto(opened, 'markdown', folder, { dryRun: true, fetching: fetching() })
    t.strictSame(asked, [])
    const one = fetching()
    const report = await importInto(opened, 'markdown', folder, { fetching: one })
    await one.close()
    t.strictSame(asked, [url, 'https://cdn.example.org/huge.png'])
    t.match(report, { records: { posts: { updated: 1, same: 1 } }, media: { created: 1 } })
    t.match(report.left_out.map(({ reason }) => reason).join('\n'), /larger than media[\s\S]*no ending of a picture/)
    const to = placeOfFetched(url) ?? ''
    t.match(await text(), `![](/media/${to}) ![](/media/${to}) [a link](https://example.org/other.png)`)
    t.match(await importInto(opened, 'markdown', folder), { records: { posts: { updated: 0, same: 2 } } })
    t.equal(asked.length, 2, 'what is here is not fetched again')
  })
})
