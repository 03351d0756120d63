import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const post = (head: string) => `---\ntitle: Secret\ndate: 2020-01-01\ntags: [secret]\n${head}\n---\nThe secret text.\n`

const NOT_LIVE = {
  draft: 'draft: "yes"',
  odd: 'draft: maybe',
  unpublished: 'published: false',
  withheld: 'publish: 0',
  later: 'publishDate: 2099-01-01',
  over: 'expiryDate: 2021-01-01',
  gone: 'unpublishDate: 2021/1/1',
  scheduled: 'status: scheduled',
  unknown: 'status: whatever',
  small: 'Draft: true',
  unclear: 'draft: true\npubDate: some day',
}
const UNREADABLE = {
  empty: `\n${post('draft: true')}`,
  bom: `\ufeff\n${post('draft: true')}`,
  space: ` ${post('draft: true')}`,
  comment: `<!-- x -->\n${post('draft: true')}`,
  long: `-${post('draft: true').replace('\n---\n', '\n----\n')}`,
  open: post('draft: true').replace('\n---\n', '\n'),
  json: '{"title": "Secret", "draft": true}\nThe secret text.\n',
  bare: 'title: Secret\ndraft: true\n\nThe secret text.\n',
  undated: post('expiryDate: some day'),
  planned: post('pubDate: 2099-01-01 10:00am'),
  said: post('published: 2099-01-01, 10:00'),
  intended: post('publish: Jan 1, 2099').replace('date: 2020-01-01\n', ''),
}
const UNLISTED = {
  unlisted: 'unlisted: true',
  hidden: 'hidden: true',
  unmapped: 'sitemap: false',
  listless: 'build: {list: never}',
  large: 'BUILD: {List: Never}',
  disabled: 'Sitemap: {Disable: "yes"}',
}
const NOWHERE = {
  headless: 'headless: true',
  unrendered: 'build: {render: never}',
  eleventy: 'permalink: false',
  capital: 'Permalink: false',
  spaced: '"permalink\u00a0": "no"',
  written: 'permalink: 0',
  inner: 'Permalink: {Build: false}',
  rendered: '_build: {RENDER: link}',
}

const files: Record<string, string> = { 'content/posts/live.md': '---\ntitle: Live\ndate: 2020-01-02\n---\nText\n' }
for (const [id, text] of Object.entries(UNREADABLE)) files[`content/posts/${id}.md`] = text
for (const [id, head] of Object.entries({ ...NOT_LIVE, ...UNLISTED, ...NOWHERE })) files[`content/posts/${id}.md`] = post(head)

const types = plainTypes({ posts: { permalink: '/blog/{slug}', additional_fields: true } })

t.test('the words of other tools keep a text from the public', (t: Test) =>
  eachStore(t, { files, types, now: '2026-11-20T12:00:00.000Z' }, async (t, opened) => {
    const app = new TestApp(opened)
    const { site } = publicSite(t, opened, true)
    const reader = 'read'
    const page = async (path: string) => {
      const { status, body } = await site.page(path)
      return { status, text: String(body) }
    }

    const list = await app.ask('GET /api/cms/posts?per_page=100', { as: reader })
    const ids = list.body.data.map(({ id }: { id: string }) => id).sort()
    t.same(ids, ['live', ...Object.keys({ ...UNLISTED, ...NOWHERE })].sort())
    for (const id of Object.keys(NOT_LIVE)) {
      t.equal((await app.ask(`GET /api/cms/posts/${id}`, { as: reader })).status, 404, id)
      t.equal((await page(`/blog/${id}`)).status, 404, `the page of ${id}`)
    }
    for (const id of Object.keys(UNREADABLE)) {
      const { status, text } = await app.ask(`GET /api/cms/posts/${id}`, { as: reader })
      t.same([status, /secret/i.test(text)], [422, false], id)
      t.equal((await page(`/blog/${id}`)).status, 404, `the page of ${id}`)
    }
    const found = await app.ask('GET /api/cms/search?q=secret&per_page=100', { as: reader })
    const hits = found.body.data.map(({ id }: { id: string }) => id).sort()
    t.same(hits, Object.keys({ ...UNLISTED, ...NOWHERE }).sort(), 'searched over the API: what is live')

    const { words } = JSON.parse((await page('/search/index.json')).text)
    for (const path of [
      ...words.flatMap((name: string, n: number) => (n % 2 === 1 ? `/search/words/${name}.json` : [])),
      '/',
      '/blog',
      '/feed.xml',
      '/rss.xml',
      '/posts/feed.json',
      '/sitemap.xml',
      '/tags',
      '/search/index.json',
    ]) {
      const { text } = await page(path)
      t.notMatch(text, /secret/i, `in no list of the site: ${path}`)
      for (const id of Object.keys({ ...NOT_LIVE, ...UNREADABLE, ...UNLISTED, ...NOWHERE }))
        t.notOk(text.includes(`/blog/${id}`), `${path} ${id}`)
    }
    t.match((await page('/sitemap.xml')).text, '/blog/live<')
    for (const id of Object.keys(UNLISTED)) {
      const { status, text } = await page(`/blog/${id}`)
      t.equal(status, 200, id)
      t.match(text, /<meta name="robots" content="noindex">/)
      t.match((await app.ask(`GET /api/cms/posts/${id}`)).body.data, { noindex: true, url: `/blog/${id}` })
    }
    for (const id of Object.keys(NOWHERE)) {
      t.equal((await page(`/blog/${id}`)).status, 404, id)
      t.equal((await app.ask(`GET /api/cms/posts/${id}`)).body.data.url, null, id)
    }
  }),
)

t.test('publishing over the API changes the word that the file uses', (t: Test) =>
  eachStore(t, { files, types, now: '2026-11-20T12:00:00.000Z' }, async (t, opened) => {
    const app = new TestApp(opened)
    const source = async (id: string) => (await opened.store.get(keyOf('posts', id)))?.source?.toString()
    const unclear = await app.ask('PUT /api/cms/posts/unclear', { body: { status: 'published' } })
    t.match(unclear, { status: 422, body: { message: /pubDate/ } })
    const written = {
      draft: 'draft: false',
      unpublished: 'published: true',
      withheld: 'publish: true',
      scheduled: 'status: published',
      small: 'Draft: false',
    }
    for (const [id, line] of Object.entries(written)) {
      const { status, body } = await app.ask(`PUT /api/cms/posts/${id}`, { body: { status: 'published' } })
      t.same([status, body.data.status], [200, 'published'], id)
      t.equal(await source(id), post(line))
      t.equal((await app.ask(`GET /api/cms/posts/${id}`, { as: 'read' })).status, 200)
    }
    for (const body of [{ draft: false }, { published: true }, { publish: 'yes' }, { Draft: 'no' }]) {
      t.equal((await app.ask('PUT /api/cms/posts/odd', { body })).status, 422, `not by another word: ${JSON.stringify(body)}`)
    }
    for (const body of [{ draft: null }, { Draft: null }, { published: null }]) await app.ask('PUT /api/cms/posts/odd', { body })
    t.equal((await app.ask('GET /api/cms/posts/odd')).body.data.status, 'draft')
    const soon = await app.ask('PUT /api/cms/posts/later', { body: { published_at: '2026-01-01' } })
    t.equal(soon.body.data.status, 'published')
    const again = await app.ask('PUT /api/cms/posts/over', { body: { expires_at: '2099-01-01' } })
    t.equal(again.body.data.status, 'published')
    const shown = (await app.ask('GET /api/cms/posts/hidden')).body.data
    t.equal((await app.ask('PUT /api/cms/posts/hidden', { body: shown })).body.data.version, shown.version, 'sent back as read')
  }),
)

t.test('a file’s own keys of names that Quire uses', (t: Test) => {
  const own = {
    'content/posts/a.md': '---\ntitle: A\nversion: 1.0.0 # mine\ntype: tutorial\n---\n',
    'content/posts/b.md': '---\ntitle: B\nversion: 2.0.0\nurl: https://example.org/b\n---\n',
    'content/posts/c.md': '---\ntitle: C\n"own[version]": 1.0.0\n---\n',
  }
  return eachStore(t, { files: own, types: plainTypes({ posts: {} }) }, async (t, opened) => {
    const app = new TestApp(opened)
    const ids = async (query: string) => {
      const { status, body } = await app.ask(`GET /api/cms/posts?sort=id&${query}`)
      return status === 200 ? body.data.map(({ id }: { id: string }) => id) : [status, body.message]
    }
    t.match((await app.ask('GET /api/cms/posts/a')).body.data, {
      id: 'a',
      type: 'posts',
      own: { version: '1.0.0', type: 'tutorial' },
    })
    t.same(await ids('filter[own][version]=1.0.0'), ['a'])
    t.same(await ids('filter[own][version][ne]=1.0.0'), ['b', 'c'])
    t.same(await ids('filter[own][version][gte]=1.5'), ['b'])
    t.same(await ids('filter[own][version][in]=1.0.0,2.0.0'), ['a', 'b'])
    t.same(await ids('filter[own][url][contains]=EXAMPLE'), ['b'])
    t.same(await ids('filter[own][id]=null'), ['a', 'b', 'c'])
    for (const query of ['filter[own]=x', 'filter[own][title]=x', 'filter[own][version][like]=x', 'sort=own']) {
      t.equal((await ids(query))[0], 400, query)
    }
    const set = await app.ask('PUT /api/cms/posts/a', { body: { own: { version: '1.0.0', type: 'guide' } } })
    t.match(set.body.data, { type: 'posts', own: { version: '1.0.0', type: 'guide' } })
    t.equal(
      (await opened.store.get(keyOf('posts', 'a')))?.source?.toString(),
      '---\ntitle: A\nversion: 1.0.0 # mine\ntype: guide\n---\n',
    )
    t.same(await ids('filter[own][type]=guide'), ['a'])
    for (const wrong of [{ price: 1 }, 'x', { url: '/elsewhere' }]) {
      t.equal((await app.ask('PUT /api/cms/posts/a', { body: { own: wrong } })).status, 422, JSON.stringify(wrong))
    }
    t.equal((await app.ask('PUT /api/cms/posts/a', { body: { own: null } })).body.data.own, undefined)
    t.same(await ids('filter[own][version]=1.0.0'), [])
    const made = await app.ask('POST /api/cms/posts', { body: { title: 'D', own: { id: 12 } } })
    t.same([made.status, made.body.data.id, made.body.data.own], [201, 'd', { id: 12 }])
  })
})
