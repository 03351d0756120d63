import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { FORMATS } from '#config/schema/media.ts'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { siteRoutes } from '#features/site/routes.ts'
import { Site } from '#features/site/site.ts'
import { sendTagged } from '#http/answers/answers.ts'
import { TestApp } from '#support/app.ts'
import { replaceIn } from '#support/builtins.ts'
import { git } from '#support/git.ts'
import { longTest } from '#support/long.ts'
import { makeSite } from '#support/sites.ts'
import { eachStore, firstDate, type OpenedStore, openFiles, openMemory } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const TEMPLATES = fileURLToPath(new URL('../../../templates/site/', import.meta.url))
const by = localAccess({ name: 'Test', email: 'test@example.org' }).author

function post(title: string, date: string, rest = ''): string {
  return `---\ntitle: ${title}\ndate: ${date}\n${rest}---\nThe text of ${title}.\n`
}

const FILES: Record<string, string> = {
  'content/index.md': '---\ntitle: Welcome\n---\nHello.\n',
  'content/about.md': '---\ntitle: About\naliases: [/who, /old/about]\n---\nSee [the first](posts/post-01.md).\n',
  'content/hidden.md': '---\ntitle: Hidden\nnoindex: true\n---\n',
  'content/posts/draft.md': '---\ntitle: Draft\ndraft: true\n---\n',
  'content/posts/later.md': post('Later', '2026-12-01'),
  'content/posts/over.md': post('Over', '2026-01-01', 'expires_at: 2026-02-01\n'),
  'content/posts/a-b.md': post('Named', '2025-01-01', 'tags: [News]\nauthor: ada\n'),
  'content/authors/ada.yaml': 'title: Ada\n',
  'content/taxonomy/tags/news.yaml': 'name: The news\ndescription: What is new.\n',
  'content/menus/main.yaml':
    'items:\n  - { label: Us, record: { type: pages, id: about } }\n  - { label: Bad, url: "javascript:alert(1)" }\n',
}
for (let n = 1; n <= 23; n++) {
  const id = String(n).padStart(2, '0')
  FILES[`content/posts/post-${id}.md`] = post(`Post ${id}`, `2026-03-${id}`, n <= 11 ? 'tags: [news]\n' : '')
}

function siteOf(
  t: Test,
  opened: OpenedStore,
  options: { root?: string; url?: string; taxonomy?: boolean; search?: boolean } = {},
) {
  const folder = makeSite()
  t.teardown(() => folder.remove())
  const root = options.root ?? folder.root
  const site = new Site({
    root,
    store: opened.store,
    siteFiles: opened.siteFiles,
    types: opened.types,
    clock: opened.clock,
    config: {
      site: {
        name: 'A & B',
        url: options.url ?? 'https://example.org',
        locale: 'en',
        timezone: 'UTC',
        content: 'content',
        templates: 'templates',
      },
      build: { base_url: null, drafts: false, future: false },
      features: { sitemap: true, taxonomy: options.taxonomy ?? true, search: options.search ?? true },
      media: { types: FORMATS },
    },
    templatesDir: TEMPLATES,
    ownTemplatesDir: join(root, 'templates', 'site'),
  })
  const html = async (path: string) => String((await site.page(path)).body)
  return { site, root, folder, html }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile() && name !== '.quire-build')
    .map((name) => name.replaceAll('\\', '/'))
    .sort()
}

/** Resolves with the error that a promise rejects with. */
function refusal(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'not refused',
    (error) => error,
  )
}

/** The address that a static host gives a file. */
function pathOf(file: string): string {
  return `/${file}`.replace(/\/index\.html$/, '') || '/'
}

t.test('authors are those of the type that the field points to, be it one or a list', (t) => {
  const to = { type: 'reference', to: 'people' } as const
  const types = plainTypes({
    one: { fields: { author: to } },
    several: { fields: { author: { ...to, multiple: true } } },
    listed: { fields: { author: { type: 'list', of: to } } },
  })
  const files = {
    'content/people/ada.yaml': 'title: Ada\n',
    'content/authors/ada.yaml': 'title: Somebody else\n',
    'content/one/a.md': '---\nauthor: ada\n---\n',
    'content/several/a.md': '---\nauthor: [ada]\n---\n',
    'content/listed/a.md': '---\nauthor: [ada]\n---\n',
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const { site } = siteOf(t, opened)
    for (const type of ['one', 'several', 'listed'])
      t.match(String((await site.page(`/${type}/a`)).body), 'people/ada">Ada<', type)
  })
})

t.test('addresses bear the days of the clocks of the site: in the API, on the site, in what is built and in the sitemap', (t) => {
  const types = plainTypes({ posts: { permalink: '/{year}/{month}/{day}/{slug}', path: '{year}/{slug}' } }, 'Europe/Berlin')
  const files = { 'content/posts/new-year.md': '---\ntitle: New year\ndate: 2020-01-01\n---\nHello\n' }
  return eachStore(t, { files, types, now: '2026-12-31T23:30:00.000Z' }, async (t, opened) => {
    const { site, root } = siteOf(t, opened)
    const app = new TestApp(opened)
    const { body } = await app.ask('GET /api/cms/posts/new-year')
    t.match(body.data, { published_at: '2019-12-31T23:00:00.000Z', url: '/2020/01/01/new-year' })
    t.equal((await site.page('/2020/01/01/new-year')).status, 200)
    t.match(String((await site.page('/sitemap.xml')).body), 'https://example.org/2020/01/01/new-year<')
    t.match(await site.build(join(root, 'public')), { problems: [] })
    t.ok(filesBelow(join(root, 'public')).includes('2020/01/01/new-year/index.html'))
    const made = await app.ask('POST /api/cms/posts', { body: { title: 'Next' } })
    t.equal(made.body.data.id, '2027~next', 'a new file goes into the folder of that day, too')
  })
})

longTest('the site', (t) =>
  eachStore(t, { files: FILES, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const { site, root, html } = siteOf(t, opened)

    await t.test('the home page pages through all that is not a page, newest first', async (t) => {
      const first = await html('/')
      t.match(first, /<h1>Welcome<\/h1>/)
      t.match(first, /<title>Welcome · A &amp; B<\/title>/)
      t.ok(first.indexOf('Post 23') < first.indexOf('Post 22') && first.includes('Post 14') && !first.includes('Post 13'))
      t.match(first, /href="\/page\/2"/)
      t.match(await html('/page/3'), /Named/)
      t.notMatch(await html('/page/3'), /authors\/ada">/, 'what has no date is no news')
      t.equal((await site.page('/page/4')).status, 404)
      t.match(await site.page('/page/1'), { status: 308, location: '/' })
    })

    await t.test('what is not live has no page', async (t) => {
      for (const id of ['draft', 'later', 'over', 'nothing']) t.equal((await site.page(`/posts/${id}`)).status, 404, id)
      t.equal((await site.page('/%zz')).status, 404)
    })

    await t.test('terms, types and authors by their names', async (t) => {
      t.match(await html('/tags/news'), /<h1>The news<\/h1>[\s\S]*What is new\.[\s\S]*Page 1 of 2/)
      t.match(await html('/tags/news/page/2'), /Named/)
      t.match(await html('/tags'), /href="\/tags\/news"[\s\S]*12/)
      t.match(await html('/posts/page/3'), /Page 3 of 3/)
      t.match(await html('/posts/a-b'), /Ada/)
    })

    await t.test('the menu follows its records and takes no script', async (t) => {
      t.match(await html('/about'), /<a href="\/about" aria-current="page">Us<\/a>/)
      t.notMatch(await html('/about'), /javascript:/)
      t.match(await html('/about'), /<a href="\/posts\/post-01">the first<\/a>/)
    })

    await t.test('one spelling of each address', async (t) => {
      t.match(await site.page('/about/'), { status: 308, location: '/about' })
      t.match(await site.page('//about'), { status: 308, location: '/about' })
      t.match(await site.page('/about/index.html'), { status: 308, location: '/about' })
      t.match(await site.page('/old/about'), { status: 308, location: '/about' })
      t.equal((await site.page('//example.com/')).status, 404)
    })

    await t.test('the sitemap has the home page and what is live and may be found, and nothing else', async (t) => {
      const xml = await html('/sitemap.xml')
      const listed = [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address)
      const posts = Array.from({ length: 23 }, (_, n) => `/posts/post-${String(n + 1).padStart(2, '0')}`)
      const expected = ['/', '/about', '/authors/ada', '/posts/a-b', ...posts].map((path) => `https://example.org${path}`)
      t.same(listed.sort(), expected.sort())
      const changed = firstDate(opened) ?? '2026-03-05T00:00:00.000Z'
      t.match(xml, `<loc>https://example.org/posts/post-05</loc><lastmod>${changed}</lastmod>`)
      t.match(await html('/robots.txt'), 'Sitemap: https://example.org/sitemap.xml')
      t.match(await html('/feed.xml'), /<entry><title>Post 23<\/title>/)
    })

    await t.test('the build has the same bytes, writes what changed and removes what is stale', async (t) => {
      const out = join(root, 'public')
      mkdirSync(out)
      writeFileSync(join(out, 'CNAME'), 'example.org')
      const report = await site.build('public')
      t.same(report.problems, [])
      const files = filesBelow(out)
      for (const file of files.filter((name) => !['404.html', 'CNAME', '_redirects'].includes(name))) {
        const page = await site.page(pathOf(file))
        t.ok(page.status !== 404 && page.body.equals(readFileSync(join(out, file))), file)
      }
      t.ok((await site.page('/nothing')).body.equals(readFileSync(join(out, '404.html'))))
      t.match(readFileSync(join(out, 'who/index.html'), 'utf8'), /url=\/about/)
      t.match(await site.build('public'), { written: 0, removed: 0, unchanged: files.length - 1 })
      await opened.store.write([{ key: keyOf('posts', 'post-01'), remove: true }], by)
      const after = await site.build('public')
      t.equal(after.removed, 4, 'the page, its twin, and its files for the search')
      t.notOk(existsSync(join(out, 'posts/post-01')), 'with its folder')
      t.ok(existsSync(join(out, 'CNAME')), 'what no build wrote stays')
      await opened.store.write([{ key: keyOf('posts', 'post-01'), put: { set: { title: 'Post 01' } } }], by)
    })

    await t.test('a write and the clock change what is shown', async (t) => {
      await opened.store.write([{ key: keyOf('posts', 'post-23'), put: { set: { title: 'Renamed' } } }], by)
      t.match(await html('/'), /Renamed/)
      opened.clock.advance(200 * 86_400_000)
      t.equal((await site.page('/posts/later')).status, 200)
      t.match(await html('/'), /Later/)
    })
  }),
)

t.test('two records with one address: the first by id has it, the other is a problem', async (t) => {
  const files = {
    'content/posts/a.md': '---\nslug: same\n---\nA',
    'content/posts/b.md': '---\nslug: same\n---\nB',
    'content/posts/c.md': '---\npermalink: /api/x\n---\n',
  }
  const { site, html } = siteOf(t, await openMemory({ files }))
  t.match(await html('/posts/same'), /<p>A<\/p>/)
  t.match(await site.problems(), [
    { file: 'posts/b', severity: 'error', message: /posts\/a has already/ },
    { file: 'posts/c', severity: 'error', message: /belongs to Quire/ },
  ])
  t.equal((await site.build('public')).problems.length, 2)
})

t.test('an address with a path: links bear it, and both forms are served', async (t) => {
  const opened = await openMemory({ files: FILES, now: '2026-06-01T00:00:00.000Z' })
  const { site, html } = siteOf(t, opened, { url: 'https://example.org/repo' })
  t.match(await html('/repo/about'), /href="\/repo\/posts\/post-01"/)
  t.equal(await html('/about'), await html('/repo/about'))
  t.match(await site.page('/repo/who'), { status: 308, location: '/repo/about' })
  t.match(await html('/'), /href="\/repo\/assets\/theme\.[0-9a-f]{8}\.css"/)
})

t.test('templates: the site has its own way, and a broken one says where', async (t) => {
  const opened = await openMemory({ files: FILES, now: '2026-06-01T00:00:00.000Z' })
  const { site, folder, html, root } = siteOf(t, opened)
  folder.write('templates/site/page.liquid', '<b>{{ record.title }}</b>{{ "<i>" }}')
  t.equal(await html('/about'), '<b>About</b>&lt;i&gt;')
  folder.write('templates/site/page.liquid', 'one\n{{ record.title | nope }}')
  opened.clock.advance(2000)
  t.match(await refusal(site.page('/about')), { file: 'templates/site/page.liquid', line: 2, message: /nope/ })
  const report = await site.build('public')
  t.match(report.problems, [{ file: 'templates/site/page.liquid', line: 2 }], 'once, for two pages')
  t.match(await site.problems(), [{ file: 'templates/site/page.liquid', line: 2, severity: 'error' }], 'before any page is made')
  t.ok(existsSync(join(root, 'public/posts/a-b/index.html')), 'and the rest is written')
  folder.write('secret.liquid', 'secret')
  rmSync(folder.path('templates/site/page.liquid'))
  symlinkSync(folder.path('secret.liquid'), folder.path('templates/site/page.liquid'))
  folder.write('templates/site/home.liquid', '{% render "../../secret" %}')
  opened.clock.advance(2000)
  t.notMatch(await html('/about'), /secret/)
  t.match(await refusal(site.page('/')), { file: 'templates/site/home.liquid', line: 1 })
})

t.test('a template that can not be read at first is read at a later request', async (t) => {
  const opened = await openMemory({ files: FILES, now: '2026-06-01T00:00:00.000Z' })
  const { site, folder, html } = siteOf(t, opened)
  folder.write('templates/site/page.liquid', '<b>{{ record.title }}</b>')
  const read = fs.readFileSync
  let isLocked = true
  replaceIn(t, fs, {
    readFileSync: (...args: Parameters<typeof read>) => {
      if (isLocked && args[0] === folder.path('templates/site/page.liquid'))
        throw Object.assign(new Error('no'), { code: 'EACCES' })
      return read(...args)
    },
  })
  t.match(await refusal(site.page('/about')), { code: 'EACCES' })
  isLocked = false
  t.equal(await html('/about'), '<b>About</b>')
})

t.test('a build goes nowhere it would do harm', async (t) => {
  const { site, folder, root } = siteOf(t, await openMemory({ files: FILES }))
  const other = makeSite({ 'content/x.md': 'x' })
  t.teardown(() => other.remove())
  symlinkSync(folder.path('content'), folder.path('link'))
  for (const out of ['.', '..', '/', 'content', 'content/public', 'templates', '.git/x', '.cms', 'link', other.root]) {
    t.match(await refusal(site.build(out)), { exit: 2 }, out)
  }
  mkdirSync(join(root, 'public'))
  symlinkSync(other.root, join(root, 'public', 'posts'))
  const report = await site.build('public')
  t.match(report.problems[0], { message: /it is a link/ })
  t.same(filesBelow(other.root), ['content/x.md'])
})

t.test('over HTTP: headers, HEAD, 304, and what belongs to the API', async (t) => {
  const { site } = siteOf(t, await openMemory({ files: FILES, now: '2026-06-01T00:00:00.000Z' }))
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(siteRoutes, {
    site,
    local: { root: '' },
    log: () => undefined,
    isPanelHost: () => false,
    isNearOnly: false,
    send: sendTagged,
  })
  const page = await app.inject('/about')
  t.match(page.headers, {
    'content-security-policy': /default-src 'none'/,
    'x-content-type-options': 'nosniff',
    'content-type': /^text\/html/,
  })
  t.equal((await app.inject({ url: '/about', headers: { 'if-none-match': `W/${page.headers.etag}` } })).statusCode, 304)
  t.match(await app.inject({ method: 'HEAD', url: '/about' }), { statusCode: 200, body: '' })
  t.match((await app.inject('/about/?x=1')).headers, { location: '/about?x=1' })
  const css = /href="(\/assets\/[^"]*\.css)"/.exec(page.body)?.[1] ?? ''
  t.match((await app.inject(css)).headers, { 'cache-control': /immutable/, 'content-type': /^text\/css/ })
  t.match(await app.inject('/api/nothing'), { statusCode: 404, headers: { 'content-type': /json/ } })
  t.match((await app.inject('/nothing')).body, /This page is not here/)
})

t.test('switched off, terms have no pages and are linked from none', async (t) => {
  const { site, html } = siteOf(t, await openMemory({ files: FILES, now: '2026-06-01T00:00:00.000Z' }), { taxonomy: false })
  t.equal((await site.page('/tags/news')).status, 404)
  t.equal((await site.page('/tags')).status, 404)
  t.notMatch(await html('/posts/a-b'), /\/tags\//)
  t.notMatch(await html('/sitemap.xml'), /\/tags\//)
})

t.test('the sitemap is there without the pages, for who serves them with something else', async (t) => {
  const opened = await openMemory({ files: FILES, now: '2026-06-01T00:00:00.000Z' })
  const ask = async (features: Record<string, boolean>, path: string) => {
    const { app } = new TestApp(opened, { config: { features } })
    t.teardown(() => app.close())
    return app.inject(path)
  }
  const xml = await ask({ sitemap: true }, '/sitemap.xml')
  t.match(xml, { statusCode: 200, headers: { 'content-type': /xml/ } })
  t.match(xml.body, '<loc>https://example.org/posts/a-b</loc>')
  t.equal((await ask({ sitemap: true }, '/about')).statusCode, 404)
  t.equal((await ask({ sitemap: true }, '/sitemap-x.xml')).statusCode, 404)
  t.equal((await ask({ sitemap: true, site: true }, '/sitemap.xml')).body, xml.body)
})

t.test('a page answers GET and HEAD alone, and says so', async (t) => {
  const opened = await openMemory({ files: FILES, now: '2026-06-01T00:00:00.000Z' })
  const { app } = new TestApp(opened, { config: { features: { site: true, api: true } } })
  t.teardown(() => app.close())
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const refused = await app.inject({ method, url: '/about', headers: { 'content-type': 'text/plain' }, body: 'x' })
    t.match(refused, { statusCode: 405, headers: { allow: 'GET, HEAD', 'content-type': /json/ } }, method)
    t.equal((await app.inject({ method, url: '/api/nothing' })).statusCode, 404)
    t.equal((await app.inject({ method, url: '/admin' })).statusCode, 404)
  }
})

t.test('the sitemap tells when records were last changed, once the history is read', async (t) => {
  const open = async () => {
    const opened = await openFiles({ files: { 'content/about.md': '# About\n' }, history: true, now: '2030-01-01T00:00:00Z' })
    t.teardown(opened.close)
    const day = new Date(git(opened.site.root, ['log', '-1', '--format=%cI'])).toISOString().slice(0, 10)
    return { ...siteOf(t, opened), opened, wanted: `<lastmod>${day}` }
  }
  const served = await open()
  await served.html('/about')
  await served.opened.store.dated()
  t.match(await served.html('/sitemap.xml'), served.wanted)
  const built = await open()
  await built.site.build('public')
  t.match(readFileSync(join(built.root, 'public', 'sitemap.xml'), 'utf8'), built.wanted, 'a build waits for it')
})
