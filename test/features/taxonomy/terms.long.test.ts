import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { everyStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/posts/a.md': '---\ntags: [News, "Front Matter"]\ncategories: [berlin]\n---\n',
  'content/posts/b.md': '---\ntags: [news]\ncategories: [germany]\nstatus: draft\n---\n',
  'content/posts/s.md': '---\ntags: [soon]\ndate: 2030-01-01\n---\n',
  'content/notes/n.md': '---\ntag: News\ncategory: Europe\n---\n',
  'content/notes/both.md': '---\ncategories: [berlin, germany]\n---\n',
  'content/secret/x.md': '---\ntags: [hush, news]\n---\n',
  'content/plain/p.md': '---\ntags: [elsewhere]\n---\n',
  'content/posts/bad.md': '---\ntags: [broken\n---\n',
  'content/taxonomy/tags/News.yaml': 'name: All the news\ndescription: What is new.\n',
  'content/taxonomy/tags/empty.yaml': 'title: Empty\n',
  'content/taxonomy/tags/odd.yaml': 'name: [\n',
  'content/taxonomy/categories/germany.yaml': 'name: Germany\nparent: Europe\n',
  'content/taxonomy/categories/berlin.yaml': 'name: Berlin\nparent: germany\n',
}

const types = plainTypes({ posts: {}, secret: {}, plain: { taxonomies: ['categories'] } })
const features = { api: true, revisions: true, taxonomy: true }

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    everyStore(t, { files: FILES, types }, (t, opened) => body(t, new TestApp(opened, { config: { features } }), opened)),
  )
}

interface Row {
  id: string
  name: string
  count: number
  parent: string | null
  declared: boolean
}

async function rows(app: TestApp, request: string, options: { as?: string; types?: string[] } = {}): Promise<Row[]> {
  const answer = await app.ask(`GET /api/cms/taxonomy/${request}`, options)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.data
}

const counts = (found: readonly Row[]) => Object.fromEntries(found.map(({ id, count }) => [id, count]))
const PAGE = { per_page: 15, current_page: 1, last_page: 1 }

each('the terms of a taxonomy are those that are declared and those that records bear', async (t, app) => {
  const { body, headers } = await app.ask('GET /api/cms/taxonomy/tags')
  t.same(body.meta, { total: 5, ...PAGE })
  t.same(
    body.data.map(({ id }: Row) => id),
    ['news', 'empty', 'front-matter', 'hush', 'soon'],
    'by name, in the order of code points',
  )
  t.same(body.data[0], {
    id: 'news',
    type: 'tag',
    name: 'All the news',
    slug: 'news',
    description: 'What is new.',
    parent: null,
    count: 4,
    declared: true,
  })
  t.match(body.data[2], { name: 'Front Matter', description: null, count: 1, declared: false })
  t.match(body.data[1], { name: 'Empty', count: 0, declared: true })
  t.equal((await app.ask('GET /api/cms/taxonomy/tag')).text, JSON.stringify(body), 'in singular, too')
  t.equal((await app.ask('GET /api/cms/taxonomy/tags', { headers: { 'if-none-match': headers.etag ?? '' } })).status, 304)
})

each('a term counts the records of those below it, each once', async (t, app) => {
  const all = await rows(app, 'categories')
  t.same(counts(all), { berlin: 2, germany: 3, europe: 4 })
  t.match(
    all.find(({ id }) => id === 'europe'),
    { declared: false, parent: null },
    'what is named as a parent is there',
  )
  t.same(counts(await rows(app, 'categories?parent=Europe')), { germany: 3 })
  t.same(counts(await rows(app, 'categories?parent=null')), { europe: 4 })
  for (const { id, count } of all) {
    let listed = 0
    for (const type of ['posts', 'notes']) {
      listed += (await app.ask(`GET /api/cms/${type}?category=${id}`)).body.meta.total
    }
    t.equal(listed, count, `as many as lists of ${id} have`)
  }
})

each('lists are sorted by name or count, and paged', async (t, app) => {
  const ids = async (query: string) => (await rows(app, `tags?${query}`)).map(({ id }) => id)
  t.same(await ids('sort=-count'), ['news', 'front-matter', 'hush', 'soon', 'empty'])
  t.same(await ids('sort=count'), ['empty', 'front-matter', 'hush', 'soon', 'news'])
  t.same(await ids('sort=-name'), ['soon', 'hush', 'front-matter', 'empty', 'news'])
  t.same(await ids('per_page=2&page=2'), ['front-matter', 'hush'])
  const past = await app.ask('GET /api/cms/taxonomy/tags?per_page=2&page=9')
  t.same(past.body, { data: [], meta: { total: 5, per_page: 2, current_page: 9, last_page: 3 } })
  t.match((await app.ask('GET /api/cms/taxonomy/tags?sort=size')).body.errors, { sort: [/name, -name, count, -count/] })
  t.equal((await app.ask('GET /api/cms/taxonomy/tags?page=0')).status, 422)
  t.match((await app.ask('GET /api/cms/taxonomy/tags?srot=name')).body, { error: 'Bad request', message: /Did you mean "sort"/ })
})

each('what a reader may not see is neither counted nor implied', async (t, app) => {
  t.same(counts(await rows(app, 'tags', { as: 'content:read' })), { news: 3, empty: 0, 'front-matter': 1, hush: 1 })
  t.same(counts(await rows(app, 'categories', { as: 'content:read' })), { europe: 3, germany: 2, berlin: 2 })
  t.equal((await app.ask('GET /api/cms/taxonomy/tags/soon', { as: 'content:read' })).status, 404)
  t.equal((await app.ask('GET /api/cms/taxonomy/tags/soon')).status, 200)
  const limited = { as: 'content:read,content:drafts', types: ['posts'] }
  t.same(counts(await rows(app, 'tags', limited)), { news: 2, empty: 0, 'front-matter': 1, soon: 1 })
  const narrow = { as: 'content:read@notes' }
  t.same(counts(await rows(app, 'tags', narrow)), { news: 1, empty: 0 })
  t.equal((await app.ask('GET /api/cms/taxonomy/tags/hush', limited)).status, 404)
  const none = await app.ask('GET /api/cms/taxonomy/tags', { as: 'taxonomy:write' })
  t.match(none, { status: 403, body: { message: /content:read/ } })
  t.equal((await app.bare('GET /api/cms/taxonomy/tags')).status, 401)
})

each('one term, with a version that goes by what is answered', async (t, app) => {
  const { body, headers } = await app.ask('GET /api/cms/taxonomy/tags/news')
  t.match(body.data, { id: 'news', count: 4 })
  t.match(headers.etag, /^"[0-9a-f]{40}-[0-9a-f]{8}"$/)
  const known = { headers: { 'if-none-match': headers.etag ?? '' } }
  t.equal((await app.ask('GET /api/cms/taxonomy/tags/news', known)).status, 304)
  await app.ask('DELETE /api/cms/posts/a')
  t.equal((await app.ask('GET /api/cms/taxonomy/tags/news', known)).status, 200, 'its count is another')
  t.equal((await app.ask('GET /api/cms/taxonomy/tags/front-matter')).status, 404, 'gone with what implied it')
  for (const id of ['nope', 'News', '__proto__', '..%2f..%2fetc', 'elsewhere']) {
    t.equal((await app.ask(`GET /api/cms/taxonomy/tags/${id}`)).status, 404, id)
  }
  t.match(await app.ask('GET /api/cms/taxonomy/tags/odd'), { status: 422, body: { error: 'Unreadable record' } })
  t.match((await app.ask('GET /api/cms/taxonomy/tgas')).body, { message: 'There is no taxonomy "tgas". Did you mean "tags"?' })
  t.match((await app.ask('GET /api/cms/taxonomy/colours')).body, { message: /Known are categories, tags\./ })
})

each('a term is declared, whether or not records imply it', async (t, app, { store }) => {
  const made = await app.ask('POST /api/cms/taxonomy', {
    body: { type: 'tag', name: 'Big News: today!', description: 'All of it.' },
  })
  t.equal(made.status, 201)
  t.equal(made.headers.location, '/api/cms/taxonomy/tags/big-news-today')
  t.match(made.body.data, { id: 'big-news-today', type: 'tag', name: 'Big News: today!', count: 0, declared: true })
  const file = (await store.get(keyOf('taxonomy/tags', 'big-news-today')))?.source?.toString()
  t.match(file, /^name: ["']Big News: today!["']\ndescription: All of it\.\n$/)
  t.same((await app.ask(`GET ${made.headers.location}`)).body, made.body)
  const implied = await app.ask('POST /api/cms/taxonomy', { body: { type: 'tags', name: 'Bald', slug: 'soon' } })
  t.match(implied, { status: 201, body: { data: { id: 'soon', name: 'Bald', count: 1, declared: true } } })
  const nested = await app.ask('POST /api/cms/taxonomy', { body: { type: 'category', name: 'Mitte', parent: 'Berlin' } })
  t.match(nested.body.data, { parent: 'berlin' })
  for (const body of [
    { type: 'tag', name: 'News' },
    { type: 'tag', name: 'Neues', slug: 'news' },
  ]) {
    t.match(await app.ask('POST /api/cms/taxonomy', { body }), { status: 409, body: { error: 'Conflict', message: /"news"/ } })
  }
  const twice = await Promise.all([1, 2, 3].map(() => app.ask('POST /api/cms/taxonomy', { body: { type: 'tag', name: 'Once' } })))
  t.same(twice.map(({ status }) => status).sort(), [201, 409, 409])
})

each('a term is not put where those below it would be too deep', async (t, app, { store }) => {
  const chain = (name: string, levels: number) =>
    Array.from({ length: levels }, (_, n) => ({
      key: keyOf('taxonomy/categories', `${name}${n}`),
      put: { set: { name: `${name}${n}`, ...(n > 0 && { parent: `${name}${n - 1}` }) } },
    }))
  await store.write([...chain('up', 20), ...chain('down', 13)], { name: 'A', email: 'a@example.org' })
  const below = (parent: string) => app.ask('PUT /api/cms/taxonomy/categories/down0', { body: { parent } })
  t.match(await below('up19'), { status: 422, body: { errors: { parent: [/at most 32 levels/] } } })
  t.match(await below('up18'), { status: 200, body: { data: { parent: 'up18' } } })
  t.equal((await app.ask('POST /api/cms/taxonomy', { body: { type: 'category', name: 'X', parent: 'down12' } })).status, 422)
})

each('what can be no term is refused by field', async (t, app) => {
  const cases: [unknown, string, RegExp][] = [
    [{ name: 'X' }, 'type', /required/],
    [{ type: 'tga', name: 'X' }, 'type', /Did you mean "tag"/],
    [{ type: 5, name: 'X' }, 'type', /5/],
    [{ type: 'tag' }, 'name', /required/],
    [{ type: 'tag', name: null }, 'name', /required/],
    [{ type: 'tag', name: 5 }, 'name', /text/],
    [{ type: 'tag', name: ' ' }, 'name', /empty/],
    [{ type: 'tag', name: 'a\nb' }, 'name', /line/],
    [{ type: 'tag', name: 'x'.repeat(201) }, 'name', /200/],
    [{ type: 'tag', name: '!!!' }, 'name', /slug/],
    [{ type: 'tag', name: 'Con' }, 'name', /device/],
    [{ type: 'tag', name: 'X', slug: 'Big News' }, 'slug', /"big-news" can/],
    [{ type: 'tag', name: 'X', slug: '../x' }, 'slug', /"x" can/],
    [{ type: 'tag', name: 'X', slug: 'nul' }, 'slug', /device/],
    [{ type: 'tag', name: 'X', slug: '' }, 'slug', /empty/],
    [{ type: 'tag', name: 'X', description: 'x'.repeat(10_001) }, 'description', /10000/],
    [{ type: 'tag', name: 'X', slug: 'x'.repeat(1_000_000) }, 'slug', /100/],
    [{ type: 'category', name: 'X', parent: 'x'.repeat(1_000_000) }, 'parent', /id of a term/],
    [{ type: 'tag', name: 'X', parent: 'news' }, 'parent', /not nested/],
    [{ type: 'category', name: 'X', parent: 'nowhere' }, 'parent', /"nowhere"/],
    [{ type: 'category', name: 'Europe', parent: 'berlin' }, 'parent', /below/],
    [{ type: 'category', name: 'X', parent: 'x' }, 'parent', /"x"/],
    [{ type: 'tag', name: 'X', descripton: 'y' }, 'descripton', /"description"/],
    [{ type: 'tag', name: 'X', count: 3 }, 'count', /no field/],
  ]
  for (const [body, field, message] of cases) {
    const answer = await app.ask('POST /api/cms/taxonomy', { body })
    t.match(answer, { status: 422, body: { error: 'Validation failed' } }, JSON.stringify(body))
    t.match(answer.body.errors?.[field]?.[0], message, answer.text)
  }
  t.equal((await app.ask('GET /api/cms/taxonomy/tags')).body.meta.total, 5)
})

each('a change says what it changes, and a term sent back as it was read changes nothing', async (t, app, { store }) => {
  const source = async () => (await store.get(keyOf('taxonomy/tags', 'News')))?.source?.toString()
  const before = await app.ask('GET /api/cms/taxonomy/tags/news')
  const same = await app.ask('PUT /api/cms/taxonomy/tags/news', { body: { ...before.body.data, type: 'tags' } })
  t.same([same.status, same.body, same.headers.etag], [200, before.body, before.headers.etag])
  const named = await app.ask('PATCH /api/cms/taxonomy/tag/news', { body: { name: 'Press' } })
  t.match(named.body.data, { id: 'news', name: 'Press', description: 'What is new.', count: 4 })
  t.equal(await source(), 'name: Press\ndescription: What is new.\n')
  await app.ask('PUT /api/cms/taxonomy/tags/news', { body: { description: null } })
  t.equal(await source(), 'name: Press\n')
  for (const [body, field] of [
    [{ count: 9 }, 'count'],
    [{ id: 'other' }, 'id'],
    [{ type: 'category' }, 'type'],
    [{ name: null }, 'name'],
    [{ nmae: 'x' }, 'nmae'],
  ] as const) {
    const answer = await app.ask('PUT /api/cms/taxonomy/tags/news', { body })
    t.ok(answer.status === 422 && answer.body.errors[field], answer.text)
  }
  const declared = await app.ask('PUT /api/cms/taxonomy/tags/soon', { body: { description: 'Later.' } })
  t.match(declared.body.data, { id: 'soon', name: 'soon', description: 'Later.', declared: true, count: 1 })
})

each('a term is not moved below itself', async (t, app) => {
  const under = (id: string, parent: string | null) => app.ask(`PUT /api/cms/taxonomy/categories/${id}`, { body: { parent } })
  t.match(await under('germany', 'berlin'), { status: 422, body: { errors: { parent: [/below/] } } })
  t.match(await under('germany', 'germany'), { status: 422 })
  t.match(await under('europe', 'berlin'), { status: 422 })
  t.match(await under('berlin', 'nowhere'), { status: 422, body: { errors: { parent: [/"nowhere"/] } } })
  t.match((await under('berlin', 'Europe')).body.data, { parent: 'europe' })
  t.match((await under('germany', 'berlin')).body.data, { parent: 'berlin' })
  t.match((await under('germany', null)).body.data, { parent: null })
  const all = await Promise.all([under('germany', 'berlin'), under('berlin', 'germany')])
  t.same(all.map(({ status }) => status).sort(), [200, 422], 'nor by two at once')
})

each('writing terms takes the right to it, and If-Match is heeded', async (t, app) => {
  const weak = { as: 'content:read,content:drafts,content:write,content:publish,content:delete' }
  for (const request of ['POST /api/cms/taxonomy', 'PUT /api/cms/taxonomy/tags/news', 'DELETE /api/cms/taxonomy/tags/news']) {
    const body = request.startsWith('DELETE') ? {} : { body: { type: 'tag', name: 'X' } }
    t.match(await app.ask(request, { ...weak, ...body }), { status: 403, body: { message: /taxonomy:write/ } }, request)
  }
  const alone = { as: 'taxonomy:write' }
  const made = await app.ask('POST /api/cms/taxonomy', {
    ...alone,
    body: { type: 'tag', name: 'News item', slug: 'front-matter' },
  })
  t.match(made, { status: 201, body: { data: { id: 'front-matter', count: 0 } } }, 'who reads no records counts none')
  t.equal((await app.ask('PUT /api/cms/taxonomy/tags/soon', { ...alone, body: { name: 'X' } })).status, 404)
  const reader = { as: 'content:read,taxonomy:write' }
  t.equal((await app.ask('DELETE /api/cms/taxonomy/tags/soon', reader)).status, 404, 'used only by what is not live')
  const { headers } = await app.ask('GET /api/cms/taxonomy/tags/news')
  const match = { 'if-match': headers.etag ?? '' }
  t.equal((await app.ask('PUT /api/cms/taxonomy/tags/news', { body: { name: 'One' }, headers: match })).status, 200)
  t.equal((await app.ask('PUT /api/cms/taxonomy/tags/news', { body: { name: 'Two' }, headers: match })).status, 412)
  t.equal((await app.ask('DELETE /api/cms/taxonomy/tags/news', { headers: match })).status, 412)
  const implied = await app.ask('GET /api/cms/taxonomy/tags/hush')
  t.match(implied.headers.etag, /^"implied-[0-9a-f]{8}"$/)
  t.equal(
    (await app.ask('PUT /api/cms/taxonomy/tags/hush', { body: { name: 'Hush' }, headers: { 'if-match': '"0"' } })).status,
    412,
  )
  const kept = { 'if-match': implied.headers.etag ?? '' }
  t.equal((await app.ask('PUT /api/cms/taxonomy/tags/hush', { body: { name: 'Hush' }, headers: kept })).status, 200)
})

each('a retried POST is answered as the first was', async (t, app) => {
  const headers = { 'idempotency-key': 'k' }
  const body = { type: 'tag', name: 'Again' }
  const [first, second] = [
    await app.ask('POST /api/cms/taxonomy', { body, headers }),
    await app.ask('POST /api/cms/taxonomy', { body, headers }),
  ]
  t.same([second.status, second.text, second.headers.location], [201, first.text, first.headers.location])
  const other = await app.ask('POST /api/cms/taxonomy', { body: { ...body, name: 'Other' }, headers })
  t.equal(other.status, 422)
})

each('switched off, there are no such addresses', async (t, _, opened) => {
  const app = new TestApp(opened, { config: { features: { api: true, taxonomy: false } } })
  t.equal((await app.ask('GET /api/cms/taxonomy/tags')).status, 404)
  t.equal((await app.ask('GET /api/cms/taxonomy/tags/news')).status, 404)
  t.equal((await app.ask('POST /api/cms/taxonomy', { body: { type: 'tag', name: 'X' } })).status, 404)
})
