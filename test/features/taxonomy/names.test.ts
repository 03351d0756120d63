import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { type Answered, TestApp } from '#support/app.ts'
import { long } from '#support/long.ts'
import { everyStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/posts/named.md': '---\ntags: [Guides, "C++"] # by name\n---\n',
  'content/posts/by-id.md': '---\ntags: [guide]\n---\n',
  'content/posts/both.md': '---\ntags: [guide, Guides]\n---\n',
  'content/posts/none.md': '---\ntitle: None\n---\n',
  'content/posts/langs.md': '---\ntags: [C, "C#", "C++", c]\ncategory: Tools & toys\n---\n',
  'content/taxonomy/tags/guide.yaml': 'name: Guides\n',
  'content/taxonomy/categories/toys.yaml': 'name: Tools & toys\n',
  'content/taxonomy/categories/dolls.yaml': 'name: Dolls\nparent: Tools & toys\n',
}

const types = plainTypes({ posts: {} })
const features = { api: true, revisions: true, taxonomy: true }

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    everyStore(t, { files: FILES, types }, (t, opened) => body(t, new TestApp(opened, { config: { features } }), opened)),
  )
}

async function source(store: Store, id: string): Promise<string | undefined> {
  return (await store.get(keyOf('posts', id)))?.source?.toString()
}

async function ids(app: TestApp, query: string): Promise<string[]> {
  const { body } = await app.ask(`GET /api/cms/posts?sort=id&${query}`)
  return body.data.map(({ id }: { id: string }) => id)
}

each('what files call by a declared name is that term', async (t, app) => {
  t.same((await app.ask('GET /api/cms/posts/named')).body.data.tags, ['guide', 'c-plus-plus'])
  t.same((await app.ask('GET /api/cms/posts/both')).body.data.tags, ['guide'], 'once')
  t.same((await app.ask('GET /api/cms/posts/langs')).body.data.tags, ['c', 'c-sharp', 'c-plus-plus'])
  t.same((await app.ask('GET /api/cms/posts/langs')).body.data.categories, ['toys'])
  const listed = (await app.ask('GET /api/cms/posts?sort=id')).body.data
  t.same(
    listed.map(({ tags }: { tags: string[] }) => tags),
    [['guide'], ['guide'], ['c', 'c-sharp', 'c-plus-plus'], ['guide', 'c-plus-plus'], []],
  )
  const { body } = await app.ask('GET /api/cms/taxonomy/tags?sort=-count')
  t.same(
    body.data.map(({ id, count, declared }: { id: string; count: number; declared: boolean }) => [id, count, declared]),
    [
      ['guide', 3, true],
      ['c-plus-plus', 2, false],
      ['c', 1, false],
      ['c-sharp', 1, false],
    ],
  )
  t.equal((await app.ask('GET /api/cms/taxonomy/categories/dolls')).body.data.parent, 'toys', 'and a parent')
})

each('lists are filtered by ids and by names', async (t, app) => {
  const guides = ['both', 'by-id', 'named']
  for (const query of ['tag=guide', 'tag=Guides', 'tag=guides', 'filter[tags]=guide', 'filter[tags][in]=guide,nothing'])
    t.same(await ids(app, query), guides, query)
  t.same(await ids(app, 'filter[tags][ne]=guide'), ['langs', 'none'])
  t.same(await ids(app, `tag=${encodeURIComponent('C++')}`), ['langs', 'named'])
  t.same(await ids(app, 'tag=c'), ['langs'])
  t.same(await ids(app, 'category=toys'), ['langs'])
  const { body } = await app.ask('GET /api/cms/posts?facets=tags')
  t.same(body.meta.facets.tags, { guide: 3, 'c-plus-plus': 2, c: 1, 'c-sharp': 1 })
})

long(each)('names are taken on write, and entries that stay keep their spelling', async (t, app, { store }) => {
  const put = await app.ask('PUT /api/cms/posts/none', { body: { tags: ['Guides', 'News'] } })
  t.same(put.body.data.tags, ['guide', 'news'])
  t.match(await source(store, 'none'), 'tags:\n  - guide\n  - News\n', 'one that is declared as its id, another as it was sent')
  const kept = await app.ask('PUT /api/cms/posts/named', { body: { tags: ['guide', 'c-plus-plus', 'news'] } })
  t.same(kept.body.data.tags, ['guide', 'c-plus-plus', 'news'])
  t.equal(await source(store, 'named'), '---\ntags: [Guides, "C++", news] # by name\n---\n')
  const before = await source(store, 'both')
  for (const tags of [['guide'], ['Guides'], ['guides']]) {
    await app.ask('PUT /api/cms/posts/by-id', { body: { tags } })
    t.equal(await source(store, 'by-id'), FILES['content/posts/by-id.md'], `${tags}`)
  }
  await app.ask('PUT /api/cms/posts/both', { body: { tags: ['guide'] } })
  t.equal(await source(store, 'both'), before, 'nothing changes where the same is meant')
  const made = await app.ask('POST /api/cms/posts', { body: { title: 'New', tags: ['GUIDES'] } })
  t.same(made.body.data.tags, ['guide'])
})

each('a term that is declared, renamed or merged is another in records at once', async (t, app, { store }) => {
  await app.ask('POST /api/cms/taxonomy', { body: { type: 'tag', name: 'C++', slug: 'cpp' } })
  const page = () => app.ask('GET /api/cms/posts?sort=id&per_page=5')
  t.same((await app.ask('GET /api/cms/posts/named')).body.data.tags, ['guide', 'cpp'])
  t.same((await page()).body.data[3].tags, ['guide', 'cpp'], 'in lists as well')
  t.same((await app.ask('PUT /api/cms/taxonomy/tags/guide', { body: { name: 'Tutorials' } })).body.data.count, 3)
  t.same((await page()).body.data[3].tags, ['guide', 'cpp'], 'by the name it had before, too')
  await app.ask('PUT /api/cms/taxonomy/tags/guide', { body: { slug: 'how-to' } })
  t.same((await page()).body.data[3].tags, ['how-to', 'cpp'])
  t.equal(await source(store, 'named'), '---\ntags: [how-to, "C++"] # by name\n---\n')
  t.equal((await app.ask('DELETE /api/cms/taxonomy/tags/cpp?replace_with=Tutorials')).status, 200)
  t.same((await app.ask('GET /api/cms/posts/named')).body.data.tags, ['how-to'])
})

long(each)('an ETag is of the terms that are meant, too', async (t, app) => {
  const paths = ['GET /api/cms/posts/named', 'GET /api/cms/posts?sort=id', 'GET /api/cms/posts/named?fields=tags']
  const before: Answered[] = []
  for (const path of paths) before.push(await app.ask(path))
  for (const [n, path] of paths.entries()) {
    const again = await app.ask(path, { headers: { 'if-none-match': String(before[n]?.headers.etag) } })
    t.equal(again.status, 304, path)
  }
  await app.ask('POST /api/cms/taxonomy', { body: { type: 'tag', name: 'C++', slug: 'cpp' } })
  t.ok((await app.ask('GET /api/cms/posts/named')).body.data.tags.includes('cpp'))
  for (const [n, path] of paths.entries()) {
    const again = await app.ask(path, { headers: { 'if-none-match': String(before[n]?.headers.etag) } })
    t.equal(again.status, 200, path)
  }
})
