import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { git } from '#support/git.ts'
import { eachStore, type OpenedStore, openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({
  posts: {
    permalink: '/blog/{slug}',
    additional_fields: true,
    fields: {
      price: { type: 'number', rules: 'min:1' },
      sku: { type: 'text', rules: 'unique:posts' },
      code: { type: 'text', rules: 'unique:posts,sku' },
      author: { type: 'reference', to: 'authors' },
    },
  },
  dated: { permalink: '/{year}/{slug}' },
  raw: { html: 'trusted' },
})

const FILES = {
  'content/posts/a.md': '---\ntitle: A   # mine\nstatus: draft\n---\nText of a.\n',
  'content/posts/b.md': '---\ntitle: B\ndate: 2024-01-02\ntags: [One, two]\n---\nText of b.\n',
  'content/posts/c.md': '---\ntitle: C\nstatus: in_review\ntags:\n  - Three\n---\nText of c.\n',
  'content/posts/actions.md': '---\ntitle: Actions\n---\nOf this id.\n',
  'content/posts/bad.md': '---\ntitle: [\n---\n',
  'content/authors/ada.yaml': 'title: Ada\n',
  'content/taxonomy/tags/news.yaml': 'name: Latest news\naliases: [old-news]\n',
  'content/dated/one.md':
    '---\ntitle: One\ndate: 2024-05-01\n---\n[two](two) [other](/2024/other) [whole](https://example.org/2024/two)\n',
  'content/dated/two.md': '---\ntitle: Two\ndate: 2024-05-02\n---\n[one](one)\n',
  'content/dated/other.md': '---\ntitle: Other\ndate: 2024-05-03\n---\n[one](one) [two](/2024/two)\n',
  'content/dated/late.md': '---\ntitle: Late\ndate: 2025-03-01\n---\n[one](/2024/one)\n',
  'content/raw/r.md': '---\ntitle: R\nstatus: draft\n---\nText.\n',
  'content/menus/main.yaml': 'items:\n  - { label: One, url: /2024/one }\n  - { label: Two, url: /2024/two }\n',
}

type Body = (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>

function each(name: string, body: Body, options: { history?: boolean } = {}): void {
  t.test(name, (t) => eachStore(t, { files: FILES, types, ...options }, (t, opened) => body(t, new TestApp(opened), opened)))
}

const act = (app: TestApp, body: object, type = 'posts', options: { as?: string; headers?: Record<string, string> } = {}) =>
  app.ask(`POST /api/cms/${type}/actions`, { body, ...options })

const source = async ({ store }: OpenedStore, type: string, id: string) => (await store.get(keyOf(type, id)))?.source?.toString()

each('fields are set on several, as a change of each would', async (t, app, opened) => {
  const { status, body } = await act(app, { ids: ['c', 'a'], set: { price: 3, author: 'ada' } })
  t.equal(status, 200)
  const [a, c] = [await app.ask('GET /api/cms/posts/a'), await app.ask('GET /api/cms/posts/c')]
  t.same(body, {
    data: [
      { id: 'c', version: c.body.data.version },
      { id: 'a', version: a.body.data.version },
    ],
    meta: { changed: 2 },
  })
  t.equal(await source(opened, 'posts', 'a'), '---\ntitle: A   # mine\nstatus: draft\nprice: 3\nauthor: ada\n---\nText of a.\n')
  const again = await act(app, { ids: ['a', 'b', 'c'], set: { price: 3 } })
  t.same(again.body.meta, { changed: 1 }, 'one that is so already is left alone')
  t.same(again.body.data[0], body.data[1])
  const none = await act(app, { ids: ['a'], set: { price: 3 } })
  t.same(none.body, { data: [body.data[1]], meta: { changed: 0 } })
})

each('terms are added and taken out, by names and ids', async (t, app, opened) => {
  const added = await act(app, { ids: ['a', 'b', 'c'], add: { tags: ['Latest news', 'Old News', 'Two', 'New One'] } })
  t.match([added.status, added.body.meta], [200, { changed: 3 }], added.text)
  t.equal(
    await source(opened, 'posts', 'b'),
    '---\ntitle: B\ndate: 2024-01-02\ntags: [One, two, news, New One]\n---\nText of b.\n',
  )
  t.match((await app.ask('GET /api/cms/posts/a')).body.data.tags, ['news', 'two', 'new-one'])
  const removed = await act(app, { ids: ['a', 'b', 'c'], remove: { tags: ['TWO', 'old-news', 'nothing'] } })
  t.match(removed.body.meta, { changed: 3 })
  t.equal(await source(opened, 'posts', 'b'), '---\ntitle: B\ndate: 2024-01-02\ntags: [One, New One]\n---\nText of b.\n')
  t.equal((await act(app, { ids: ['a', 'b'], remove: { tags: ['two'] } })).body.meta.changed, 0)
  await act(app, { ids: ['a', 'b'], set: { tags: ['News'] } })
  const other = await act(app, { ids: ['a', 'b', 'c'], set: { tags: ['Old news'] } })
  t.equal(other.body.meta.changed, 1, 'another word for what is there is no change')
  const unknown = await act(app, { ids: ['a'], add: { tag: ['x'] } })
  t.match(
    [unknown.status, unknown.body.errors],
    [422, { add: ['The type posts has no terms called "tag". Did you mean "tags"?'] }],
  )
  t.equal((await act(app, { ids: ['a'], add: { tags: 'x' } })).status, 422)
  t.match((await act(app, { ids: ['a'], add: { tags: ['x'.repeat(201)] } })).body.errors, { add: [/200 characters/] })
})

each('several are removed at once', async (t, app, { store }) => {
  const removed = await act(app, { ids: ['b', 'a', 'bad'], delete: true })
  t.same(removed.body, {
    data: [
      { id: 'b', version: null },
      { id: 'a', version: null },
      { id: 'bad', version: null },
    ],
    meta: { changed: 3 },
  })
  for (const id of ['a', 'b', 'bad']) t.equal(await store.get(keyOf('posts', id)), undefined)
  t.match((await act(app, { ids: ['a', 'c'], delete: true })).body, { error: 'Not found', errors: { a: [/not found/] } })
  t.ok(await store.get(keyOf('posts', 'c')), 'nothing is removed where one is not there')
})

each('a request that says no one thing, or an id twice, is refused', async (t, app) => {
  const faults: [object, RegExp][] = [
    [{ ids: ['a'] }, /set, add, remove or delete/],
    [{ ids: ['a'], set: { price: 1 }, delete: true }, /set or delete/],
    [{ ids: ['a'], delete: false }, /delete must be true/],
    [{ ids: ['a'], set: {} }, /set must not be empty/],
    [{ ids: ['a'], add: { tags: [] } }, /add must not be empty/],
    [{ ids: [], delete: true }, /ids must not be empty/],
    [{ ids: ['a', 'a'], delete: true }, /"a" twice/],
    [{ ids: ['\u00e9', 'e\u0301'], delete: true }, /twice/],
    [{ ids: Array.from({ length: 101 }, (_, n) => `n${n}`), delete: true }, /at most 100/],
    [{ ids: 'a', delete: true }, /list/],
    [{ ids: [1], delete: true }, /text/],
    [{ ids: ['a'], unset: {} }, /unset/],
    [{ delete: true }, /ids is required/],
    [{ ids: Array.from({ length: 100 }, (_, n) => `n${n}`), set: { body: 'x'.repeat(90_000) } }, /8 MiB/],
  ]
  for (const [body, message] of faults) {
    const answer = await act(app, body)
    t.equal(answer.status, 422, answer.text)
    t.match(answer.body.message, message)
  }
  t.equal((await act(app, { ids: ['a'], delete: true }, 'nothing')).status, 404)
  t.equal((await app.ask('POST /api/cms/posts/actions?redirekt=false', { body: { ids: ['a'], delete: true } })).status, 400)
})

each('of what may not be the first counts, and each that fails is named', async (t, app, { store }) => {
  const before = await store.get(keyOf('posts', 'a'))
  const missing = await act(app, { ids: ['a', 'gone', 'bad', 'b', '..'], set: { status: 'archived' } })
  t.match(missing, {
    status: 404,
    body: {
      error: 'Not found',
      message: /^Nothing was changed: 4 of 5 records can't be\. "gone": The record was not found\.$/,
      errors: {
        a: ["A record that is draft can't become archived. It may become in_review or published."],
        gone: ['The record was not found.'],
        bad: [/bad\.md:3:1/],
        '..': ['The record was not found.'],
      },
    },
  })
  t.notOk('b' in missing.body.errors)
  const moves = await act(app, { ids: ['a', 'bad', 'b', 'c'], set: { status: 'archived' } })
  t.match([moves.status, Object.keys(moves.body.errors)], [409, ['a', 'bad', 'c']])
  const rules = await act(app, { ids: ['a', 'b'], set: { price: 0, author: 'nobody' } })
  t.match(rules, { status: 422, body: { error: 'Validation failed', errors: { a: [/price/], b: [/price/] } } })
  const references = await act(app, { ids: ['a', 'b'], set: { author: 'nobody' } })
  t.match(references.body.errors, { a: [/no "nobody" in authors/], b: [/no "nobody" in authors/] })
  t.match((await act(app, { ids: ['bad'], set: { price: 2 } })).body, {
    error: 'Unreadable record',
    errors: { bad: [/bad\.md/] },
  })
  t.match((await act(app, { ids: ['a', 'c'], set: { version: '0' } })).body.errors, { a: [/version/], c: [/version/] })
  t.equal((await store.get(keyOf('posts', 'a')))?.version, before?.version, 'nothing was written')
})

each('values that two can not have are refused for both', async (t, app) => {
  for (const set of [{ slug: 'x' }, { permalink: '/x' }, { aliases: ['/old'] }]) {
    const answer = await act(app, { ids: ['a', 'b'], set })
    const fault = `The ${Object.keys(set)[0]} can't be the same for several records: set it one by one.`
    t.same([answer.status, answer.body.errors], [422, { a: [fault], b: [fault] }])
  }
  t.equal((await act(app, { ids: ['b'], set: { slug: 'x' } })).status, 200, 'one may have it')
  t.match((await app.ask('GET /api/cms/posts/b')).body.data, { url: '/blog/x', aliases: ['/blog/b'] })
  const unique = await act(app, { ids: ['a', 'b'], set: { sku: 'S1' } })
  const taken = ['The sku has already been taken.']
  t.same([unique.status, unique.body.errors], [422, { a: taken, b: taken }])
  t.equal((await act(app, { ids: ['a'], set: { sku: 'S1' } })).status, 200)
  t.same((await act(app, { ids: ['a', 'b'], set: { sku: 'S1' } })).body.errors, { b: taken }, 'one that has it keeps it')
  t.equal((await act(app, { ids: ['a', 'b'], set: { sku: null } })).body.meta.changed, 1)
  const other = await act(app, { ids: ['a', 'b'], set: { sku: 'S2', code: 'S2' } })
  t.match(other.body.errors, { a: [/sku/, /code/], b: [/sku/, /code/] }, 'another field of one beside')
})

each('publishing stamps the time, and two do not go live at one address', async (t, app, { clock, store }) => {
  const published = await act(app, { ids: ['a', 'b', 'c'], set: { status: 'published' } })
  t.match(published.body.meta, { changed: 2 }, published.text)
  const now = new Date(clock.now()).toISOString()
  t.match((await app.ask('GET /api/cms/posts/a')).body.data, { status: 'published', published_at: now })
  t.match((await app.ask('GET /api/cms/posts/b')).body.data.published_at, '2024-01-02')
  const put = (id: string) => ({ key: keyOf('posts', id), put: { set: { title: id, status: 'draft', slug: 'same' } } })
  await store.write([put('x'), put('y')], { name: 'Hand', email: 'hand@example.org' })
  const both = await act(app, { ids: ['x', 'y'], set: { status: 'published' } })
  t.same(
    [both.status, both.body.errors],
    [409, { x: ['The address "/blog/same" is that of "posts/y".'], y: ['The address "/blog/same" is that of "posts/x".'] }],
  )
  t.equal((await act(app, { ids: ['x'], set: { status: 'published' } })).status, 200)
  t.match((await act(app, { ids: ['y', 'c'], set: { status: 'published' } })).body.errors, { y: [/that of "posts\/x"/] })
  t.match((await act(app, { ids: ['a', 'b'], set: { status: 'scheduled' } })).body.errors, { a: [/the clock/], b: [/the clock/] })
})

each('what leads to several whose addresses change follows them, and they each other', async (t, app, opened) => {
  const moved = await act(app, { ids: ['one', 'two', 'late'], set: { published_at: '2025-02-01T00:00:00.000Z' } }, 'dated')
  t.match([moved.status, moved.body.meta], [200, { changed: 3, rewritten: 2 }], moved.text)
  t.match((await app.ask('GET /api/cms/dated/two')).body.data, { url: '/2025/two', aliases: ['/2024/two'] })
  t.match(await source(opened, 'dated', 'one'), '[two](two) [other](/2024/other) [whole](https://example.org/2025/two)')
  t.match(await source(opened, 'dated', 'two'), '[one](one)')
  t.match(await source(opened, 'dated', 'late'), '[one](/2025/one)', 'in one that keeps its address')
  t.match(await source(opened, 'dated', 'other'), '[one](../2025/one) [two](/2025/two)')
  t.match(await source(opened, 'menus', 'main'), /url: \/2025\/one[\s\S]*url: \/2025\/two/)
  const back = await app.ask('POST /api/cms/dated/actions?redirect=false', {
    body: { ids: ['one', 'other'], set: { published_at: '2023-02-01T00:00:00.000Z' } },
  })
  t.match([back.status, back.body.meta], [200, { changed: 2, rewritten: 3 }], back.text)
  t.match((await app.ask('GET /api/cms/dated/one')).body.data, { url: '/2023/one', aliases: ['/2024/one'] })
  t.match(await source(opened, 'dated', 'other'), '[one](one) [two](/2025/two)', 'the text of one that goes along')
  t.match(await source(opened, 'dated', 'one'), '[two](../2025/two) [other](/2023/other)')
})

each('an id may be actions', async (t, app) => {
  t.equal((await app.ask('GET /api/cms/posts/actions')).body.data.title, 'Actions')
  t.equal((await app.ask('PUT /api/cms/posts/actions', { body: { title: 'Still' } })).body.data.title, 'Still')
  t.match((await act(app, { ids: ['actions'], set: { price: 4 } })).body.data, [{ id: 'actions' }])
  t.equal((await app.ask('DELETE /api/cms/posts/actions')).status, 200)
  t.equal((await app.ask('POST /api/cms/posts/b', { body: {} })).status, 405)
})

each('one that others save meanwhile is changed as it then is', async (t, app, { store }) => {
  const by = { name: 'Other', email: 'other@example.org' }
  const own = app.features.records
  const write = store.write.bind(store)
  let saves = 2
  store.write = async (changes, ...rest) => {
    if (saves-- > 0) await write([{ key: keyOf('posts', 'c'), put: { set: { price: 10 + saves } } }], by)
    return write(changes, ...rest)
  }
  t.ok(own)
  const { status, body } = await act(app, { ids: ['a', 'c'], add: { tags: ['late'] } })
  store.write = write
  t.match([status, body.meta], [200, { changed: 2 }])
  t.match((await app.ask('GET /api/cms/posts/c')).body.data, { price: 10, tags: ['three', 'late'] })
})

each('the same request with the same key is done once', async (t, app) => {
  const headers = { 'idempotency-key': 'k1' }
  const first = await act(app, { ids: ['a', 'b'], delete: true }, 'posts', { headers })
  const second = await act(app, { ids: ['a', 'b'], delete: true }, 'posts', { headers })
  t.equal(first.status, 200)
  t.same(second.body, first.body)
  t.equal((await act(app, { ids: ['c'], delete: true }, 'posts', { headers })).status, 422)
})

each('many at once and single ones keep out of each other’s way', async (t, app) => {
  await app.token()
  const answers = await Promise.all([
    act(app, { ids: ['a', 'b', 'c'], add: { tags: ['x'] } }),
    act(app, { ids: ['c', 'b', 'a'], add: { tags: ['y'] } }),
    app.ask('PUT /api/cms/posts/b', { body: { price: 7 } }),
    act(app, { ids: ['b', 'a'], add: { tags: ['z'] } }),
  ])
  t.same(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  const { price, tags } = (await app.ask('GET /api/cms/posts/b')).body.data
  t.same([price, tags.sort()], [7, ['one', 'two', 'x', 'y', 'z']])
})

each(
  'one commit, in which each record has its own action',
  async (t, app, opened) => {
    const { store, site } = opened
    const cursor = (await store.changes(undefined, 1000)).next
    const { body } = await act(app, { ids: ['a', 'b', 'c', 'actions'], set: { status: 'published', price: 5 } })
    t.equal(body.meta.changed, 4)
    const actionsOf = async (id: string) => {
      const { body } = await app.ask(`GET /api/cms/posts/${id}/revisions`)
      return body.data.map(({ action, message }: { action: string; message: string }) => [action, message])
    }
    const message = 'Update 4 records of posts'
    t.same((await actionsOf('a'))[0], ['published', message])
    t.same((await actionsOf('b'))[0], ['updated', message])
    const { changes } = await store.changes(cursor, 1000)
    t.same(changes.map(({ key, action }) => [key.id, action]).sort(), [
      ['a', 'published'],
      ['actions', 'updated'],
      ['b', 'updated'],
      ['c', 'published'],
    ])
    const draft = await act(app, { ids: ['a', 'b'], set: { status: 'draft' } })
    t.equal(draft.status, 200)
    t.same((await actionsOf('a'))[0], ['unpublished', 'Unpublish 2 records of posts'])
    await act(app, { ids: ['a', 'c'], set: { status: 'published', price: 6 } })
    t.same([(await actionsOf('a'))[0]?.[0], (await actionsOf('c'))[0]?.[0]], ['published', 'updated'], 'on top of what is known')
    await act(app, { ids: ['a', 'b'], delete: true })
    t.same((await actionsOf('a'))[0], ['deleted', 'Delete 2 records of posts'])
    if (!site) return
    const log = git(site.root, ['log', '--format=%s%x00%b%x01']).split('\u0001\n')
    t.match(log.filter((one) => !one.startsWith('Update 2')).slice(0, 3), [
      /^Delete 2/,
      /^Unpublish 2/,
      /^Update 4[\s\S]*Cms-Action: updated\nCms-Request: .+\nCms-Record: published posts\/a\nCms-Record: published posts\/c\n/,
    ])
    t.equal(log.filter((one) => one.trim() !== '').length, 5, 'a commit each')
  },
  { history: true },
)

each('who may not publish, or write what they would, changes nothing', async (t, app) => {
  const as = 'content:read,content:drafts,content:write'
  const publish = await act(app, { ids: ['a', 'b'], set: { status: 'published', price: 2 } }, 'posts', { as })
  t.match(
    [publish.status, publish.body.errors, publish.headers['www-authenticate']],
    [403, { a: [/content:publish/] }, /insufficient_scope/],
  )
  t.match((await act(app, { ids: ['r'], set: { body: '<b>' } }, 'raw', { as })).body.errors, { r: [/content:publish/] })
  const live = await act(app, { ids: ['a', 'b', 'gone'], set: { price: 2 } }, 'posts', { as: 'content:read,content:write' })
  t.same([live.status, live.body.errors], [404, { a: ['The record was not found.'], gone: ['The record was not found.'] }])
  t.match((await act(app, { ids: ['b'], delete: true }, 'posts', { as })).body, { error: 'Forbidden', message: /content:delete/ })
  t.equal((await act(app, { ids: ['b'], set: { price: 1 } }, 'posts', { as: 'content:write' })).status, 403, 'as a change of one')
  t.equal((await act(app, { ids: ['b'], delete: true }, 'posts', { as: 'content:delete' })).status, 200)
})

each('a file that can not be changed safely keeps all as they are, and each such is named', async (t, app, { store }) => {
  const put = (id: string) => ({
    key: keyOf('posts', id),
    put: { source: Buffer.from('---\ntags: &t [one]\nkeywords: *t\n---\n') },
  })
  await store.write([put('x'), put('y')], { name: 'Hand', email: 'hand@example.org' })
  const before = await store.get(keyOf('posts', 'a'))
  const refused = await act(app, { ids: ['a', 'x', 'b', 'y'], add: { tags: ['two'] } })
  t.match(refused, { status: 409, body: { message: /^Nothing was changed: 2 of 4 records can't be\. "x": / } })
  t.same(Object.keys(refused.body.errors), ['x', 'y'])
  t.match((await act(app, { ids: ['x'], add: { tags: ['two'] } })).body.errors, { x: [/safely|anchor/] })
  t.equal((await store.get(keyOf('posts', 'a')))?.version, before?.version)
})

each('what is one’s own, and the fields of a role, count for each', async (t, _, opened) => {
  const roles = { translator: { extends: 'editor', allow: [], fields: { posts: ['title', 'tags'] } } }
  const app = new TestApp(opened, { config: { features: { api: true, auth: true }, roles } })
  const by = { name: 'Somebody', email: 'somebody@example.org' }
  const ada = await app.features.users.create({ email: 'ada@example.org', handle: 'ada', role: 'author' }, by)
  const tom = await app.features.users.create({ email: 'tom@example.org', handle: 'tom', role: 'translator' }, by)
  const as = (user: typeof ada, body: object) => app.askAs(user, 'POST /api/cms/posts/actions', { body })
  await act(app, { ids: ['a', 'b'], set: { author: 'ada' } })
  t.match((await as(ada, { ids: ['a', 'b'], set: { status: 'published', price: 2 } })).body.meta, { changed: 2 })
  const others = await as(ada, { ids: ['a', 'actions', 'c'], set: { price: 3 } })
  t.match(
    [others.status, others.body.errors],
    [404, { actions: [/for your own/], c: [/not found/] }],
    'a draft of others is not there',
  )
  t.notOk('a' in others.body.errors)
  t.match((await as(ada, { ids: ['a', 'actions'], delete: true })).status, 403)
  t.match((await as(ada, { ids: ['a', 'b'], set: { author: 'tom' } })).body.errors, {
    a: [/another author/],
    b: [/another author/],
  })
  t.match((await as(tom, { ids: ['a', 'c'], set: { price: 9 } })).body.errors, { a: [/not for price/], c: [/not for price/] })
  t.equal((await as(tom, { ids: ['a', 'c'], add: { tags: ['x'] } })).status, 200)
  t.match(
    (await as(tom, { ids: ['a', 'c'], set: { title: 'T', price: 2 } })).body.errors,
    { c: [/not for price/] },
    'what is so is no change',
  )
})

t.test('records that are large together are not changed at once, and removed', async (t) => {
  const text = `---\ntitle: Large\n---\n${'word\n'.repeat(400_000)}`
  const ids = Array.from({ length: 34 }, (_, n) => `large-${n}`)
  const files = Object.fromEntries(ids.map((id) => [`content/posts/${id}.md`, text]))
  const opened = await openFiles({ files, types })
  t.teardown(opened.close)
  const app = new TestApp(opened)
  t.match(await act(app, { ids, add: { tags: ['x'] } }), { status: 413, body: { message: /64 MiB/ } })
  t.equal((await act(app, { ids: ids.slice(0, 5), add: { tags: ['x'] } })).status, 200)
  t.equal((await act(app, { ids, delete: true })).body.meta.changed, 34)
})
