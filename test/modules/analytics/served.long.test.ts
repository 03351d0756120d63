import t, { type Test } from 'tap'
import { SHIPPED } from '#modules/shipped.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

const FILES = { 'content/posts/a.md': '# A\n', 'content/posts/b.md': '# B\n' }

const UNCOUNTED: readonly [url: string, headers?: Record<string, string>, method?: 'HEAD'][] = [
  ['/posts/b', {}, 'HEAD'],
  ['/posts/b', { 'sec-purpose': 'prefetch' }],
  ['/posts/b', { dnt: '1' }],
  ['/posts/b', { 'sec-gpc': '1' }],
  ['/posts/b', { 'user-agent': 'Googlebot/2.1' }],
  ['/posts/b', { cookie: 'cms_session=abc' }],
  ['/made-up'],
  ['/sitemap.xml'],
  ['/feed.xml'],
  ['/api/cms/posts'],
]

async function open(t: Test, opened: OpenedStore): Promise<TestApp> {
  const shipped = SHIPPED.find(({ name }) => name === 'analytics')
  if (!shipped) throw new Error('It does not ship.')
  const { name, description, permissions, load } = shipped
  const module = { ...{ name, description, permissions, version: '1.0.0', folder: undefined }, definition: await load() }
  const app = new TestApp(opened, {
    config: { features: { api: true, site: true, analytics: true }, analytics: { days: 365, ignore: ['/blog/hidden'] } },
    undescribed: /^\/api\/analytics/,
    deps: { modules: { on: [module], off: [] } },
  })
  t.teardown(() => app.close())
  return app
}

t.test('pages of a server are counted as they are answered', (t) =>
  eachStore(t, { files: FILES, now: '2026-11-28T12:00:00.000Z' }, async (t, opened) => {
    const app = await open(t, opened)
    const address = await app.app.listen({ port: 0, host: '127.0.0.1' })
    const get = async (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') => {
      const answer = await fetch(address + path, { method, headers: { ...BROWSER, ...headers } })
      await answer.text()
      return answer
    }
    const first = await get('/posts/a')
    t.equal(first.status, 200)
    const again = await get('/posts/a', { 'if-none-match': String(first.headers.get('etag')), referer: 'https://news.example/' })
    t.equal(again.status, 304)
    t.equal(first.headers.get('set-cookie'), null)
    for (const [url, headers, method] of UNCOUNTED) await get(url, headers, method)
    const { status, body } = await app.ask('GET /api/analytics?days=1', { as: 'settings:write' })
    t.equal(status, 200)
    t.strictSame(body, {
      data: {
        days: [{ date: '2026-11-28', views: 2, visitors: 1 }],
        pages: [{ path: '/posts/a', views: 2, visitors: 1 }],
        referrers: [{ host: 'news.example', views: 1 }],
      },
    })
  }),
)

t.test('figures are for who may change settings', (t) =>
  eachStore(t, { files: FILES }, async (t, opened) => {
    const app = await open(t, opened)
    t.equal((await app.bare('GET /api/analytics')).status, 401)
    t.equal((await app.ask('GET /api/analytics', { as: 'content:read' })).status, 403)
    const asked = (query: string, headers = {}) => app.ask(`GET /api/analytics${query}`, { as: 'settings:write', headers })
    t.match(await asked('?dais=3'), { status: 400, body: { message: /days/ } })
    t.match(await asked('?days=x'), { status: 422, body: { errors: { days: [String] } } })
    t.match(await asked('?days=1', { accept: 'text/csv' }), {
      status: 200,
      headers: { 'content-type': 'text/csv; charset=utf-8', vary: /accept/i },
      text: /^table,name,views,visitors\r\n/,
    })
  }),
)
