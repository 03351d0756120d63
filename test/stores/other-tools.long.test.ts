import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import t, { type Test } from 'tap'
import { type Kind, keyOf, keyText } from '#core/key.ts'
import { namesField } from '#core/queries/comparison.ts'
import type { Extent } from '#core/queries/extent.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { queryOf } from '#fulltext/query.ts'
import { TestApp } from '#support/app.ts'
import { type OpenedStore, openFiles, openPostgres, type StoreOptions } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/_posts/2013-05-06-hello-world.md': '---\ntags: [a]\n---\nHello.\n',
  'content/_posts/2013-05-07-own.md': '---\ntitle: Own\ndate: 2020-01-02\nslug: mine\n---\n',
  'content/_posts/2013-99-99-odd.md': '# Odd\n',
  'content/_posts/2014/2014-01-01-deep.md': '# Deep\n',
  'content/news/world/_posts/2015-01-01-far.md': '---\ntitle: Far\ncategories: [Own]\n---\n',
  'content/_drafts/secret.md': '---\ntitle: Secret\n---\nNot yet.\n',
  'content/_drafts/2012-01-01-said.md': '---\nstatus: published\n---\nNot yet.\n',
  'content/news/_drafts/odd.md': '---\nstatus: nobody-knows\n---\n',
  'content/posts/plain.md': '# Plain\n',
  'content/posts/guide/_index.md': '---\ntitle: The guide\n---\n',
  'content/posts/guide/one.md': '# One\n',
  'content/_index.md': '# Home\n',
}

const types = plainTypes({}, 'Asia/Tokyo')

/** The model keeps no paths: files, files in a repository, and a database. */
function each(
  name: string,
  body: (t: Test, opened: OpenedStore, app: TestApp) => Promise<void>,
  files: Readonly<Record<string, string>> = FILES,
): void {
  const options: StoreOptions = { files, types, now: '2026-01-01T00:00:00Z' }
  t.test(name, async (t) => {
    for (const open of [() => openFiles(options), () => openFiles({ ...options, history: true }), () => openPostgres(options)]) {
      const opened = await open()
      await t.test(opened.name, async (t) => {
        t.teardown(opened.close)
        await body(t, opened, new TestApp(opened))
      })
    }
  })
}

each('posts of other tools have the date, the id and the category that their path says', async (t, _opened, app) => {
  const { body } = await app.ask('GET /api/cms/posts?per_page=100&status=published&sort=id')
  const all = body.data.map(({ id, slug, title, published_at, categories }: Record<string, unknown>) => ({
    ...{ id, slug, title, published_at, categories },
  }))
  const record = (id: string, slug: string, title: string, published_at: string | null, categories: string[] = []) => ({
    ...{ id, slug, title, published_at, categories },
  })
  t.same(all, [
    record('2014~deep', 'deep', 'Deep', '2013-12-31T15:00:00.000Z'),
    record('far', 'far', 'Far', '2014-12-31T15:00:00.000Z', ['own', 'news', 'world']),
    record('guide', 'guide', 'The guide', null),
    record('guide~one', 'one', 'One', null),
    record('hello-world', 'hello-world', 'Hello world', '2013-05-05T15:00:00.000Z'),
    record('own', 'mine', 'Own', '2020-01-01T15:00:00.000Z'),
    record('plain', 'plain', 'Plain', null),
  ])
  t.match((await app.ask('GET /api/cms/pages/index')).body.data, { title: 'Home', url: '/' })
})

const NAMED = {
  'content/Big News/_posts/2015-01-01-a.md': '---\ncategories: [Own, big news]\n---\n',
  'content/Big News/World/_posts/2015-01-01-b.md': '---\ncategory: Big-News\n---\n',
  'content/Big News/World/_posts/2015-01-01-c.md': '# C\n',
}

each(
  'a category is called as the file does, else as its folder is',
  async (t, { store }) => {
    const names = await store.count('posts', {}, namesField('categories'))
    t.same([...names].sort(), [
      ['Big News', 1],
      ['Big-News', 1],
      ['Own', 1],
      ['World', 2],
      ['big news', 1],
    ])
    const { items } = await store.heads('posts', {})
    t.match(items.find(({ key }) => key.id === 'b')?.fields.categories, ['big-news', 'world'])
  },
  NAMED,
)

each('what is in _drafts is a draft, whatever it says', async (t, opened, app) => {
  for (const id of ['secret', 'said', 'odd']) {
    t.equal((await app.ask(`GET /api/cms/posts/${id}`)).body.data.status, 'draft', id)
    t.equal((await app.ask(`GET /api/cms/posts/${id}`, { as: 'read' })).status, 404, id)
    const publish = await app.ask(`PUT /api/cms/posts/${id}`, { body: { status: 'published' } })
    t.match([publish.status, publish.body], [409, { error: 'Conflict', message: /_drafts/ }], id)
  }
  const list = await app.ask('GET /api/cms/posts?per_page=100', { as: 'read' })
  t.same(
    list.body.data.filter(({ id }: { id: string }) => ['secret', 'said', 'odd'].includes(id)),
    [],
  )
  const edited = await app.ask('PUT /api/cms/posts/secret', { body: { title: 'Changed', status: 'in_review' } })
  t.match([edited.status, edited.body.data], [200, { title: 'Changed', status: 'in_review' }])
  const moved = await app.ask('POST /api/cms/posts/said/move', { body: { id: 'elsewhere~said-again' } })
  t.match(
    [moved.status, moved.body.data],
    [200, { status: 'draft', published_at: '2011-12-31T15:00:00.000Z' }],
    'moved it stays one',
  )
  t.equal((await app.ask('GET /api/cms/posts/elsewhere~said-again', { as: 'read' })).status, 404)
  if (opened.name === 'files') return
  await app.ask('DELETE /api/cms/posts/secret')
  const history = await app.ask('GET /api/cms/posts/secret/revisions')
  const back = await app.ask(`POST /api/cms/posts/secret/rollback/${history.body.data[1].ts}`, { body: {} })
  t.match([back.status, back.body.data], [200, { title: 'Changed' }], 'a rollback brings it back to where it was')
  t.equal((await app.ask('GET /api/cms/posts/secret', { as: 'read' })).status, 404)
})

const UNDATED = {
  'content/_posts/forgotten.md': '---\ntitle: Forgotten\ndate: 2013-05-06\n---\nNot yet.\n',
  'content/_posts/said.md': '---\nstatus: published\n---\nNot yet.\n',
  'content/_posts/2013-99-99-odd.md': '# Odd\n',
  'content/news/_posts/trip/index.md': '# Trip\n',
  'content/_posts/own.md': '---\nstatus: archived\n---\n',
  'content/_posts/2013-5-6-short.md': '# Short\n',
  'content/_posts/2026-02-01-to-come.md': '# To come\n',
}

each(
  'a post without a date in its name is a draft, and one dated in the future waits',
  async (t, opened, app) => {
    for (const id of ['forgotten', 'said', '2013-99-99-odd', 'trip']) {
      t.equal((await app.ask(`GET /api/cms/posts/${id}`)).body.data.status, 'draft', id)
      t.equal((await app.ask(`GET /api/cms/posts/${id}`, { as: 'read' })).status, 404, id)
      const publish = await app.ask(`PUT /api/cms/posts/${id}`, { body: { status: 'published' } })
      t.match([publish.status, publish.body], [409, { message: /without a date/ }], id)
    }
    t.equal((await app.ask('GET /api/cms/posts/own')).body.data.status, 'archived')
    t.match((await app.ask('GET /api/cms/posts/short', { as: 'read' })).body.data, { published_at: '2013-05-05T15:00:00.000Z' })
    t.equal((await app.ask('GET /api/cms/posts/to-come', { as: 'read' })).status, 404)
    t.match((await app.ask('GET /api/cms/posts/to-come')).body.data, {
      ...{ status: 'scheduled', published_at: '2026-01-31T15:00:00.000Z' },
    })
    const list = await app.ask('GET /api/cms/posts', { as: 'read' })
    t.same(
      list.body.data.map(({ id }: { id: string }) => id),
      ['short'],
    )
    t.match(await opened.store.problems(), [
      { file: 'content/_posts/2013-99-99-odd.md', severity: 'warning', message: /without a date/, hint: /2026-01-31-name/ },
      { file: 'content/_posts/forgotten.md' },
      { file: 'content/_posts/said.md' },
      { file: 'content/news/_posts/trip/index.md' },
    ])
    const dated = await app.ask('POST /api/cms/posts/forgotten/move', { body: { id: '2013-05-06-forgotten' } })
    t.match([dated.status, dated.body], [422, { errors: { id: [/must not begin with a date/] } }], 'that would be another id')
    t.equal((await app.ask('GET /api/cms/posts/forgotten')).status, 200)
    const moved = await app.ask('POST /api/cms/posts/forgotten/move', { body: { id: 'remembered' } })
    t.match([moved.status, moved.body.data.status], [200, 'draft'])
    t.equal((await app.ask('GET /api/cms/posts/remembered', { as: 'read' })).status, 404)
  },
  UNDATED,
)

each('a write leaves the file where it is, and a move keeps what its path says', async (t, opened, app) => {
  const file = async (id: string) => (await opened.store.get(keyOf('posts', id)))?.source?.toString()
  await app.ask('PUT /api/cms/posts/hello-world', { body: { title: 'New' } })
  t.equal(await file('hello-world'), '---\ntags: [a]\ntitle: New\n---\nHello.\n')
  const moved = await app.ask('POST /api/cms/posts/far/move', { body: { id: 'farther' } })
  t.match(moved.body.data, { id: 'farther', published_at: '2014-12-31T15:00:00.000Z', categories: ['own', 'news', 'world'] })
  const section = await app.ask('POST /api/cms/posts/guide/move', { body: { id: 'manual' } })
  t.match(section.body.data, { id: 'manual', title: 'The guide' })
  t.match(await opened.store.get(keyOf('posts', 'manual')), { isSection: true })
  const { status } = await app.ask('PUT /api/cms/posts/farther', { body: { categories: ['own'] } })
  t.equal(status, 409, 'the folder says otherwise')
  t.equal((await app.ask('PUT /api/cms/posts/farther', { body: { categories: ['more', 'news', 'world'] } })).status, 200)
  const taken = await app.ask('POST /api/cms/posts', { body: { title: 'X', slug: 'hello-world' } })
  t.equal(taken.status, 409)
  if (opened.site) {
    t.match(readFileSync(opened.site.path('content/_posts/2013-05-06-hello-world.md'), 'utf8'), /New/)
    t.match(readFileSync(opened.site.path('content/news/world/_posts/2015-01-01-farther.md'), 'utf8'), /Far/)
    t.match(readFileSync(opened.site.path('content/posts/manual/_index.md'), 'utf8'), /The guide/)
  }
})

const english = new Analyser('en')

async function found({ search }: OpenedStore, text: string, extent: Extent): Promise<string[]> {
  await search.ready()
  const readable = new Map<Kind, Extent>([['posts', extent]])
  const { hits } = await search.find({ clauses: queryOf(text, english), readable, offset: 0, limit: 10 })
  return hits.map(({ key }) => keyText(key)).sort()
}

each('a file that goes into _drafts or out of it as it is, is another record', async (t, opened, app) => {
  const { site, store } = opened
  if (!site || !('reconcile' in store)) return
  const { reconcile } = store as { reconcile(): Promise<void> }
  const [post, draft] = ['content/_posts/2013-05-06-hello-world.md', 'content/_drafts/hello-world.md']
  const ask = () => app.ask('GET /api/cms/posts/hello-world')
  const list = 'GET /api/cms/posts?per_page=100&sort=id'
  const listed = async () => {
    const { body } = await app.ask(list)
    return body.data.find(({ id }: { id: string }) => id === 'hello-world')
  }
  const [was, page] = [await ask(), await app.ask(list)]
  t.equal((await listed()).status, 'published')
  t.same(await found(opened, 'hello', 'live'), ['posts/hello-world'])
  renameSync(site.path(post), site.path(draft))
  await reconcile.call(store)
  t.same(await found(opened, 'hello', 'live'), [], 'the public finds it no more')
  t.same(await found(opened, 'hello', 'all'), ['posts/hello-world'])
  t.match(await listed(), { status: 'draft', published_at: null })
  for (const [path, tag] of [
    ['GET /api/cms/posts/hello-world', was.headers.etag],
    [list, page.headers.etag],
  ] as const) {
    t.equal((await app.ask(path, { headers: { 'if-none-match': String(tag) } })).status, 200, `${path} is not as it was`)
  }
  mkdirSync(site.path('content/news/_posts'), { recursive: true })
  renameSync(site.path(draft), site.path('content/news/_posts/2014-05-06-hello-world.md'))
  await reconcile.call(store)
  t.same(await found(opened, 'hello', 'live'), ['posts/hello-world'], 'the public finds it again')
  t.match(await listed(), { status: 'published', published_at: '2014-05-05T15:00:00.000Z', categories: ['news'] })
  t.not((await ask()).headers.etag, was.headers.etag)
})

t.test('other names with an underscore are no records', async (t) => {
  const files = {
    'content/_posts/_private/x.md': '# X',
    'content/_posts/_y.md': '# Y',
    'content/_includes/z.md': '# Z',
    'content/posts/_template.md': '# T',
    'content/posts/_index.fr.md': '# I',
    'content/media/_posts/2013-05-06-m.md': '# M',
    'content/menus/_drafts/n.md': '# N',
    'content/taxonomy/tags/_index.md': '# T',
    'content/.trash/_posts/2013-05-06-d.md': '# D',
    'content/posts/real.md': '# Real',
  }
  const opened = await openFiles({ files })
  t.teardown(opened.close)
  const kinds = await opened.store.kinds()
  const ids = await Promise.all(
    kinds.map(async (kind) => (await opened.store.heads(kind, {})).items.map(({ key }) => `${kind}/${key.id}`)),
  )
  t.same(ids.flat(), ['posts/real'])
  t.same(await opened.store.problems(), [])
})
