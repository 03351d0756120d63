import fc from 'fast-check'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { runsOf } from '#support/long.ts'
import { eachStore, etagOf, type OpenedStore, openFiles, openMemory } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const SOURCE = '---\n# mine\ntitle: "Apple"   # keep\ndate: 2025-01-01\nauthor: ada\ntags: [News]\nlayout: old\n---\nOn apples.\n'
const FILES = {
  'content/posts/a.md': SOURCE,
  'content/posts/b.md': '---\ntitle: Birne\nstatus: draft\n---\nOn pears.\n',
  'content/posts/s.md': '---\ntitle: Soon\ndate: 2030-01-01\n---\n',
  'content/notes/n.md': '---\nnumber: 10\n---\n# Heading\n',
  'content/authors/ada.yaml': 'name: Ada\n',
  'content/authors/ghost.yaml': 'name: Ghost\nstatus: draft\n',
}

const types = plainTypes({
  posts: {
    permalink: '/blog/{slug}',
    fields: {
      author: { type: 'reference', to: 'authors' },
      price: { type: 'number', rules: 'min:0' },
      sku: { type: 'text', rules: 'unique:posts' },
      names: { type: 'list' },
    },
  },
  dated: { path: '{year}/{month}/{slug}' },
  raw: { html: 'trusted' },
})

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, { files: FILES, types }, (t, opened) => body(t, new TestApp(opened), opened)))
}

const source = async ({ store }: OpenedStore, type: string, id: string) => (await store.get(keyOf(type, id)))?.source?.toString()

each('a name that hundreds have is not looked for from the first on', async (t, app, { store }) => {
  const named = (n: number) => (n === 1 ? 'note' : `note-${n}`)
  for (let from = 1; from < 600; from += 300) {
    const ids = Array.from({ length: 300 }, (_, n) => named(from + n))
    const changes = ids.map((id) => ({ key: keyOf('notes', id), put: { set: { title: 'Note' } } }))
    await store.write(changes, { name: 'A', email: 'a@example.org' })
  }
  let asked = 0
  const { heads } = store
  store.heads = (...args) => {
    asked++
    return heads.apply(store, args)
  }
  const { body } = await app.ask('POST /api/cms/notes', { body: { title: 'Note' } })
  t.equal(body.data.id, named(601))
  t.ok(asked > 0 && asked < 40, `${asked} questions`)
})

t.test('a name whose id is taken by what has another slug, or can’t be read, is not taken', async (t) => {
  const files = {
    'content/posts/apple.md': '---\ntitle: Apple\nslug: pomme\n---\n',
    'content/posts/pear.md': '---\ntitle: "Pear\n---\n',
    'content/posts/plum.md': '---\ntitle: Plum\nslug: prune\n---\n',
    'content/posts/plum/index.md': '---\ntitle: Plum\nslug: prune\n---\n',
  }
  const opened = await openFiles({ files, types })
  t.teardown(opened.close)
  const app = new TestApp(opened)
  for (const title of ['Apple', 'Pear', 'Plum']) {
    const { status, body } = await app.ask('POST /api/cms/posts', { body: { title } })
    t.match([status, body.data?.id], [201, `${title.toLowerCase()}-2`])
  }
})

each('a new record is a draft, named by its title, and says so', async (t, app, opened) => {
  const { status, body, headers } = await app.ask('POST /api/cms/posts', {
    body: { title: 'Größe: Ändern & mehr!', body: 'Hi\n', tags: ['Big News'] },
  })
  t.equal(status, 201)
  t.match(body.data, {
    id: 'grosse-andern-and-mehr',
    slug: 'grosse-andern-and-mehr',
    status: 'draft',
    tags: ['big-news'],
    published_at: null,
  })
  t.equal(headers.location, '/api/cms/posts/grosse-andern-and-mehr')
  t.match(headers.etag, etagOf(opened, body.data.version))
  t.match(await source(opened, 'posts', body.data.id), /^status: draft$/m)
  t.same((await app.ask(`GET ${headers.location}`)).body, body)
})

each('names that are made give way, names that are sent do not', async (t, app) => {
  const made: string[] = []
  for (let n = 0; n < 3; n++) made.push((await app.ask('POST /api/cms/posts', { body: { title: 'A' } })).body.data.id)
  t.same(made, ['a-2', 'a-3', 'a-4'])
  t.equal((await app.ask('POST /api/cms/posts', { body: { title: '!!!' } })).body.data.id, 'untitled')
  t.equal((await app.ask('POST /api/cms/posts', { body: { title: 'Con' } })).body.data.id, 'con-2')
  const long = await app.ask('POST /api/cms/posts', { body: { title: 'word '.repeat(39) } })
  t.ok(long.body.data.id.length <= 100 && long.body.data.id.endsWith('word'))
  const taken = await app.ask('POST /api/cms/posts', { body: { slug: 'a' } })
  t.same([taken.status, taken.body.error], [409, 'Conflict'])
  const other = await app.ask('POST /api/cms/posts', { body: { slug: 'Привет', title: 'X' } })
  t.match(other.body.data, { slug: 'Привет' })
  t.match(other.body.data.id, /^[a-z0-9][a-z0-9._-]*$/)
  const at = await Promise.all(Array.from({ length: 30 }, () => app.ask('POST /api/cms/posts', { body: { title: 'Same' } })))
  const wanted = at.map((_, n) => (n === 0 ? 'same' : `same-${n + 1}`))
  t.same(new Set(at.map(({ body }) => body.data?.id)), new Set(wanted))
  const once = await Promise.all(Array.from({ length: 4 }, () => app.ask('POST /api/cms/posts', { body: { slug: 'only' } })))
  t.same(once.map(({ status }) => status).sort(), [201, 409, 409, 409])
})

each('a name of another script stays, and is cut to what an id may have', async (t, app) => {
  const thai = 'สวัสดีชาวโลก'
  const first = await app.ask('POST /api/cms/posts', { body: { title: thai } })
  t.match(first.body.data, { id: thai, slug: thai })
  t.equal(first.headers.location, `/api/cms/posts/${encodeURIComponent(thai)}`)
  t.equal((await app.ask(`GET ${first.headers.location}`)).body.data.id, thai)
  for (const [type, n] of [
    ['posts', 3],
    ['dated', 3],
  ] as const) {
    const ids = new Set<string>()
    for (let i = 0; i < n; i++) {
      const { status, body } = await app.ask(`POST /api/cms/${type}`, { body: { title: thai.repeat(10) } })
      t.equal(status, 201)
      ids.add(body.data.id)
      t.ok(Buffer.byteLength(body.data.id) <= 200, `${Buffer.byteLength(body.data.id)} bytes`)
    }
    t.equal(ids.size, n)
  }
  const sent = await app.ask('POST /api/cms/posts', { body: { title: 'X', slug: 'C++ 日本' } })
  t.match(sent.body.data, { id: 'c-plus-plus-日本', slug: 'C++ 日本' })
})

each('an id that differs only in case from a hidden one is refused without its name', async (t, app, { store }) => {
  const key = keyOf('posts', 'SecretPlan')
  await store.write([{ key, put: { set: { title: 'S', status: 'draft' } } }], { name: 'A', email: 'a@example.org' })
  for (const [as, named] of [
    ['read,content:write', /^The id "secretplan" differs only in case from one that exists\.$/],
    ['admin', /^The id "secretplan" differs only in case from that of "posts\/SecretPlan"\.$/],
  ] as const) {
    const made = await app.ask('POST /api/cms/posts', { body: { title: 'Y', slug: 'secretplan' }, as })
    t.match([made.status, made.body], [409, { message: named }], `create as ${as}`)
    const moved = await app.ask('POST /api/cms/posts/a/move', { body: { id: 'secretplan' }, as })
    t.match([moved.status, moved.body], [409, { message: named }], `move as ${as}`)
  }
})

each('a made name gives way to one that differs only in case, a sent one is refused', async (t, app) => {
  await app.ask('POST /api/cms/posts', { body: { title: 'Cased' } })
  t.equal((await app.ask('POST /api/cms/posts/cased/move', { body: { id: 'Cased' } })).status, 200)
  const made = await app.ask('POST /api/cms/posts', { body: { title: 'Cased' } })
  t.match([made.status, made.body.data], [201, { id: 'cased-2', slug: 'cased-2' }])
  const sent = await app.ask('POST /api/cms/posts', { body: { title: 'Y', slug: 'cased' } })
  t.match([sent.status, sent.body], [409, { error: 'Conflict' }])
})

t.test('a path goes by the time zone of the site', (t) =>
  eachStore(
    t,
    { types: plainTypes({ dated: { path: '{year}/{month}/{day}-{slug}' } }, 'Asia/Tokyo'), now: '2026-12-31T20:00:00Z' },
    async (t, opened) => {
      const app = new TestApp(opened)
      t.equal((await app.ask('POST /api/cms/dated', { body: { title: 'Now' } })).body.data.id, '2027~01~01-now')
      const then = await app.ask('POST /api/cms/dated', { body: { title: 'Then', published_at: '2019-06-30T23:30:00Z' } })
      t.equal(then.body.data.id, '2019~07~01-then')
    },
  ),
)

each('a type lays its records out in folders', async (t, app) => {
  const { body } = await app.ask('POST /api/cms/dated', { body: { title: 'Hello' } })
  t.match(body.data, { id: '2026~01~hello', slug: 'hello', url: '/dated/2026/01/hello' })
  const index = await app.ask('POST /api/cms/dated', { body: { title: 'Index' } })
  t.match(index.body.data, { id: '2026~01~index-2', slug: 'index' }, 'index.md in a folder would be the record of the folder')
  const dated = await app.ask('POST /api/cms/dated', { body: { title: 'Then', published_at: '2019-11-30T23:30:00-02:00' } })
  t.match(dated.body.data, { id: '2019~12~then', published_at: '2019-12-01T01:30:00.000Z' })
})

each('what is not allowed is said by field, and nothing is coerced or dropped', async (t, app) => {
  const cases: [unknown, string][] = [
    [{}, 'title'],
    [{ title: null }, 'title'],
    [{ title: 5 }, 'title'],
    [{ title: 'x'.repeat(201) }, 'title'],
    [{ title: 'X', slug: 'a/b' }, 'slug'],
    [{ title: 'X', status: 'nope' }, 'status'],
    [{ title: 'X', body: 5 }, 'body'],
    [{ title: 'X', tags: 'news' }, 'tags'],
    [{ title: 'X', price: '5' }, 'price'],
    [{ title: 'X', price: -1 }, 'price'],
    [{ title: 'X', pice: 1 }, 'pice'],
    [{ title: 'X', author: 'nobody' }, 'author'],
    [{ title: 'X', published_at: 'tomorrow' }, 'published_at'],
    [{ title: 'X', version: '0' }, 'version'],
    [{ title: 'X', created_at: '2020-01-01T00:00:00.000Z' }, 'created_at'],
    [{ title: 'X', type: 'notes' }, 'type'],
    [[], 'body'],
    ['"text"', 'body'],
  ]
  for (const [body, field] of cases) {
    const answer = await app.ask('POST /api/cms/posts', { body })
    t.equal(answer.status, 422, JSON.stringify(body))
    t.equal(answer.body.error, 'Validation failed')
    t.ok(answer.body.errors[field]?.length > 0, `${JSON.stringify(body)}: ${answer.text}`)
  }
  t.equal((await app.ask('POST /api/cms/nowhere', { body: { title: 'X' } })).status, 404)
  t.equal((await app.ask('GET /api/cms/posts')).body.meta.total, 3)
  await app.ask('POST /api/cms/posts', { body: { title: 'X', sku: 'one' } })
  t.match((await app.ask('POST /api/cms/posts', { body: { title: 'Y', sku: 'one' } })).body.errors, { sku: [/taken/] })
  t.match((await app.ask('POST /api/cms/posts', { body: { title: 'Z', author: 'ghost' }, as: 'content:write' })).body.errors, {
    author: [/ghost/],
  })
})

each('a change touches the lines it changes, null removes, a list is replaced', async (t, app, opened) => {
  const first = await app.ask('PUT /api/cms/posts/a', { body: { title: 'Pear' } })
  t.equal(first.status, 200)
  t.equal(await source(opened, 'posts', 'a'), SOURCE.replace('"Apple"', '"Pear"'))
  await app.ask('PATCH /api/cms/posts/a', { body: { tags: ['x', 'y'], author: null } })
  const { data } = (await app.ask('GET /api/cms/posts/a')).body
  t.match(data, { title: 'Pear', tags: ['x', 'y'], author: null, layout: 'old', body: 'On apples.\n' })
})

each('a record sent back as it was read changes nothing', async (t, app, opened) => {
  for (const id of ['a', 'b', 's']) {
    const before = await source(opened, 'posts', id)
    const { data } = (await app.ask(`GET /api/cms/posts/${id}`)).body
    const answer = await app.ask(`PUT /api/cms/posts/${id}`, { body: data, as: 'content:read,content:drafts,content:write' })
    t.same([answer.status, answer.body.data], [200, data])
    t.equal(await source(opened, 'posts', id), before)
  }
  const { data } = (await app.ask('GET /api/cms/posts/a?include=author')).body
  const titled = await app.ask('PUT /api/cms/posts/a', { body: { ...data, title: 'New' } })
  t.match(titled.body.data, { author: 'ada', title: 'New' })
  for (const field of ['id', 'type', 'url', 'version', 'created_at', 'updated_at']) {
    const answer = await app.ask('PUT /api/cms/posts/a', { body: { [field]: 'other' } })
    t.ok(answer.status === 422 && answer.body.errors[field], field)
  }
})

each('status moves: which are allowed, and who may make them', async (t, app, { clock }) => {
  const writer = 'content:read,content:drafts,content:write'
  t.match((await app.ask('PUT /api/cms/posts/b', { body: { status: 'published' }, as: writer })).body, {
    error: 'Forbidden',
    message: /content:publish/,
  })
  t.equal((await app.ask('PUT /api/cms/posts/b', { body: { status: 'in_review' }, as: writer })).status, 200)
  t.equal((await app.ask('PUT /api/cms/posts/b', { body: { status: 'archived' } })).status, 409)
  const live = await app.ask('PUT /api/cms/posts/b', { body: { status: 'published' }, as: 'edit' })
  t.match(live.body.data, { status: 'published', published_at: new Date(clock.now()).toISOString() })
  t.equal((await app.ask('PUT /api/cms/posts/b', { body: { title: 'At once' }, as: writer })).status, 200)
  t.equal((await app.ask('GET /api/cms/posts/b', { as: 'read' })).body.data.title, 'At once')
  for (const body of [{ status: 'draft' }, { expires_at: '2020-01-01' }, { published_at: '2099-01-01' }]) {
    t.equal((await app.ask('PUT /api/cms/posts/b', { body, as: writer })).status, 403, JSON.stringify(body))
  }
  t.equal((await app.ask('POST /api/cms/posts', { body: { title: 'X', status: 'published' }, as: writer })).status, 403)
  t.equal(
    (await app.ask('POST /api/cms/posts', { body: { title: 'X', status: 'published' } })).body.data.published_at,
    new Date(clock.now()).toISOString(),
  )
  t.equal(
    (await app.ask('PUT /api/cms/posts/s', { body: { status: 'scheduled', title: 'Later' } })).body.data.status,
    'scheduled',
  )
})

each('a status that the clock makes is no way to publish', async (t, app) => {
  const ask = (method: string, path: string, body: object) => app.ask(`${method} /api/cms/posts${path}`, { body })
  const status = async (id: string) => (await app.ask(`GET /api/cms/posts/${id}`)).body.data.status
  const refused = async (method: string, path: string, body: object) => {
    const answer = await ask(method, path, body)
    t.equal(answer.status, 422, `${method} ${JSON.stringify(body)}`)
    return answer.body.errors.status
  }
  t.match(await refused('POST', '', { title: 'X', status: 'scheduled' }), [/set published_at to a time to come/])
  t.match(await refused('POST', '', { title: 'X', status: 'expired' }), [/set expires_at/])
  await refused('POST', '', { title: 'X', status: 'scheduled', published_at: '2020-01-01' })
  for (const method of ['PUT', 'PATCH']) {
    for (const to of ['scheduled', 'expired']) {
      await refused(method, '/a', { status: to })
      await refused(method, '/b', { status: to })
    }
    await refused(method, '/s', { status: 'expired' })
    await refused(method, '/s', { status: 'scheduled', published_at: '2020-01-01' })
    await refused(method, '/s', { status: 'scheduled', published_at: null })
  }
  t.same([await status('a'), await status('b'), await status('s')], ['published', 'draft', 'scheduled'], 'nothing was written')
  t.equal((await app.ask('GET /api/cms/posts/x')).status, 404)
  const made = await ask('POST', '', { title: 'X', status: 'scheduled', published_at: '2099-01-01' })
  t.same([made.status, made.body.data.status], [201, 'scheduled'])
  const over = await ask('PUT', '/b', { status: 'expired', published_at: '2020-01-01', expires_at: '2021-01-01' })
  t.same([over.status, over.body.data.status], [200, 'expired'])
  const begun = (await app.ask('GET /api/cms/posts/s')).body.data
  t.equal((await ask('PUT', '/s', { published_at: '2020-01-01' })).body.data.status, 'published')
  const merged = await ask('PUT', `/s?base=${begun.version}`, { ...begun, title: 'Soon, or late' })
  t.same([merged.status, merged.body.data.status], [200, 'published'], 'as it was in the base')
})

each('rights are asked for by name', async (t, app) => {
  const cases: [string, string, string][] = [
    ['GET /api/cms/posts', 'content:write', 'content:read'],
    ['GET /api/cms/posts/a', 'content:read@notes', 'content:read'],
    ['POST /api/cms/posts', 'read', 'content:write'],
    ['PUT /api/cms/posts/a', 'read', 'content:write'],
    ['DELETE /api/cms/posts/a', 'content:read,content:write', 'content:delete'],
    ['POST /api/cms/posts/a/move', 'read', 'content:write'],
  ]
  for (const [request, as, right] of cases) {
    const body = /^(POST|PUT)/.test(request) ? { id: 'x', title: 'X' } : undefined
    const moved = request.endsWith('move') ? { id: 'x' } : body
    const answer = await app.ask(request, { as, ...(moved && { body: moved }) })
    t.match(answer, { status: 403, body: { error: 'Forbidden', message: new RegExp(right) } }, request)
  }
  t.equal((await app.ask('PUT /api/cms/posts/a', { body: {}, as: 'edit', types: ['notes'] })).status, 404)
  await app.ask('POST /api/cms/raw', { body: { title: 'R' } })
  t.equal(
    (await app.ask('PUT /api/cms/raw/r', { body: { body: '<b>' }, as: 'content:read,content:drafts,content:write' })).status,
    403,
  )
})

each('a new slug moves no file, and a taken one is refused', async (t, app) => {
  const { body } = await app.ask('PUT /api/cms/posts/a', { body: { slug: 'apple' } })
  t.match(body.data, { id: 'a', slug: 'apple', url: '/blog/apple' })
  t.equal((await app.ask('PUT /api/cms/posts/a', { body: { slug: 'b' } })).status, 409)
  t.equal((await app.ask('PUT /api/cms/posts/a', { body: { slug: 'a' } })).body.data.slug, 'a')
})

each('If-Match guards a change; without it the last write wins on its fields', async (t, app) => {
  const { headers, body } = await app.ask('GET /api/cms/posts/a')
  const etag = headers.etag ?? ''
  const { version } = body.data
  const put = (match: string, title: string) =>
    app.ask('PUT /api/cms/posts/a', { body: { title }, headers: { 'if-match': match } })
  t.equal((await put(etag, 'One')).status, 200)
  t.match(await put(etag, 'Two'), { status: 412, body: { error: 'Precondition failed' } })
  t.equal((await put(`"x", W/"${version}-12345678"`, 'Two')).status, 412)
  const now = (await app.ask('GET /api/cms/posts/a')).body.data.version
  t.equal((await put(`"x", "${now}-12345678"`, 'Three')).status, 200)
  t.equal((await put('*', 'Four')).status, 200)
  t.equal((await app.ask('DELETE /api/cms/posts/a', { headers: { 'if-match': etag } })).status, 412)
  t.equal((await app.ask('POST /api/cms/posts/a/move', { body: { id: 'z' }, headers: { 'if-match': etag } })).status, 412)
  t.equal((await app.ask('PUT /api/cms/posts/nowhere', { body: {}, headers: { 'if-match': '*' } })).status, 404)
  const many = await Promise.all(
    Array.from({ length: 20 }, (_, n) => app.ask('PUT /api/cms/notes/n', { body: { [`f${n}`]: n } })),
  )
  t.same([...new Set(many.map(({ status }) => status))], [200])
  t.equal((await app.ask('GET /api/cms/notes/n')).body.data.f19, 19)
  t.equal((await app.ask('GET /api/cms/notes/n')).body.data.f0, 0)
})

each('a change that another comes before is done anew, unless it says which version it is for', async (t, app, { store }) => {
  const other = { key: keyOf('posts', 'a'), put: { set: { layout: 'new' } } }
  const write = store.write.bind(store)
  const outside = () => {
    store.write = async (changes, by) => {
      store.write = write
      await write([other], by)
      return write(changes, by)
    }
  }
  const { headers } = await app.ask('GET /api/cms/posts/a')
  outside()
  const guarded = { body: { title: 'Mine' }, headers: { 'if-match': headers.etag ?? '' } }
  t.equal((await app.ask('PUT /api/cms/posts/a', guarded)).status, 412)
  other.put.set.layout = 'newer'
  outside()
  const { body } = await app.ask('PUT /api/cms/posts/a', { body: { title: 'Mine' } })
  t.match(body.data, { title: 'Mine', layout: 'newer' })
  other.put.set.layout = 'newest'
  outside()
  t.equal((await app.ask('DELETE /api/cms/posts/a')).status, 200)
})

each('a list asked for again tells of every change', async (t, app) => {
  const titles = async () => {
    const { body } = await app.ask('GET /api/cms/posts?sort=id&fields=title')
    const whole = await app.ask('GET /api/cms/posts?sort=id')
    t.same(
      whole.body.data.map((record: Plain) => record.title),
      body.data.map((record: Plain) => record.title),
    )
    return whole.body.data.map((record: Plain) => record.title)
  }
  t.same(await titles(), ['Apple', 'Birne', 'Soon'])
  await app.ask('PUT /api/cms/posts/b', { body: { title: 'Pear' } })
  t.same(await titles(), ['Apple', 'Pear', 'Soon'])
  await app.ask('POST /api/cms/posts', { body: { title: 'Zebra' } })
  t.same(await titles(), ['Apple', 'Pear', 'Soon', 'Zebra'])
  await app.ask('DELETE /api/cms/posts/a')
  t.same(await titles(), ['Pear', 'Soon', 'Zebra'])
})

each('base merges what does not overlap, and tells what does', async (t, app, opened) => {
  const { version } = (await app.ask('GET /api/cms/posts/a')).body.data
  t.equal((await app.ask(`PUT /api/cms/posts/a?base=${version}`, { body: { price: 1 } })).body.meta.merged, false)
  const merged = await app.ask(`PUT /api/cms/posts/a?base=${version}`, { body: { version, title: 'Mine', price: null } })
  t.match(merged.body, { data: { title: 'Mine', price: 1 }, meta: { merged: true } })
  const before = await source(opened, 'posts', 'a')
  const clash = await app.ask(`PUT /api/cms/posts/a?base=${version}`, { body: { title: 'Yours', author: null } })
  t.same(
    [clash.status, clash.body.conflict],
    [409, { fields: ['title'], base: { title: 'Apple' }, yours: { title: 'Yours' }, theirs: { title: 'Mine' } }],
  )
  const lost = await app.ask(`PUT /api/cms/posts/a?base=${'0'.repeat(40)}`, { body: { title: 'Yours' } })
  t.same([lost.status, lost.body.conflict.base, lost.body.conflict.fields], [409, null, ['title']])
  t.equal(await source(opened, 'posts', 'a'), before)
})

/** A record's fields as plain data. */
type Plain = Record<string, unknown>

t.test('pairs of edits from one base: both stay, or nothing is written', async (t) => {
  const PARAGRAPHS = ['A.', 'B.', 'C.', 'D.']
  const word = fc.constantFrom('red', 'green', 'blue')
  const bodyWith = (at: number, text: string) => `${PARAGRAPHS.map((old, n) => (n === at ? text : old)).join('\n\n')}\n`
  const whole = fc.record({
    title: word,
    author: fc.option(word),
    mood: fc.option(word),
    tags: fc.uniqueArray(word, { maxLength: 2 }),
    body: fc.tuple(fc.nat(3), word).map(([at, text]) => bodyWith(at, text)),
  })
  const names = fc.subarray(['title', 'author', 'mood', 'tags', 'body'], { minLength: 1, maxLength: 3 })
  const edit = fc.tuple(names, whole).map(([chosen, all]): Plain => {
    return Object.fromEntries(Object.entries(all).filter(([name]) => chosen.includes(name)))
  })
  const start = Buffer.from(SOURCE.replace('On apples.', 'A.\n\nB.\n\nC.\n\nD.'))
  const opened = await openMemory({ files: { 'content/free/a.md': start.toString() } })
  const app = new TestApp(opened)
  const read = async (): Promise<Plain> => (await app.ask('GET /api/cms/free/a')).body.data
  const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
  const outcomes = { merged: 0, refused: 0 }

  const holds = async (one: Plain, two: Plain): Promise<void> => {
    await opened.store.write([{ key: keyOf('free', 'a'), put: { source: start } }], { name: 'x', email: 'x@x' })
    const base = await read()
    const put = (body: Plain) => app.ask(`PUT /api/cms/free/a?base=${base.version}`, { body })
    const first = (await put(one)).body.data
    const second = await put(two)
    const now = await read()
    const changed = Object.keys(two).filter((name) => !same(two[name], base[name]))
    const overlapping = changed.filter((name) => !same(first[name], base[name]) && !same(first[name], two[name]))
    const inBody = overlapping.includes('body') && isMergeable(one.body, two.body)
    if (second.status === 409) {
      outcomes.refused++
      if (!same(now, first)) throw new Error('a refused edit was written')
      const told: string[] = second.body.conflict.fields
      if (told.length === 0 || !told.every((name) => overlapping.includes(name))) throw new Error(`wrongly refused: ${told}`)
      if (overlapping.every((name) => told.includes(name) || (name === 'body' && inBody))) return
      throw new Error(`not told: ${overlapping} but ${told}`)
    }
    if (overlapping.some((name) => name !== 'body' || !inBody)) throw new Error(`an overlap was written: ${overlapping}`)
    outcomes.merged++
    for (const name of ['title', 'author', 'mood', 'tags']) {
      const wanted = changed.includes(name) ? two[name] : first[name]
      if (!same(now[name], wanted)) throw new Error(`${name} is ${now[name]}, not ${wanted}`)
    }
    for (const body of [one.body, two.body]) {
      for (const [word] of String(body ?? '').matchAll(/red|green|blue/g)) {
        if (!String(now.body).includes(word)) throw new Error(`an edit of the body is lost: ${word} in ${now.body}`)
      }
    }
  }
  const runs = runsOf(200)
  await fc.assert(fc.asyncProperty(edit, edit, holds), { numRuns: runs })
  t.ok(Math.min(outcomes.merged, outcomes.refused) > runs / 10, JSON.stringify(outcomes))

  /** Returns whether two bodies differ from the base in different paragraphs. Neighbours may be told apart or not. */
  function isMergeable(one: unknown, two: unknown): boolean {
    const at = (body: unknown) =>
      String(body)
        .trim()
        .split('\n\n')
        .findIndex((text) => !PARAGRAPHS.includes(text))
    return at(one) !== at(two)
  }
})

each('a body with a merge that is not resolved is refused, and one that shows it in code taken', async (t, app) => {
  const body = '<<<<<<< HEAD\nOurs\n=======\nTheirs\n>>>>>>> topic\n'
  for (const request of ['POST /api/cms/posts', 'PUT /api/cms/posts/a']) {
    const refused = await app.ask(request, { body: { title: 'X', body } })
    t.match([refused.status, refused.body], [422, { errors: { body: [/conflict of git/] } }])
    t.ok((await app.ask(request, { body: { title: 'X', body: `\`\`\`\n${body}\`\`\`\n` } })).status < 300)
  }
})

each('removing', async (t, app) => {
  t.same((await app.ask('DELETE /api/cms/posts/a')).body, { data: { id: 'a', type: 'posts', deleted: true } })
  t.equal((await app.ask('DELETE /api/cms/posts/a')).status, 404)
  t.equal((await app.ask('GET /api/cms/posts/a')).status, 404)
})

each('moving keeps the old address of what is live, and only that', async (t, app, opened) => {
  const bytes = await source(opened, 'posts', 'b')
  const moved = await app.ask('POST /api/cms/posts/a/move', { body: { id: '2026~apple' } })
  t.same([moved.status, moved.headers.location], [200, '/api/cms/posts/2026~apple'])
  t.match(moved.body.data, { id: '2026~apple', slug: 'apple', url: '/blog/apple', aliases: ['/blog/a'] })
  t.equal((await app.ask('GET /api/cms/posts/a')).status, 404)
  const back = await app.ask('POST /api/cms/posts/2026~apple/move', { body: { id: 'a' } })
  t.same(back.body.data.aliases, ['/blog/apple'])
  t.equal((await app.ask('POST /api/cms/posts/b/move', { body: { id: 'a' } })).status, 409)
  for (const id of ['../x', 'x/y', '', 'CON', '.x', 'x~index', 'x'.repeat(201)]) {
    t.equal((await app.ask('POST /api/cms/posts/b/move', { body: { id } })).status, 422, id)
  }
  t.equal((await app.ask('POST /api/cms/posts/b/move', { body: { id: 5 } })).status, 422)
  t.equal((await app.ask('POST /api/cms/posts/b/move', { body: { id: 'x', force: true } })).status, 422)
  t.match((await app.ask('POST /api/cms/posts/b/move', { body: { id: 'bee' } })).body.data, { id: 'bee', status: 'draft' })
  t.equal(await source(opened, 'posts', 'bee'), bytes)
})

each('a file with a slug of its own keeps its page when it moves', async (t, app) => {
  await app.ask('PUT /api/cms/posts/a', { body: { slug: 'x' } })
  await app.ask('PUT /api/cms/posts/a', { body: { slug: 'a' } })
  const { body } = await app.ask('POST /api/cms/posts/a/move', { body: { id: 'elsewhere' } })
  t.match(body.data, { slug: 'a', url: '/blog/a' })
  t.same(body.data.aliases, ['/blog/x'], 'the address it has is no alias of its own')
})

each('Idempotency-Key: one answer for one request', async (t, app, { clock }) => {
  const post = (key: string, body: unknown, as = 'admin') =>
    app.ask('POST /api/cms/posts', { body, as, headers: { 'idempotency-key': key } })
  const first = await post('k', { title: 'Once' })
  const again = await post('k', { title: 'Once' })
  t.same(
    [again.status, again.body, again.headers.location, again.headers.etag],
    [201, first.body, first.headers.location, first.headers.etag],
  )
  t.match(await post('k', { title: 'Other' }), { status: 422 })
  t.equal((await post('k', { title: 'Once' }, 'edit')).body.data.id, 'once-2', 'a key belongs to its token')
  const at = await Promise.all(Array.from({ length: 10 }, () => post('many', { title: 'Many' })))
  t.same([...new Set(at.map(({ body }) => body.data.id))], ['many'])
  const failed = await post('bad', { title: 5 })
  t.same((await post('bad', { title: 5 })).body, failed.body)
  t.equal((await post('x'.repeat(129), { title: 'X' })).status, 400)
  clock.advance(24 * 3_600_000)
  t.equal((await post('k', { title: 'Once' })).body.data.id, 'once-3')
})
