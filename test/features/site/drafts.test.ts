import t, { type Test } from 'tap'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const FILES = {
  'content/posts/live.md': '---\ntitle: Live\ndate: 2026-01-01\ntags: [one]\n---\n',
  'content/posts/draft.md': '---\ntitle: Secret draft\ndraft: true\ntags: [secret-term]\n---\n',
  'content/posts/later.md': '---\ntitle: Secret later\ndate: 2027-01-01\n---\n',
  'content/posts/over.md': '---\ntitle: Over\ndate: 2026-01-01\nexpires_at: 2026-02-01\n---\n',
  'content/posts/old.md': '---\ntitle: Old\nstatus: archived\n---\n',
}
const NEAR = { host: '127.0.0.1:3000' }
const PATHS = [
  '/',
  '/posts',
  '/posts/draft',
  '/posts/later',
  '/tags/secret-term',
  '/feed.xml',
  '/sitemap.xml',
  '/search/index.json',
]

async function appOf(t: Test, opened: OpenedStore, withDrafts: boolean) {
  const config = { features: { site: true, sitemap: true, search: true, taxonomy: true } }
  const app = new TestApp(opened, { config, deps: { withDrafts, isLocal: true } })
  t.teardown(() => app.close())
  return app
}

t.test('with drafts a server shows what is not live, to browsers on its machine and to nobody else', (t) =>
  eachStore(t, { files: FILES, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const app = await appOf(t, opened, true)
    for (const path of ['/posts/draft', '/posts/later'])
      t.match(await app.bare(`GET ${path}`, { headers: NEAR }), { status: 200, text: /Secret/ })
    t.match(
      (await app.bare('GET /posts', { headers: NEAR })).text,
      /Secret draft[\s\S]*Secret later|Secret later[\s\S]*Secret draft/,
    )
    for (const path of ['/posts/over', '/posts/old'])
      t.equal((await app.bare(`GET ${path}`, { headers: NEAR })).status, 404, path)
    const others: Record<string, string>[] = [
      { host: 'example.org' },
      { ...NEAR, 'x-forwarded-for': '192.0.2.1' },
      { host: '127.0.0.1.example.org' },
    ]
    for (const headers of others)
      for (const path of PATHS) {
        const { status, text } = await app.bare(`GET ${path}`, { headers })
        t.equal(status, 403, `${headers.host} ${path}`)
        t.notMatch(text, /secret/i)
      }
    for (const path of PATHS) t.equal((await app.bare(`GET ${path}`, { headers: NEAR, from: '192.0.2.1' })).status, 403, path)
  }),
)

t.test('without drafts nothing shows what is not live', (t) =>
  eachStore(t, { files: FILES, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const app = await appOf(t, opened, false)
    for (const path of PATHS) {
      const { status, text } = await app.bare(`GET ${path}`, { headers: NEAR })
      t.ok(status === 200 || status === 404, path)
      t.notMatch(text, /Secret|secret-term"/, path)
    }
  }),
)
