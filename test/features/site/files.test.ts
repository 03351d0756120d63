import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { parseKey } from '#core/key.ts'
import { rangeIn } from '#http/requests/ranges.ts'
import { TestApp } from '#support/app.ts'
import { longTest } from '#support/long.ts'
import { eachStore, openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const page = (title: string, more = '', body = '') => `---\ntitle: ${title}\n${more}---\n${body}\n`

const types = plainTypes({ posts: { permalink: '/blog/{slug}' }, authors: { permalink: null } })

const LARGE = randomBytes(300_000)

const FILES = {
  'content/index.md': page('Home', '', '![](home.png)'),
  'content/about.md': page('About'),
  'content/posts/trip/index.md': page('Trip', 'slug: journey\n'),
  'content/posts/trip/day/index.md': page('A day', 'slug: day\n'),
  'content/posts/plain.md': page('Plain'),
  'content/posts/draft/index.md': page('Draft', 'draft: true\n'),
  'content/posts/later/index.md': page('Later', 'published_at: 2026-02-01T00:00:00Z\n'),
  'content/posts/over/index.md': page('Over', 'expires_at: 2026-01-01T00:00:00Z\n'),
  'content/posts/broken/index.md': '---\ntitle: [\n---\n',
  'content/posts/headless/index.md': page('None', 'permalink: false\n'),
  'content/posts/section/_index.md': page('Section', 'draft: true\n'),
  'content/authors/ada.yaml': 'name: Ada\n',
  'content/notes/deep/old/index.md': page('Old', 'permalink: /old.html\n'),
  'content/shop/index.md': page('Shop'),
}

const BESIDE = {
  'content/home.png': 'home',
  'content/about.pdf': 'about',
  'content/posts/trip/cat.jpg': 'cat of the trip',
  'content/posts/trip/pics/a b é.JPG': 'with spaces',
  'content/posts/trip/large.mp4': LARGE,
  'content/posts/trip/code.zip': 'no type of media',
  'content/posts/trip/drawing.svg': '<svg onload="alert(1)"/>',
  'content/posts/trip/day/cat.jpg': 'cat of the day',
  'content/posts/cat.jpg': 'cat of the type',
  'content/posts/2026/cat.jpg': 'cat of the year',
  'content/posts/draft/cat.jpg': 'secret',
  'content/posts/draft/below/cat.jpg': 'secret',
  'content/posts/later/cat.jpg': 'secret',
  'content/posts/over/cat.jpg': 'secret',
  'content/posts/broken/cat.jpg': 'secret',
  'content/posts/headless/cat.jpg': 'secret',
  'content/posts/section/cat.jpg': 'shared',
  'content/authors/ada.jpg': 'of a type without pages',
  'content/notes/deep/old/x.txt': 'beside a page that is a file',
  'content/images/logo.png': 'of no record at all',
  'content/shop/x.png': 'of the index of a type',
  'content/media/2026/photo.jpg': 'a medium',
  'content/menus/x.jpg': 'of the system',
  'content/blog/journey/cat.jpg': 'of a type called blog',
  'static/cat.jpg': 'static',
  'static/home.png': 'never seen',
  'static/about': 'never seen',
  'static/blog/journey/static.jpg': 'static, below a record',
  'static/data.json': '{}',
  'static/demo/index.html': '<script>1</script>',
  'static/feed.rss': '<rss/>',
  'static/file.unknown': '?',
  'static/file.constructor': '?',
  'static/robots.txt': 'User-agent: mine\n',
}

const SEEN: readonly [address: string, text: string, type: string][] = [
  ['/home.png', 'home', 'image/png'],
  ['/about.pdf', 'about', 'application/pdf'],
  ['/blog/journey/cat.jpg', 'cat of the trip', 'image/jpeg'],
  ['/blog/journey/pics/a%20b%20%C3%A9.JPG', 'with spaces', 'image/jpeg'],
  ['/blog/journey/drawing.svg', '<svg onload="alert(1)"/>', 'image/svg+xml'],
  ['/blog/day/cat.jpg', 'cat of the day', 'image/jpeg'],
  ['/posts/cat.jpg', 'cat of the type', 'image/jpeg'],
  ['/posts/2026/cat.jpg', 'cat of the year', 'image/jpeg'],
  ['/posts/section/cat.jpg', 'shared', 'image/jpeg'],
  ['/old/x.txt', 'beside a page that is a file', 'text/plain; charset=utf-8'],
  ['/images/logo.png', 'of no record at all', 'image/png'],
  ['/shop/x.png', 'of the index of a type', 'image/png'],
  ['/cat.jpg', 'static', 'image/jpeg'],
  ['/blog/journey/static.jpg', 'static, below a record', 'image/jpeg'],
  ['/data.json', '{}', 'application/json; charset=utf-8'],
  ['/demo/index.html', '<script>1</script>', 'text/html; charset=utf-8'],
  ['/feed.rss', '<rss/>', 'application/rss+xml'],
  ['/file.unknown', '?', 'application/octet-stream'],
  ['/file.constructor', '?', 'application/octet-stream'],
]

const UNSEEN = [
  ...['draft', 'later', 'over', 'broken', 'headless'].flatMap((name) => [`/posts/${name}/cat.jpg`, `/blog/${name}/cat.jpg`]),
  ...[
    '/posts/draft/below/cat.jpg',
    '/blog/draft/below/cat.jpg',
    '/posts/trip/cat.jpg',
    '/blog/journey/day/cat.jpg',
    '/posts/trip/day/cat.jpg',
  ],
  ...[
    '/blog/journey/code.zip',
    '/authors/ada.jpg',
    '/media/2026/photo.jpg',
    '/menus/x.jpg',
    '/shop/index/x.png',
    '/blog/journey/index.md',
  ],
  ...[
    '/Cat.jpg',
    '/CAT.JPG',
    '/blog/journey/Cat.jpg',
    '/blog/journey/pics/a%20b%20%C3%A9.jpg',
    '/content/home.png',
    '/static/cat.jpg',
  ],
  ...[
    '/..%2fcms.config.yaml',
    '/%2e%2e/cms.config.yaml',
    '/cat.jpg%00',
    '/cat.jpg%2f',
    '/blog/journey/..%2f..%2fcat.jpg',
    '/.git/config',
    '/%zz.jpg',
  ],
  ...['/blog//%2e/x.jpg', '/old.html/x.txt', '/demo/', `/${'a/'.repeat(900)}x.jpg`, `/${'x'.repeat(3000)}.jpg`].filter(
    (path) => path !== '/demo/',
  ),
]

const config = { features: { site: true, sitemap: true, taxonomy: true, api: true } }

longTest('files are answered at their addresses, and at no others', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types, now: '2026-01-15T00:00:00Z' }, async (t, opened) => {
    const app = new TestApp(opened, { config })
    t.teardown(() => app.close())
    for (const [address, text, type] of SEEN) {
      const answer = await app.bare(`GET ${address}`)
      t.match(
        answer,
        { status: 200, text, headers: { 'content-type': type, 'x-content-type-options': 'nosniff', etag: /^"[0-9a-f]{40}"$/ } },
        address,
      )
      const again = await app.bare(`GET ${address}`, { headers: { 'if-none-match': String(answer.headers.etag) } })
      t.match(again, { status: 304, text: '', headers: { etag: answer.headers.etag } }, `${address}, again`)
      const head = await app.bare(`HEAD ${address}`)
      t.match(head, {
        status: 200,
        text: '',
        headers: { 'content-length': String(Buffer.byteLength(text)), etag: answer.headers.etag },
      })
    }
    for (const address of UNSEEN) {
      const answer = await app.bare(`GET ${address}`)
      t.ok([400, 404].includes(answer.status), `${address}: ${answer.status}`)
      t.notMatch(answer.text, /^secret$|never seen/)
    }
    for (const [from, to] of [
      ['/cat.jpg/', '/cat.jpg'],
      ['//blog//journey/cat.jpg?x=1', '/blog/journey/cat.jpg?x=1'],
      ['/demo', '/demo/index.html'],
      ['/demo/', '/demo/index.html'],
    ] as const) {
      t.match(await app.bare(`GET ${from}`), { status: 308, headers: { location: to } }, from)
    }
    t.match((await app.bare('GET /about')).text, /<title>About/, 'a page wins')
    t.match((await app.bare('GET /robots.txt')).text, /^User-agent: mine/, 'rules of its own win over those of Quire')
    t.equal((await app.bare('POST /cat.jpg')).status, 405)
  }),
)

longTest('files follow their record when it goes live and when it ends', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types, now: '2026-01-15T00:00:00Z' }, async (t, opened) => {
    const app = new TestApp(opened, { config })
    t.teardown(() => app.close())
    const status = async (path: string) => (await app.bare(`GET ${path}`)).status
    t.equal(await status('/blog/later/cat.jpg'), 404)
    opened.clock.set('2026-02-02T00:00:00Z')
    t.equal(await status('/blog/later/cat.jpg'), 200)
    await app.ask('PUT /api/cms/posts/later', { body: { status: 'draft' } })
    t.equal(await status('/blog/later/cat.jpg'), 404)
    await app.ask('PUT /api/cms/posts/draft', { body: { status: 'published' } })
    t.equal(await status('/blog/draft/cat.jpg'), 200)
    await app.ask('PUT /api/cms/posts/trip?redirect=false', { body: { slug: 'voyage' } })
    t.same([await status('/blog/journey/drawing.svg'), await status('/blog/voyage/drawing.svg')], [404, 200])
    await app.ask('DELETE /api/cms/posts/trip')
    t.equal(await status('/blog/voyage/drawing.svg'), 404)
  }),
)

t.test('what a browser might run is kept from acting for the site', async (t) => {
  const opened = await openFiles({ files: FILES, beside: BESIDE, types, now: '2026-01-15T00:00:00Z' })
  t.teardown(() => opened.close())
  const app = new TestApp(opened, { config })
  t.teardown(() => app.close())
  const policy = async (path: string) => (await app.bare(`GET ${path}`)).headers['content-security-policy']
  t.equal(await policy('/demo/index.html'), 'sandbox allow-scripts allow-forms allow-popups')
  t.match(await policy('/blog/journey/drawing.svg'), /^default-src 'none'; .*; sandbox$/)
  t.match(await policy('/feed.rss'), /sandbox$/)
  t.equal(await policy('/cat.jpg'), undefined)
})

t.test('a part of a file is answered', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types, now: '2026-01-15T00:00:00Z' }, async (t, opened) => {
    const app = new TestApp(opened, { config })
    t.teardown(() => app.close())
    const url = '/blog/journey/large.mp4'
    const ask = (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') => app.app.inject({ method, url, headers })
    const whole = await ask({})
    t.ok(whole.rawPayload.equals(LARGE))
    t.match(whole.headers, { 'accept-ranges': 'bytes', 'content-length': '300000', 'content-type': 'video/mp4' })
    const part = await ask({ range: 'bytes=100-199' })
    t.equal(part.statusCode, 206)
    t.match(part.headers, { 'content-range': 'bytes 100-199/300000', 'content-length': '100', etag: whole.headers.etag })
    t.ok(part.rawPayload.equals(LARGE.subarray(100, 200)))
    t.ok((await ask({ range: 'bytes=-5' })).rawPayload.equals(LARGE.subarray(-5)))
    t.ok((await ask({ range: 'bytes=299990-' })).rawPayload.equals(LARGE.subarray(299_990)))
    t.match(await ask({ range: 'bytes=300000-' }), { statusCode: 416, headers: { 'content-range': 'bytes */300000' } })
    t.equal((await ask({ range: 'bytes=0-1,5-6' })).statusCode, 200, 'several parts are not')
    t.equal((await ask({ range: 'bytes=0-1', 'if-range': '"other"' })).statusCode, 200)
    t.equal((await ask({ range: 'bytes=0-1', 'if-range': String(whole.headers.etag) })).statusCode, 206)
    t.equal((await ask({ range: 'bytes=0-1', 'if-none-match': String(whole.headers.etag) })).statusCode, 304)
    t.match(await ask({ range: 'bytes=0-1' }, 'HEAD'), { statusCode: 200, headers: { 'content-length': '300000' }, body: '' })
  }),
)

t.test('ranges are read as RFC 9110 says', async (t) => {
  const cases: [string | undefined, unknown][] = [
    [undefined, undefined],
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=5-', { start: 5, end: 10 }],
    ['bytes=5-99', { start: 5, end: 10 }],
    ['bytes=-3', { start: 7, end: 10 }],
    ['bytes=-99', { start: 0, end: 10 }],
    ...['bytes=10-', 'bytes=10-11', 'bytes=-0', 'bytes=-00'].map((text): [string, unknown] => [text, 'none']),
    ...['bytes=-', 'bytes=5-2', 'bytes=a-b', 'items=0-1', 'bytes=0-1, 3-4', `bytes=0-${'9'.repeat(30)}`, 'bytes 0-1'].map(
      (text): [string, unknown] => [text, undefined],
    ),
  ]
  for (const [text, range] of cases) t.same(rangeIn(text, 10), range, text ?? 'none')
  t.equal(rangeIn('bytes=-3', 0), 'none')
})

t.test('a file that is written to while it is sent breaks off: its end never comes from other bytes', async (t) => {
  const size = 40_000_000
  const opened = await openFiles({ files: FILES, beside: { ...BESIDE, 'static/large.bin': Buffer.alloc(size, 'a') }, types })
  t.teardown(() => opened.close())
  const app = new TestApp(opened, { config })
  t.teardown(() => app.close())
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /large.bin HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'))
  socket.once('data', () => {
    socket.pause()
    writeFileSync(opened.site.path('static/large.bin'), Buffer.alloc(size, 'b'))
    socket.resume()
  })
  const bytes = await buffer(socket).catch(() => Buffer.alloc(0))
  const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)
  t.ok(body.length < size, 'it is cut')
  t.equal(body.indexOf('b'), -1)
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2))
}

t.test('an author may make a folder of a record while the server runs', async (t) => {
  const opened = await openFiles({ files: { 'content/posts/trip.md': page('Trip', '', '![](cat.jpg)') }, types, watch: true })
  t.teardown(() => opened.close())
  const app = new TestApp(opened, { config })
  t.teardown(() => app.close())
  t.match((await app.bare('GET /blog/trip')).text, 'src="/posts/cat.jpg"')
  const { site, store } = opened
  const { renameSync, mkdirSync } = await import('node:fs')
  mkdirSync(site.path('content/posts/trip'))
  renameSync(site.path('content/posts/trip.md'), site.path('content/posts/trip/index.md'))
  site.write('content/posts/trip/cat.jpg', 'cat')
  const key = parseKey('posts', 'trip')
  await until(async () => (key && (await store.head(key)))?.hasFolder === true)
  t.match(key && (await store.head(key)), { hasFolder: true })
  t.match((await app.bare('GET /blog/trip')).text, 'src="/blog/trip/cat.jpg"')
  t.equal((await app.bare('GET /blog/trip/cat.jpg')).status, 200)
})
