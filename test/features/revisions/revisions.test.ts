import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { type Answered, TestApp } from '#support/app.ts'
import { long, longTest } from '#support/long.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const SOURCE = '---\n# mine\ntitle: "Apple"   # keep\ndate: 2025-01-01\ntags: [News]\n---\nOn apples.\n'
const FILES = {
  'content/posts/a.md': SOURCE,
  'content/posts/b.md': '---\ntitle: Birne\nstatus: draft\n---\nOn pears.\n',
  'content/notes/n.md': '# Heading\n',
}

const types = plainTypes({
  posts: { permalink: '/blog/{slug}', fields: { sku: { type: 'text', rules: 'unique:posts' } } },
  raw: { html: 'trusted' },
})

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, { files: FILES, types, history: true }, (t, opened) => body(t, new TestApp(opened), opened)))
}

const put = (app: TestApp, path: string, body: unknown) => app.ask(`PUT /api/cms/${path}`, { body })

/** The revisions of a record, newest first. */
async function log(app: TestApp, path: string): Promise<Row[]> {
  const answer = await app.ask(`GET /api/cms/${path}/revisions?per_page=100`)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.data
}

interface Row {
  ts: string
  created_at: string
  action: string
  author: { name: string; email?: string }
  message: string
  changed: string[] | null
  commit: string | null
  current: boolean
}

/** The `n`th of a list, which is long enough. */
function nth<T>(list: readonly T[], n: number): T {
  const item = list.at(n)
  if (item === undefined) throw new Error(`There is no item ${n}.`)
  return item
}

const refused = (answer: Answered) => [answer.status, answer.body?.error]

each('the revisions of a record: newest first, in parts, each with what it changed', async (t, app, { name }) => {
  const first = await log(app, 'posts/a')
  t.match(first, [{ action: 'external', current: true, changed: ['title', 'published_at', 'tags', 'status', 'slug', 'body'] }])
  await put(app, 'posts/a', { title: 'Pear' })
  await app.ask('PUT /api/cms/posts/a', { body: { tags: [], body: 'New.\n' }, headers: { 'x-request-id': 'from-afar' } })
  await put(app, 'posts/a', { title: 'Pear' })
  await put(app, 'posts/a', { status: 'draft' })
  await put(app, 'posts/a', { status: 'published' })
  const rows = await log(app, 'posts/a')
  t.same(
    rows.map(({ action, changed, current }) => [action, changed, current]),
    [
      ['published', ['status'], true],
      ['unpublished', ['status'], false],
      ['updated', ['tags', 'body'], false],
      ['updated', ['title'], false],
      ['external', nth(first, 0).changed, false],
    ],
    'a save that changes nothing makes none',
  )
  for (const { ts, created_at, commit } of rows) {
    t.match(ts, /^[0-9]{13}$/)
    t.equal(new Date(created_at).toISOString(), created_at)
    t.match(commit ?? '', name === 'git' ? /^[0-9a-f]{40}$/ : /^$/)
  }
  t.equal(new Set(rows.map(({ ts }) => ts)).size, 5)
  t.match(nth(rows, 0), { message: 'Publish posts/a', author: { name: 'admin', email: /^token\+/ } })
  const part = await app.ask('GET /api/cms/posts/a/revisions?per_page=2&page=2')
  t.same(part.body.meta, { total: 5, per_page: 2, current_page: 2, last_page: 3 })
  t.same(part.body.data, rows.slice(2, 4))
  t.same((await app.ask('GET /api/cms/posts/a/revisions?page=9')).body.data, [])
  t.equal((await app.ask('GET /api/cms/posts/a/revisions?per_page=500')).body.meta.per_page, 100)
  const cached = { headers: { 'if-none-match': part.headers.etag ?? '' } }
  t.equal((await app.ask('GET /api/cms/posts/a/revisions?per_page=2&page=2', cached)).status, 304)
  const head = await app.ask('HEAD /api/cms/posts/a/revisions')
  t.same([head.status, head.text], [200, ''])
})

each('what a write was is in its note', async (t, app, { store }) => {
  const made = await app.ask('POST /api/cms/posts', { body: { title: 'New', status: 'published' } })
  t.equal(made.status, 201)
  await app.ask('POST /api/cms/posts/new/move', { body: { id: 'newer' } })
  await app.ask('DELETE /api/cms/posts/newer')
  const rows = await log(app, 'posts/newer')
  t.same(
    rows.map(({ action, message }) => [action, message]),
    [
      ['deleted', 'Delete posts/newer'],
      ['moved', 'Move posts/new to newer'],
      ['created', 'Create posts/new'],
    ],
  )
  t.same(nth(rows, 0).current, true)
  const long = 'x'.repeat(90)
  await app.ask('POST /api/cms/notes', { body: { title: long, slug: long } })
  const [{ message } = { message: '' }] = await log(app, `notes/${long}`)
  t.ok([...message].length <= 72 && message.startsWith('Create notes/xxx'), message)
  const notes: unknown[] = []
  const write = store.write.bind(store)
  store.write = (changes, by, note) => {
    notes.push(note)
    return write(changes, by, note)
  }
  await app.ask('PUT /api/cms/posts/a', { body: { title: 'X' }, headers: { 'x-request-id': 'from-afar' } })
  t.same(notes, [{ action: 'updated', message: 'Update posts/a', request: 'from-afar', source: 'api' }])
})

each('a record as it was, by every name of a revision', async (t, app, { clock }) => {
  const before = (await app.ask('GET /api/cms/posts/a')).body.data
  clock.advance(60_000)
  const changed = (await put(app, 'posts/a', { title: 'Pear' })).body.data
  const [now, first] = await log(app, 'posts/a')
  if (!now || !first) throw new Error('There are no revisions.')
  const names = [first.ts, first.created_at, ...(first.commit ? [first.commit, first.commit.toUpperCase()] : [])]
  for (const name of names) {
    const { status, body, headers } = await app.ask(`GET /api/cms/posts/a/revisions/${encodeURIComponent(name)}`)
    t.equal(status, 200, name)
    t.match(body.data, { id: 'a', title: 'Apple', version: before.version, url: '/blog/a', body: 'On apples.\n' })
    t.match(headers.etag, new RegExp(`^"${before.version}-[0-9a-f]{8}"$`))
    t.equal(
      (await app.ask(`GET /api/cms/posts/a/revisions/${name}`, { headers: { 'if-none-match': headers.etag ?? '' } })).status,
      304,
    )
    t.equal((await app.ask(`HEAD /api/cms/posts/a/revisions/${name}`)).headers.etag, headers.etag)
  }
  t.equal((await app.ask(`GET /api/cms/posts/a/revisions/${now.ts}`)).body.data.version, changed.version)
  const at = async (text: string) => app.ask(`GET /api/cms/posts/a?at=${encodeURIComponent(text)}`)
  for (const name of names) t.equal((await at(name)).body.data.title, 'Apple', name)
  t.equal((await at(now.ts)).body.data.title, 'Pear')
  t.equal((await at(String(Number(now.ts) - 1))).body.data.title, 'Apple')
  t.equal((await at(new Date(Number(now.ts) + 5).toISOString())).body.data.title, 'Pear')
  t.match((await at(now.ts)).headers.etag, new RegExp(`^"${changed.version}-[0-9a-f]{8}"$`))
  t.same(refused(await at('2001-01-01T00:00:00Z')), [404, 'Not found'])
  const some = await app.ask(`GET /api/cms/posts/a?fields=title&at=${first.ts}`)
  t.same(some.body, { data: { title: 'Apple' } })
})

each('what names no revision is 422, what names none of this record 404', async (t, app) => {
  const [{ ts } = { ts: '' }] = await log(app, 'posts/a')
  const bad = [
    '1',
    '12345678901234',
    'HEAD',
    'HEAD~1',
    '2026-01-01',
    '2026-02-30T00:00:00Z',
    'x'.repeat(40),
    'a'.repeat(39),
    '--output=x',
    ':%2fx',
    '..%2f..',
    '@%7B0%7D',
  ]
  for (const name of bad) {
    for (const request of [
      `GET /api/cms/posts/a/revisions/${name}`,
      `GET /api/cms/posts/a/revisions/${name}/diff`,
      `POST /api/cms/posts/a/rollback/${name}`,
    ]) {
      const { status, body } = await app.ask(request)
      t.ok(status === 422 && body.errors.ts?.length === 1, `${request}: ${status}`)
    }
    const asked = await app.ask(`GET /api/cms/posts/a?at=${name}`)
    t.ok(asked.status === 422 && asked.body.errors.at, `at=${name}: ${asked.status}`)
    const diff = await app.ask(`GET /api/cms/posts/a/revisions/${ts}/diff?against=${name}`)
    t.ok(diff.status === 422 && diff.body.errors.against, `against=${name}: ${diff.status}`)
  }
  const other = nth(await log(app, 'posts/b'), 0)
  const unknown = ['1000000000000', '2001-01-01T00:00:00Z', 'a'.repeat(40), 'b'.repeat(64)]
  for (const name of [...unknown, ...(other.ts === ts ? [] : [other.ts])]) {
    for (const request of [
      `GET /api/cms/posts/a/revisions/${name}`,
      `GET /api/cms/posts/a/revisions/${name}/diff`,
      `POST /api/cms/posts/a/rollback/${name}`,
    ]) {
      t.match(await app.ask(request), { status: 404, body: { message: 'The revision was not found.' } }, request)
    }
  }
  t.equal((await app.ask(`GET /api/cms/posts/a/revisions/${ts}/diff?against=1000000000000`)).status, 404)
  for (const path of ['posts/nowhere', 'posts/..%2f..%2fetc', 'nothing/a']) {
    t.equal((await app.ask(`GET /api/cms/${path}/revisions`)).status, 404, path)
    t.equal((await app.ask(`GET /api/cms/${path}?at=${ts}`)).status, 404, path)
    t.equal((await app.ask(`POST /api/cms/${path}/rollback/${ts}`)).status, 404, path)
  }
  t.same(refused(await app.ask('GET /api/cms/posts/a/revisions?pge=1')), [400, 'Bad request'])
  t.equal((await app.ask('GET /api/cms/posts/a/revisions?page=0')).status, 422)
  t.equal((await app.ask(`DELETE /api/cms/posts/a/revisions/${ts}`)).status, 405)
})

each('the difference of two revisions, field by field, the body by line', async (t, app) => {
  const body = Array.from({ length: 30 }, (_, n) => `Line ${n}.\n`).join('')
  await put(app, 'posts/a', { body })
  await put(app, 'posts/a', {
    title: 'Pear',
    tags: ['news', 'fruit'],
    body: body.replace('Line 1.', 'First.').replace('Line 20.\n', ''),
  })
  const [now, middle, first] = await log(app, 'posts/a')
  if (!now || !middle || !first) throw new Error('There are no revisions.')
  const { data } = (await app.ask(`GET /api/cms/posts/a/revisions/${now.ts}/diff`)).body
  t.same([data.ts, data.against], [now.ts, middle.ts])
  t.same(
    data.fields.map(({ field }: { field: string }) => field),
    now.changed,
  )
  t.match(data.fields[0], { field: 'title', before: 'Apple', after: 'Pear' })
  const { hunks } = data.fields.find(({ field }: { field: string }) => field === 'body')
  t.same(
    hunks.map(({ lines, ...place }: { lines: { op: string; text: string }[] }) => [
      Object.values(place),
      lines.filter(({ op }) => op !== 'keep').map(({ op, text }) => `${op} ${text}`),
    ]),
    [
      [
        [1, 5, 1, 5],
        ['remove Line 1.', 'add First.'],
      ],
      [[18, 7, 18, 6], ['remove Line 20.']],
    ],
  )
  const back = (await app.ask(`GET /api/cms/posts/a/revisions/${first.ts}/diff?against=${now.ts}`)).body.data
  t.match(back, { ts: first.ts, against: now.ts, fields: [{ field: 'title', before: 'Pear', after: 'Apple' }] })
  const begun = (await app.ask(`GET /api/cms/posts/a/revisions/${first.ts}/diff`)).body.data
  t.match(begun, { against: null, fields: [{ field: 'title', before: null, after: 'Apple' }] })
  t.same((await app.ask(`GET /api/cms/posts/a/revisions/${now.ts}/diff?against=${now.ts}`)).body.data.fields, [])
})

long(each)('of bodies with many changed lines the hunks are left out', async (t, app) => {
  const lines = (word: string) => Array.from({ length: 10_001 }, (_, n) => `${word} ${n}\n`).join('')
  for (const word of ['old', 'new']) await put(app, 'posts/a', { body: lines(word) })
  const [now] = await log(app, 'posts/a')
  const { data } = (await app.ask(`GET /api/cms/posts/a/revisions/${now?.ts}/diff`)).body
  t.strictSame(data.fields, [{ field: 'body', before: lines('old'), after: lines('new'), omitted: ['hunks'] }])
})

long(each)('who may not see drafts has what is live now and was live then', async (t, app, { clock }) => {
  const reader = { as: 'read' }
  await put(app, 'posts/a', { title: 'Public two' })
  await put(app, 'posts/a', { status: 'draft', title: 'Secret' })
  const secret = nth(await log(app, 'posts/a'), 0)
  for (const request of [
    'GET /api/cms/posts/a/revisions',
    `GET /api/cms/posts/a/revisions/${secret.ts}`,
    `GET /api/cms/posts/a?at=${secret.ts}`,
  ]) {
    t.equal((await app.ask(request, reader)).status, 404, `${request}: not live now`)
  }
  await put(app, 'posts/a', { status: 'published', title: 'Public three' })
  const all = await log(app, 'posts/a')
  const { data, meta } = (await app.ask('GET /api/cms/posts/a/revisions', reader)).body
  t.same([data.map(({ ts }: Row) => ts), meta.total], [[nth(all, 0).ts, nth(all, 2).ts, nth(all, 3).ts], 3])
  t.same([data[0].changed, data[0].author], [['title'], { name: 'admin' }], 'compared with what was public before; no address')
  for (const request of [
    `GET /api/cms/posts/a/revisions/${secret.ts}`,
    `GET /api/cms/posts/a/revisions/${secret.ts}/diff`,
    `GET /api/cms/posts/a?at=${secret.ts}`,
    `GET /api/cms/posts/a/revisions/${nth(all, 0).ts}/diff?against=${secret.ts}`,
  ]) {
    t.equal((await app.ask(request, reader)).status, 404, request)
  }
  const diff = (await app.ask(`GET /api/cms/posts/a/revisions/${nth(all, 0).ts}/diff`, reader)).body.data
  t.match(diff, { against: nth(all, 2).ts, fields: [{ before: 'Public two', after: 'Public three' }] })
  t.equal((await app.ask(`GET /api/cms/posts/a?at=${nth(all, 2).ts}`, reader)).body.data.title, 'Public two')
  const writer = { as: 'content:read,content:write', body: {} }
  t.equal((await app.ask(`POST /api/cms/posts/a/rollback/${secret.ts}`, writer)).status, 404)
  t.equal((await app.ask('GET /api/cms/posts/b/revisions', reader)).status, 404)
  await app.ask('DELETE /api/cms/posts/a')
  t.equal((await app.ask('GET /api/cms/posts/a/revisions', reader)).status, 404)
  t.equal((await app.ask(`POST /api/cms/posts/a/rollback/${nth(all, 2).ts}`, writer)).status, 404)
  const soon = new Date(clock.now() + 400 * 86_400_000).toISOString()
  await app.ask('POST /api/cms/notes', { body: { slug: 'later', title: 'Embargoed', status: 'published', published_at: soon } })
  await put(app, 'notes/later', { title: 'Final' })
  clock.advance(500 * 86_400_000)
  const later = (await app.ask('GET /api/cms/notes/later/revisions', reader)).body.data
  t.same(
    later.map(({ action }: Row) => action),
    ['updated'],
    'what was changed before it went live never was',
  )
})

each('rights and types are asked for as of the record itself', async (t, app) => {
  const [{ ts } = { ts: '' }] = await log(app, 'posts/a')
  const limited = { as: 'admin', types: ['notes'] }
  for (const request of [
    'GET /api/cms/posts/a/revisions',
    `GET /api/cms/posts/a/revisions/${ts}`,
    `GET /api/cms/posts/a/revisions/${ts}/diff`,
    `POST /api/cms/posts/a/rollback/${ts}`,
    `GET /api/cms/posts/a?at=${ts}`,
  ]) {
    t.equal((await app.ask(request, limited)).status, 404, request)
    t.equal((await app.bare(request)).status, 401, request)
  }
  t.match(await app.ask('GET /api/cms/posts/a/revisions', { as: 'content:write' }), {
    status: 403,
    body: { message: /content:read/ },
  })
  t.match(await app.ask(`POST /api/cms/posts/a/rollback/${ts}`, { as: 'read' }), {
    status: 403,
    body: { message: /content:write/ },
  })
})

each('of a message that names other records, who may not see drafts has the first line', async (t, app, { store }) => {
  const by = { name: 'Ada', email: 'ada@example.org' }
  const message = 'Merge main of origin\n\nBoth sides changed:\n- content/posts/a.md\n- content/posts/b.md'
  await store.write([{ key: keyOf('posts', 'a'), put: { set: { title: 'Fig' } } }], by, { message })
  const said = async (as: string, types: string[] = []) =>
    (await app.ask('GET /api/cms/posts/a/revisions', { as, types })).body.data[0].message
  t.equal(await said('edit'), message)
  t.equal(await said('read'), 'Merge main of origin')
  t.equal(await said('edit', ['posts']), '', 'nor who may not see other types: they may be named in it')
})

each('an unreadable revision is 422 alone, and takes nothing else down', async (t, app, opened) => {
  if (opened.name !== 'git') return
  const { site, store } = opened
  if (!site) throw new Error('There is no folder.')
  const { git } = await import('#support/git.ts')
  const commit = (text: string, message: string) => {
    site.write('content/posts/a.md', text)
    git(site.root, ['commit', '-q', '-am', message])
  }
  commit('---\ntitle: "Broken\n---\n', 'Break it')
  commit(SOURCE.replace('Apple', 'Mended'), 'Mend it')
  await (store as unknown as { reconcile(): Promise<void> }).reconcile()
  const rows = await log(app, 'posts/a')
  t.match(rows, [
    { action: 'external', message: 'Mend it', changed: null, current: true, author: { name: 'Ada' } },
    { message: 'Break it', changed: null },
    { changed: Array },
  ])
  const broken = nth(rows, 1).ts
  for (const request of [
    `GET /api/cms/posts/a/revisions/${broken}`,
    `GET /api/cms/posts/a/revisions/${broken}/diff`,
    `POST /api/cms/posts/a/rollback/${broken}`,
    `GET /api/cms/posts/a?at=${broken}`,
  ]) {
    t.same(refused(await app.ask(request)), [422, 'Unreadable record'], request)
  }
  t.equal((await app.ask('GET /api/cms/posts/a/revisions', { as: 'read' })).body.meta.total, 2)
})

each('base is found among the revisions once it is forgotten', async (t, app, opened) => {
  const { version } = (await app.ask('GET /api/cms/posts/a')).body.data
  await put(app, 'posts/a', { title: 'Theirs' })
  await put(app, 'posts/a', { status: 'draft' })
  const draft = (await app.ask('GET /api/cms/posts/a')).body.data
  await put(app, 'posts/a', { status: 'published', tags: ['x'] })
  const later = new TestApp(opened)
  const sent = { body: { body: 'Mine.\n' }, as: 'edit' }
  const merged = await later.ask(`PUT /api/cms/posts/a?base=${version}`, sent)
  t.match(merged.body, { data: { title: 'Theirs', body: 'Mine.\n' }, meta: { merged: true } })
  const clash = await later.ask(`PUT /api/cms/posts/a?base=${version}`, { body: { title: 'Mine' }, as: 'edit' })
  t.match(clash, { status: 409, body: { conflict: { base: { title: 'Apple' }, theirs: { title: 'Theirs' } } } })
  const unseen = { body: { tags: ['y'] }, as: 'content:read,content:write' }
  const hidden = await later.ask(`PUT /api/cms/posts/a?base=${draft.version}`, unseen)
  t.match(hidden, { status: 409, body: { conflict: { base: null } } }, 'a draft is no base for who may not see it')
  for (const base of ['HEAD', '0'.repeat(40), nth(await log(app, 'posts/b'), 0).commit ?? 'x']) {
    t.equal((await later.ask(`PUT /api/cms/posts/a?base=${base}`, { body: { title: 'Mine' }, as: 'edit' })).status, 409, base)
  }
  t.equal((await opened.store.get(keyOf('posts', 'a')))?.fields.title, 'Theirs')
})

longTest('switched off there are none; without a history it is said why', async (t) => {
  await eachStore(t, { files: FILES, types, history: false }, async (t, opened) => {
    const app = new TestApp(opened)
    for (const request of [
      'GET /api/cms/posts/a/revisions',
      'GET /api/cms/posts/a/revisions/1/diff',
      'POST /api/cms/posts/a/rollback/1',
      'GET /api/cms/posts/a?at=1',
      'GET /api/cms/posts?deleted=true',
    ]) {
      t.match(await app.ask(request), { status: 404, body: { message: 'Revisions need git.' } }, request)
    }
  })
  await eachStore(t, { files: FILES, types, history: true }, async (t, opened) => {
    const [{ ts } = { ts: '' }] = await log(new TestApp(opened), 'posts/a')
    const off = new TestApp(opened, { config: { features: { api: true, revisions: false } } })
    for (const request of [
      'GET /api/cms/posts/a/revisions',
      `GET /api/cms/posts/a/revisions/${ts}`,
      `POST /api/cms/posts/a/rollback/${ts}`,
      `GET /api/cms/posts/a?at=${ts}`,
    ]) {
      t.equal((await off.ask(request, { as: 'edit' })).status, 404, request)
    }
    t.equal((await off.ask('GET /api/cms/posts/a', { as: 'edit' })).status, 200)
    const noApi = new TestApp(opened, { config: { features: { api: false, revisions: true } } })
    t.equal((await noApi.ask('GET /api/cms/posts/a/revisions', { as: 'read' })).status, 404)
  })
})
