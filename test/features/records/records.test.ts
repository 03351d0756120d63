import t, { type Test } from 'tap'
import { TestApp } from '#support/app.ts'
import { longTest } from '#support/long.ts'
import { eachStore, etagOf, firstDate, type OpenedStore, openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/posts/a.md':
    '---\ntitle: Apple\ndate: 2025-01-01\nauthor: ada\ntags: [News, Node.js]\ncategories: [guides]\nprice: 5\nfeatured: true\nlayout: old\n---\nOn apples.\n',
  'content/posts/b.md':
    '---\ntitle: Birne\ndate: 2025-02-01\nauthor: bob\ntags: [news]\ncategories: [git]\nprice: 12\n---\nOn pears.\n',
  'content/posts/c.md': '---\ntitle: Éclair\nstatus: draft\nprice: 100\ntags: [secret]\n---\nNot yet.\n',
  'content/posts/d.md': '---\ntitle: Date\ndate: 2026-02-01\n---\nTo come.\n',
  'content/posts/e.md': '---\ntitle: Elder\ndate: 2024-01-01\nexpires_at: 2024-06-01\n---\nOver.\n',
  'content/posts/broken.md': '---\ntitle: [\n---\n',
  'content/posts/2026/deep.md': '---\ntitle: Deep\ndate: 2023-01-01\n---\n',
  'content/notes/n.md': '---\nnumber: 10\n---\n# Heading\n',
  'content/notes/m.md': '---\nnumber: 9\n---\n',
  'content/authors/ada.yaml': 'name: Ada\nbody: Wrote.\n',
  'content/authors/bob.yaml': 'name: Bob\nstatus: draft\n',
  'content/index.md': '# Home\n',
  'content/taxonomy/categories/guides.yaml': 'name: Guides\n',
  'content/taxonomy/categories/git.yaml': 'name: Git\nparent: guides\n',
}

const types = plainTypes({
  posts: {
    label: 'Posts',
    permalink: '/blog/{slug}',
    fields: {
      author: { type: 'reference', to: 'authors' },
      price: { type: 'number', rules: 'min:0' },
      featured: { type: 'boolean' },
    },
  },
  empty: {},
})

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, { files: FILES, types }, (t, opened) => body(t, new TestApp(opened), opened)))
}

/** Ids of a list. */
async function ids(app: TestApp, url: string, as = 'admin'): Promise<string[]> {
  const answer = await app.ask(`GET ${url}`, { as })
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${answer.text}`)
  return answer.body.data.map((record: { id: string }) => record.id)
}

each('a record is flat, in a fixed order, with null for what is not known', async (t, app, opened) => {
  const { status, body, headers } = await app.ask('GET /api/cms/posts/a')
  t.equal(status, 200)
  t.same(Object.keys(body.data), [
    ...['id', 'type', 'title', 'slug', 'status', 'body', 'url', 'version', 'author', 'categories', 'tags'],
    ...['created_at', 'updated_at', 'published_at', 'price', 'featured', 'layout'],
  ])
  t.match(body.data, { id: 'a', type: 'posts', title: 'Apple', slug: 'a', status: 'published', url: '/blog/a', author: 'ada' })
  t.same(body.data.tags, ['news', 'node-js'])
  t.equal(body.data.created_at, firstDate(opened))
  t.equal(body.data.published_at, '2025-01-01T00:00:00.000Z')
  t.match(headers.etag, etagOf(opened, body.data.version))
  t.match(body.data.version, /^[0-9a-f]{40}$/)
  const deep = await app.ask('GET /api/cms/posts/2026~deep')
  t.match(deep.body.data, { id: '2026~deep', slug: 'deep', price: null })
  t.match((await app.ask('GET /api/cms/pages/index')).body.data, { title: 'Home', url: '/' })
})

each('the status is what the clock makes of it, and so are ETag and answer', async (t, app, opened) => {
  const { clock } = opened
  const before = await app.ask('GET /api/cms/posts/d')
  t.equal(before.body.data.status, 'scheduled')
  t.match(before.headers.etag, /^"[0-9a-f]{40}-[0-9a-f]{8}"$/)
  const list = await app.ask('GET /api/cms/posts?status=scheduled')
  t.same(await ids(app, '/api/cms/posts?status=scheduled'), ['d'])
  t.same(await ids(app, '/api/cms/posts?status=expired'), ['e'])
  t.equal((await app.ask('GET /api/cms/posts/d', { as: 'read' })).status, 404)
  clock.set('2026-02-01T00:00:00.000Z')
  const after = await app.ask('GET /api/cms/posts/d', { as: 'read', headers: { 'if-none-match': before.headers.etag ?? '' } })
  t.equal(after.status, 200)
  t.equal(after.body.data.status, 'published')
  t.match(after.headers.etag, etagOf(opened, after.body.data.version))
  t.same(await ids(app, '/api/cms/posts?status=scheduled'), [])
  t.not((await app.ask('GET /api/cms/posts')).headers.etag, list.headers.etag)
})

each('a list kept for later tells of the clock at once', async (t, app, { clock }) => {
  const url = '/api/cms/posts?filter[id]=d'
  t.equal((await app.ask(`GET ${url}`)).body.data[0].status, 'scheduled')
  t.equal((await app.ask(`GET ${url}`)).body.data[0].status, 'scheduled')
  clock.set('2026-02-01T00:00:00.000Z')
  t.equal((await app.ask(`GET ${url}`)).body.data[0].status, 'published')
})

each('a clock that is set back takes back what it had made public', async (t, app, { clock }) => {
  const urls = ['', '?status=published', '?sort=title', '?filter[id][in]=d,a', '?fields=title'].map(
    (query) => `/api/cms/posts${query}`,
  )
  const shown = async () => {
    const one = await app.ask('GET /api/cms/posts/d', { as: 'read' })
    const lists = await Promise.all(urls.map((url) => app.ask(`GET ${url}`, { as: 'read' })))
    const { body } = await app.ask('GET /api/cms/types/posts', { as: 'read' })
    return { status: one.status, listed: lists.map((list) => String(list.text).includes('"d"')), count: body.data.count }
  }
  const before = await shown()
  clock.set('2026-02-01T00:00:00.000Z')
  const meanwhile = await shown()
  t.strictSame([before.status, meanwhile.status, meanwhile.count], [404, 200, before.count + 1])
  clock.set('2026-01-15T12:00:00.000Z')
  t.strictSame(await shown(), before)
})

each('a list is whole records with meta, by default newest first, then by id, without date last', async (t, app) => {
  const { body } = await app.ask('GET /api/cms/posts')
  t.same(
    body.data.map((record: { id: string }) => record.id),
    ['d', 'b', 'a', 'e', '2026~deep', 'c'],
  )
  t.same(body.meta, { total: 6, per_page: 15, current_page: 1, last_page: 1 })
  t.equal(body.data[1].body, 'On pears.\n')
  const second = await app.ask('GET /api/cms/posts?per_page=4&page=2')
  t.same(second.body.meta, { total: 6, per_page: 4, current_page: 2, last_page: 2 })
  t.equal(second.body.data.length, 2)
  const past = await app.ask('GET /api/cms/posts?page=9007199254')
  t.same([past.status, past.body.data], [200, []])
  t.equal((await app.ask('GET /api/cms/posts?per_page=1000')).body.meta.per_page, 100)
  t.same((await app.ask('GET /api/cms/empty')).body, {
    data: [],
    meta: { total: 0, per_page: 15, current_page: 1, last_page: 1 },
  })
})

each('filters, terms and sorting', async (t, app) => {
  const cases: [string, string[]][] = [
    ['filter[price]=5', ['a']],
    ['filter[price][gte]=12', ['b', 'c']],
    ['filter[price][lt]=100&filter[price][ne]=5&filter[price][gt]=0', ['b']],
    ['filter[price]=null', ['d', 'e', '2026~deep']],
    ['filter[price][ne]=null', ['b', 'a', 'c']],
    ['filter[author][in]=ada,bob', ['b', 'a']],
    ['filter[title][contains]=ECL', ['c']],
    ['filter[featured]=true', ['a']],
    ['filter[published_at][gte]=2025-01-15', ['d', 'b']],
    ['filter[tags]=news', ['b', 'a']],
    ['tag=News', ['b', 'a']],
    ['tag=node-js,secret', ['a', 'c']],
    ['category=guides', ['b', 'a']],
    ['category=Git', ['b']],
    ['tag=nothing', []],
    ['status=nothing', []],
    ['status=draft', ['c']],
    ['sort=title', ['a', 'b', 'd', '2026~deep', 'e', 'c']],
    ['sort=-price,title', ['c', 'b', 'a', 'd', '2026~deep', 'e']],
    ['sort=price', ['a', 'b', 'c', '2026~deep', 'd', 'e']],
  ]
  for (const [query, expected] of cases) t.same(await ids(app, `/api/cms/posts?${query}`), expected, query)
})

each('a type without a schema takes any field, numbers as numbers', async (t, app) => {
  t.same(await ids(app, '/api/cms/notes?sort=number'), ['m', 'n'])
  t.same(await ids(app, '/api/cms/notes?filter[number][gt]=9'), ['n'])
  t.same(await ids(app, '/api/cms/notes?filter[whatever]=1'), [])
  for (const name of ['constructor', 'toString', '__proto__']) {
    t.same(await ids(app, `/api/cms/notes?filter[${name}][ne]=null`), [], name)
    const [record] = (await app.ask(`GET /api/cms/notes?per_page=1&fields=${name}`)).body.data
    t.equal(JSON.stringify(record), `{"${name}":null}`, 'what objects inherit is no field')
  }
})

each('what is mistyped in a query never returns everything', async (t, app, { name }) => {
  type Case = [string, number, RegExp]
  const cases: Case[] = [
    ['pge=1', 400, /"pge".*"page"/],
    ['catgory=x', 400, /"category"/],
    ['filter[pice]=1', 400, /"price"/],
    ['filter[body]=1', 400, /body/],
    ['filter[price][gtt]=1', 400, /"gt/],
    [`filter[title][contains]=${'x'.repeat(257)}`, 422, /256/],
    ['filter[price', 400, /filter/],
    ['filter=1', 400, /filter/],
    ['page=1&page=2', 400, /twice/],
    ['page=%ff', 400, /encoded/],
    // This asks for a history, which a database has.
    name === 'postgres' ? ['at=1', 422, /13 digits/] : ['at=1', 404, /git/],
    ['q=', 422, /1 to 256/],
    [`q=${'x'.repeat(257)}`, 422, /1 to 256/],
    [`q=${encodeURIComponent('🚀'.repeat(257))}`, 422, /1 to 256/],
    ['deleted=1', 422, /true or false/],
    ['facets=pice', 422, /"price"/],
    ['facets=body', 422, /body/],
    ['facets=status,tags,author,price,id,title', 422, /5/],
    ['page=0', 422, /page/],
    ['page=1.0', 422, /page/],
    ['page=0x10', 422, /page/],
    ['per_page=-1', 422, /per_page/],
    ['per_page=', 422, /per_page/],
    ['status=', 422, /status/],
    ['filter[price]=cheap', 422, /number/],
    ['filter[featured]=1', 422, /true or false/],
    ['filter[published_at][gt]=yesterday', 422, /date/],
    ['filter[published_at][gt]=2025-02-30', 422, /date/],
    ['filter[published_at][gt]=2025-02-29T12:00:00Z', 422, /date/],
    ['sort=pice', 422, /"price"/],
    ['sort=id,title,slug,status,price,author', 422, /5/],
    ['fields=nope', 422, /nope/],
    ['include=price', 422, /price/],
    [
      Array.from(
        { length: 11 },
        (_, n) => `filter[${['id', 'slug', 'title'][n % 3]}][${['ne', 'gt', 'lt', 'gte'][n % 4]}]=${n}`,
      ).join('&'),
      422,
      /10/,
    ],
  ]
  for (const [query, status, message] of cases) {
    const answer = await app.ask(`GET /api/cms/posts?${query}`)
    t.equal(answer.status, status, query)
    t.match(answer.body.message, message, query)
    t.equal(answer.body.data, undefined)
  }
  t.equal((await app.ask('GET /api/cms/posts/a?fieds=id')).status, 400)
  t.equal((await app.ask('DELETE /api/cms/posts/a?force=1')).status, 400)
  t.equal((await app.ask('GET /api/cms/types?x=1')).status, 400)
})

each('fields and include choose what is answered, and change the ETag', async (t, app) => {
  const plain = await app.ask('GET /api/cms/posts/a')
  const some = await app.ask('GET /api/cms/posts/a?fields=title,id')
  t.same(some.body.data, { title: 'Apple', id: 'a' })
  const more = await app.ask('GET /api/cms/posts/a?include=author')
  t.match(more.body.data.author, { id: 'ada', type: 'authors', name: 'Ada', body: 'Wrote.' })
  t.equal(new Set([plain.headers.etag, some.headers.etag, more.headers.etag]).size, 3)
  for (const { headers } of [some, more]) t.match(headers.etag, new RegExp(`^"${plain.body.data.version}-[0-9a-f]{8}"$`))
  const list = await app.ask('GET /api/cms/posts?include=author&fields=id,author&sort=id', { as: 'read' })
  t.match(list.body.data, [
    { id: '2026~deep', author: null },
    { id: 'a', author: { id: 'ada' } },
    { id: 'b', author: 'bob' },
  ])
  t.equal((await app.ask('GET /api/cms/posts/b?include=author')).body.data.author.name, 'Bob')
  t.equal((await app.ask('GET /api/cms/posts/b?include=author', { as: 'read' })).body.data.author, 'bob', 'a draft is not there')
  t.equal((await app.ask('GET /api/cms/posts/a?include=author', { as: 'admin', types: ['posts'] })).body.data.author, 'ada')
  t.equal(
    (await app.ask('GET /api/cms/posts/a?include=author', { as: 'content:read@posts,content:drafts' })).body.data.author,
    'ada',
  )
})

each('who may not read a record reads none by changing it', async (t, app) => {
  for (const as of ['content:write', 'content:write,content:drafts,content:publish']) {
    for (const [request, body] of [
      ['PUT /api/cms/posts/a', {}],
      ['PUT /api/cms/posts/c', {}],
      ['PUT /api/cms/posts/a?base=0000000000000000', { title: 'New' }],
      ['POST /api/cms/posts/a/move', { id: 'moved' }],
      ['POST /api/cms/posts/a/rollback/1', {}],
    ] as const) {
      const { status, body: answer, text } = await app.ask(request, { body, as })
      t.same([status, answer.message], [403, 'This needs the right content:read for "posts".'], `${request} ${text}`)
    }
  }
  t.equal((await app.ask('POST /api/cms/posts', { body: { title: 'Made' }, as: 'content:write' })).status, 201)
  t.equal((await app.ask('DELETE /api/cms/posts/made', { as: 'content:delete,content:drafts' })).status, 200)
})

each('what is not live does not exist without content:drafts', async (t, app) => {
  t.same(await ids(app, '/api/cms/posts', 'read'), ['b', 'a', '2026~deep'])
  t.equal((await app.ask('GET /api/cms/posts', { as: 'read' })).body.meta.total, 3)
  for (const id of ['c', 'd', 'e']) t.equal((await app.ask(`GET /api/cms/posts/${id}`, { as: 'read' })).status, 404)
  for (const method of ['PUT', 'DELETE']) {
    const answer = await app.ask(`${method} /api/cms/posts/c`, {
      as: 'content:read,content:write,content:delete',
      ...(method === 'PUT' && { body: {} }),
    })
    t.same([answer.status, answer.body.message], [404, 'The record was not found.'])
  }
  t.same(await ids(app, '/api/cms/posts?status=draft', 'read'), [])
  t.same(await ids(app, '/api/cms/posts?tag=secret', 'read'), [])
  const counts = async (as: string) => (await app.ask('GET /api/cms/types/posts', { as })).body.data.count
  t.same([await counts('read'), await counts('admin')], [3, 6])
})

each('types: declared ones and folders, as the reader may see them', async (t, app) => {
  const { body } = await app.ask('GET /api/cms/types')
  t.same(
    body.data.map((type: { name: string }) => type.name),
    ['posts', 'empty', 'authors', 'notes', 'pages'],
  )
  t.match(body.data[0], { label: 'Posts', taxonomies: ['categories', 'tags'], count: 6 })
  t.match(body.data[0].fields[1], { name: 'price', type: 'number', rules: ['min:0'] })
  t.match(body.data[0].statuses[0], { name: 'draft', live: false, to: ['in_review', 'published'] })
  const limited = await app.ask('GET /api/cms/types', { as: 'read', types: ['notes'] })
  t.same(
    limited.body.data.map((type: { name: string }) => type.name),
    ['notes'],
  )
  t.equal(limited.body.meta.total, 1)
  for (const path of ['nowhere', 'types/nowhere', 'taxonomy', 'media', '.tokens', 'menus']) {
    t.equal((await app.ask(`GET /api/cms/${path}`)).status, 404, path)
  }
})

each('an unreadable record is 422 on its own address, and nowhere else', async (t, app) => {
  const { status, body } = await app.ask('GET /api/cms/posts/broken')
  t.equal(status, 422)
  t.equal(body.error, 'Unreadable record')
  t.match(body.message, /broken\.md:\d+/)
  t.notMatch((await app.ask('GET /api/cms/posts/broken', { as: 'read' })).body.message, /broken\.md/)
  t.equal((await app.ask('PUT /api/cms/posts/broken', { body: { title: 'X' } })).status, 422)
  t.equal((await app.ask('DELETE /api/cms/posts/broken')).status, 200)
  t.equal((await app.ask('GET /api/cms/posts/broken')).status, 404)
})

each('If-None-Match compares weakly, and every GET has its HEAD', async (t, app) => {
  for (const url of ['/api/cms/posts/a', '/api/cms/posts', '/api/cms/posts/a?fields=id']) {
    const { headers, text } = await app.ask(`GET ${url}`)
    const etag = headers.etag ?? ''
    for (const sent of [etag, `W/${etag}`, `"x", W/${etag}`, '*']) {
      const answer = await app.ask(`GET ${url}`, { headers: { 'if-none-match': sent } })
      t.same([answer.status, answer.text, answer.headers.etag], [304, '', etag], sent)
    }
    t.equal((await app.ask(`GET ${url}`, { headers: { 'if-none-match': '"other"' } })).status, 200)
    const head = await app.ask(`HEAD ${url}`)
    t.same([head.status, head.text, head.headers['content-length']], [200, '', String(Buffer.byteLength(text))])
  }
})

longTest('an answer holds at most 8 MiB: past that bodies are left out, and pages stay where they are', async (t) => {
  const big = 'x'.repeat(1_900_000)
  const one = (n: number) => `---\ntitle: "${n}"\npart: p${n}\n---\n${big}\n`
  const files = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`content/big/${n}.md`, one(n)]))
  const long = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [`content/long/${n}.md`, `---\ntext: ${big}\n---\nBody ${n}.\n`]),
  )
  const types = plainTypes({ big: { additional_fields: true, fields: { part: { type: 'reference', to: 'big' } } } })
  await eachStore(t, { files: { ...files, ...long }, types }, async (t, opened) => {
    const app = new TestApp(opened)
    const few = await app.ask('GET /api/cms/big?per_page=4')
    t.same(few.body.meta, { total: 7, per_page: 4, current_page: 1, last_page: 2 })
    t.equal(few.body.data[0].body.trim(), big)
    const url = '/api/cms/big?per_page=7'
    const first = await app.ask(`GET ${url}`)
    t.same(first.body.meta, { total: 7, per_page: 7, current_page: 1, last_page: 1, omitted: ['body'] })
    t.same(
      first.body.data.map(({ id, title, body }: { id: string; title: string; body?: string }) => [id, title, body]),
      ['0', '1', '2', '3', '4', '5', '6'].map((id) => [id, id, undefined]),
    )
    t.same((await app.ask(`GET ${url}`)).text, first.text)
    const etag = first.headers.etag ?? ''
    t.equal((await app.ask(`GET ${url}`, { headers: { 'if-none-match': etag } })).status, 304)
    const head = await app.ask(`HEAD ${url}`)
    t.same([head.headers.etag, head.headers['content-length']], [etag, String(Buffer.byteLength(first.text))])
    t.equal((await app.ask('GET /api/cms/big?per_page=7&fields=title')).body.meta.omitted, undefined, 'bodies were not asked for')
    const named = await app.ask('GET /api/cms/big?per_page=7&fields=id,body&facets=title')
    t.same([named.body.data[3], named.body.meta.omitted, named.body.meta.facets.title['3']], [{ id: '3' }, ['body'], 1])
    await app.ask('PUT /api/cms/big/0', { body: { part: '1' } })
    const including = await app.ask('GET /api/cms/big?per_page=7&include=part')
    t.match(including.body.data.find(({ id }: { id: string }) => id === '0').part, { id: '1', body: undefined })
    t.not((await app.ask(`GET ${url}`)).headers.etag, etag)
    const rest = await app.ask('GET /api/cms/long?per_page=6')
    t.same(rest.body.meta.omitted, ['body', 'text'], 'what is too long without bodies goes without more')
    t.equal(rest.body.data.length, 6)
    t.ok(Buffer.byteLength(rest.text) <= 8 * 1024 * 1024)
  })
})

t.test('a file whose name is no id is unreadable at its own address', async (t) => {
  const files = {
    'content/posts/good.md': '# Good',
    'content/posts/what?.md': '---\ntitle: Secret\n---\n',
    'content/posts/a~b.md': '# Bad',
    'content/posts/x:y/index.md': '# Bad',
  }
  const opened = await openFiles({ files })
  t.teardown(opened.close)
  const app = new TestApp(opened)
  for (const id of ['what?', 'a~b', 'x:y']) {
    const { status, body } = await app.ask(`GET /api/cms/posts/${encodeURIComponent(id)}`)
    t.match([status, body], [422, { error: 'Unreadable record', message: /content\/posts\/.*can't be an id/ }], id)
  }
  for (const path of [
    'GET /revisions',
    'GET /revisions/1768478400000',
    'GET /revisions/1768478400000/diff',
    'POST /rollback/1768478400000',
  ]) {
    const [method, rest] = path.split(' ')
    const { status, body } = await app.ask(`${method} /api/cms/posts/what%3F${rest}`)
    t.match([status, body], [422, { error: 'Unreadable record', message: /what\?\.md/ }], path)
  }
  const reader = await app.ask('GET /api/cms/posts/what%3F', { as: 'read' })
  t.equal(reader.status, 422, 'as any other that is unreadable')
  t.notMatch(reader.text, /what|Secret/)
  const put = await app.ask('PUT /api/cms/posts/what%3F', { body: { title: 'X' } })
  const remove = await app.ask('DELETE /api/cms/posts/a~b')
  const move = await app.ask('POST /api/cms/posts/x%3Ay/move', { body: { id: 'z' } })
  t.same(
    [put, remove, move].map(({ status, body }) => [status, body.error]),
    Array(3).fill([422, 'Unreadable record']),
  )
  for (const id of ['nothing', 'what!', 'a~b~c', 'what%3F%3F']) {
    t.equal((await app.ask(`GET /api/cms/posts/${id}`)).status, 404, id)
  }
  t.equal((await app.ask('GET /api/cms/posts/what%3F', { as: 'content:read', types: ['pages'] })).status, 404)
  t.same(await ids(app, '/api/cms/posts'), ['good'])
})
