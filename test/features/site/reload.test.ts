import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { siteRoutes } from '#features/site/routes.ts'
import { PageStates } from '#features/site/serving/page-state.ts'
import { PageWatch } from '#features/site/serving/page-watch.ts'
import { sendTagged } from '#http/answers/answers.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore, type OpenedStore, openMemory } from '#support/stores.ts'

const { author: by } = localAccess({ name: 'Test', email: 'test@example.org' })
const FILES = {
  'content/about.md': '---\ntitle: About\n---\nText\n',
  'content/posts/a.md': '---\ntitle: A\ndate: 2026-01-01\n---\n',
  'content/posts/later.md': '---\ntitle: Later\ndate: 2026-06-02\n---\n',
}
const SCRIPT = /<script src="\/\.well-known\/quire\/reload\.js" data-state="[\w-]+"><\/script>/
const EVENTS = '/.well-known/quire/reload'

async function served(t: Test, opened: OpenedStore, isLocal = true, files: Readonly<Record<string, string>> = {}) {
  const made = publicSite(t, opened, false, { files })
  const app = Fastify()
  t.teardown(() => app.close())
  const local = isLocal ? { root: made.folder.root } : undefined
  await app.register(siteRoutes, {
    site: made.site,
    local,
    log: () => undefined,
    isPanelHost: () => false,
    isNearOnly: false,
    send: sendTagged,
  })
  return { ...made, app }
}

t.test('on a local server one script stands before the end of the body, and all else is the same bytes', (t) =>
  eachStore(t, { files: FILES, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const { app, html } = await served(t, opened)
    for (const path of ['/', '/about', '/posts/a', '/nothing']) {
      const { body, headers } = await app.inject({ url: path, headers: { host: 'localhost:3000' } })
      t.match(body, new RegExp(`${SCRIPT.source}</body>`), path)
      t.equal(body.replace(SCRIPT, ''), await html(path), path)
      if (path === '/nothing') continue
      const known = { host: 'localhost:3000', 'if-none-match': String(headers.etag) }
      t.equal((await app.inject({ url: path, headers: known })).statusCode, 304)
      const elsewhere = await app.inject({ url: path, headers: { ...known, host: 'example.org' } })
      t.match(elsewhere, { statusCode: 200, body: await html(path) }, 'another host has a page, and an ETag, of its own')
    }
    for (const path of ['/feed.xml', '/robots.txt', '/sitemap.xml'])
      t.equal((await app.inject({ url: path, headers: { host: 'localhost' } })).body, await html(path))
    t.match(await app.inject({ url: '/.well-known/quire/reload.js', headers: { host: 'localhost' } }), {
      statusCode: 200,
      headers: { 'content-type': /^text\/javascript/ },
    })
  }),
)

t.test('nobody else gets the script, or is told of changes', async (t) => {
  const opened = await openMemory({ files: FILES, now: '2026-06-01T00:00:00.000Z' })
  const { app } = await served(t, opened)
  const others = [
    { host: 'example.org' },
    { host: 'localhost', 'x-forwarded-for': '192.0.2.1' },
    { host: 'localhost', via: '1.1 x' },
  ]
  for (const headers of others) {
    t.notMatch((await app.inject({ url: '/about', headers })).body, /<script[^>]*reload/)
    for (const url of [`${EVENTS}?page=/about&state=x`, `${EVENTS}.js`])
      t.equal((await app.inject({ url, headers })).statusCode, 404)
  }
  const foreign = { host: 'localhost', origin: 'https://example.org', 'sec-fetch-site': 'cross-site' }
  t.equal((await app.inject({ url: `${EVENTS}?page=/about&state=x`, headers: foreign })).statusCode, 404)
  const { app: open } = await served(t, opened, false)
  const near = { host: 'localhost' }
  t.notMatch((await open.inject({ url: '/about', headers: near })).body, /<script[^>]*reload/)
  t.equal((await open.inject({ url: `${EVENTS}?page=/about&state=x`, headers: near })).statusCode, 404)
})

t.test('a state is another when something that the page shows is, and only then', (t) =>
  eachStore(t, { files: FILES, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const { site, folder } = publicSite(t, opened, false, {
      files: {
        'templates/site/page.liquid':
          '<p>{{ record.title }}{{ site.data.a.b }}<link rel="stylesheet" href="{{ "theme.css" | asset }}"></p>',
      },
    })
    const states = new PageStates(site)
    const changes = async (work: () => unknown, paths: Readonly<Record<string, boolean>>, name: string) => {
      const before = await Promise.all(Object.keys(paths).map((path) => states.at(path)))
      await work()
      opened.clock.advance(2000)
      const after = await Promise.all(Object.keys(paths).map((path) => states.at(path)))
      const differ = Object.keys(paths).map((path, n) => [path, before[n] !== after[n]])
      t.same(Object.fromEntries(differ), paths, name)
    }
    const write = (kind: string, id: string, set: Record<string, string>) =>
      opened.store.write([{ key: keyOf(kind, id), put: { set } }], by)
    await changes(() => undefined, { '/': false, '/about': false, '/posts/a': false, '/posts/later': false }, 'nothing')
    await changes(
      () =>
        folder.write(
          'templates/site/page.liquid',
          '<b>{{ record.title }}{{ site.data.a.b }}</b><link href="{{ "theme.css" | asset }}">',
        ),
      { '/about': true, '/posts/a': false },
      'a template',
    )
    await changes(() => folder.write('data/a.yaml', 'b: 1\n'), { '/about': true, '/posts/a': false }, 'data')
    await changes(
      () => folder.write('templates/site/assets/theme.css', 'p { color: red }'),
      { '/about': true, '/posts/a': true },
      'a style sheet',
    )
    await changes(
      () => folder.write('templates/site/words/en.yaml', 'skip: Jump\n'),
      { '/about': false, '/posts/a': true },
      'words',
    )
    await changes(
      () => folder.write('templates/site/page.liquid', '{{ a | nope }}'),
      { '/about': true, '/posts/a': false },
      'a fault',
    )
    await changes(() => folder.write('templates/site/page.liquid', '{{ a | nix }}'), { '/about': true }, 'another fault')
    await changes(() => folder.write('templates/site/page.liquid', 'mended'), { '/about': true }, 'it is mended')
    await changes(() => write('posts', 'a', { title: 'B' }), { '/posts/a': true, '/about': false }, 'a record')
    await changes(() => opened.clock.advance(24 * 3600_000), { '/posts/later': true, '/about': false }, 'a record that is due')
    await changes(
      () => write('posts', 'new', { title: 'New', status: 'published' }),
      { '/posts/new': true, '/posts': true },
      'a record that was missing',
    )
  }),
)

t.test('those who wait are told once, are few, and cost nothing while there are none', async (t) => {
  let state: string | undefined = 'one'
  let asked = 0
  const watch = new PageWatch(async () => {
    asked++
    return state
  })
  t.teardown(() => watch.close())
  await watch.look()
  t.equal(asked, 0)
  const told: string[] = []
  const ends = ['a', 'b'].map((name) => watch.add('/', 'one', () => told.push(name)))
  await watch.look()
  t.same([told, asked], [[], 1], 'a page is looked at once for all')
  state = undefined
  await watch.look()
  t.same(told, [], 'what can’t be said is no change')
  state = 'two'
  ends[0]?.()
  await watch.look()
  await watch.look()
  t.same(told, ['b'])
  for (let n = 0; n < 32; n++) t.ok(watch.add(`/${n}`, 'two', () => undefined))
  t.equal(
    watch.add('/more', 'two', () => undefined),
    undefined,
  )
})

t.test('a browser is told over one connection, which ends with the server', async (t) => {
  const opened = await openMemory({ files: FILES, now: '2026-06-01T00:00:00.000Z' })
  const { app, folder } = await served(t, opened, true, { 'templates/site/page.liquid': 'one' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const { body } = await app.inject({ url: '/about', headers: { host: 'localhost' } })
  const [, state = ''] = /data-state="([^"]+)"/.exec(body) ?? []
  const listen = (query: string) =>
    new Promise<{ text: string; headers: unknown }>((resolve) => {
      get(
        `http://127.0.0.1:${port}${EVENTS}?${query}`,
        { headers: { origin: 'null', 'sec-fetch-site': 'cross-site' } },
        (answer) => {
          let text = ''
          answer.on('data', (part: Buffer) => {
            text += part
            if (text.includes('event:')) answer.destroy()
          })
          answer.on('close', () => resolve({ text, headers: answer.headers }))
        },
      )
    })
  const first = listen(`page=/about&state=${state}`)
  folder.write('templates/site/page.liquid', 'two')
  opened.clock.advance(2000)
  const { text, headers } = await first
  t.equal(text, 'retry: 1000\n\nevent: reload\ndata:\n\n')
  t.match(headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'access-control-allow-origin': 'null' })
  t.match((await listen('page=/about&state=old')).text, /event: reload/, 'who has an old page is told at once')
  const now = /data-state="([^"]+)"/.exec((await app.inject({ url: '/about', headers: { host: 'localhost' } })).body)?.[1]
  const last = listen(`page=/about&state=${now}`)
  await new Promise((resolve) => app.server.once('request', resolve))
  await app.close()
  t.equal((await last).text, 'retry: 1000\n\n')
})
