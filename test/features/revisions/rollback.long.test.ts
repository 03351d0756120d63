import fc from 'fast-check'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { runsOf } from '#support/long.ts'
import { eachStore, type OpenedStore, openMemory } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const SOURCE = '---\n# mine\ntitle: "Apple"   # keep\ndate: 2025-01-01\ntags: [News]\n---\nOn apples.\n'
const FILES = {
  'content/posts/a.md': SOURCE,
  'content/posts/b.md': '---\ntitle: Birne\nstatus: draft\n---\nOn pears.\n',
  'content/posts/deep/index.md': '---\ntitle: Deep\n---\n',
  'content/authors/ada.yaml': 'name: Ada # the first\nbody: |\n  Hello.\n',
}
const WRITER = 'content:read,content:drafts,content:write'

const types = plainTypes({
  posts: { permalink: '/blog/{slug}', fields: { sku: { type: 'text', rules: 'unique:posts' } } },
  raw: { html: 'trusted' },
})

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, { files: FILES, types, history: true }, (t, opened) => body(t, new TestApp(opened), opened)))
}

interface Row {
  ts: string
  action: string
  message: string
  changed: string[]
}

const put = (app: TestApp, path: string, body: unknown) => app.ask(`PUT /api/cms/${path}`, { body })
const source = async ({ store }: OpenedStore, type: string, id: string) => (await store.get(keyOf(type, id)))?.source?.toString()

/** The revisions of a record, newest first. */
async function log(app: TestApp, path: string): Promise<Row[]> {
  return (await app.ask(`GET /api/cms/${path}/revisions?per_page=100`)).body.data
}

/** The name of the revision `n` places before the newest. */
async function tsOf(app: TestApp, path: string, n: number): Promise<string> {
  const row = (await log(app, path)).at(n)
  if (!row) throw new Error(`${path} has no revision ${n}.`)
  return row.ts
}

each('a rollback puts back every byte, and is a revision itself', async (t, app, opened) => {
  await put(app, 'posts/a', { title: 'Pear', tags: ['x'], body: 'Else.\n' })
  await put(app, 'posts/a', { title: 'Plum' })
  const ts = await tsOf(app, 'posts/a', -1)
  const { status, body, headers } = await app.ask(`POST /api/cms/posts/a/rollback/${ts}`)
  t.equal(status, 200)
  t.match(body, { data: { title: 'Apple', body: 'On apples.\n' }, meta: { rolled_back_to: ts, changed: true } })
  t.ok(headers.etag?.startsWith(`"${body.data.version}`), String(headers.etag))
  t.equal(await source(opened, 'posts', 'a'), SOURCE)
  const rows = await log(app, 'posts/a')
  t.equal(rows.length, 4, 'nothing is taken out of the history')
  t.match(rows[0], { action: 'rolled_back', message: /^Roll back posts\/a to 20/, changed: ['title', 'tags', 'body'] })
  const again = await app.ask(`POST /api/cms/posts/a/rollback/${ts}`, { body: {} })
  t.match(again, { status: 200, body: { data: body.data, meta: { rolled_back_to: ts, changed: false } } })
  t.equal((await log(app, 'posts/a')).length, 4, 'to what is there is no revision')
  const newest = await app.ask(`POST /api/cms/posts/a/rollback/${await tsOf(app, 'posts/a', 0)}`)
  t.equal(newest.body.meta.changed, false)
})

each('the status stays as it is now, unless it is asked for', async (t, app, opened) => {
  await put(app, 'posts/a', { status: 'draft', title: 'Draft' })
  const draft = await tsOf(app, 'posts/a', 0)
  await put(app, 'posts/a', { status: 'published', title: 'Public' })
  const kept = await app.ask(`POST /api/cms/posts/a/rollback/${draft}`, { as: WRITER })
  t.match(kept.body.data, { title: 'Draft', status: 'published' })
  t.equal(
    await source(opened, 'posts', 'a'),
    SOURCE.replace('"Apple"', '"Draft"').replace('tags: [News]\n', 'tags: [News]\nstatus: published\n'),
  )
  const forbidden = await app.ask(`POST /api/cms/posts/a/rollback/${draft}`, { as: WRITER, body: { restore_status: true } })
  t.match(forbidden, { status: 403, body: { message: /content:publish/ } })
  const restored = await app.ask(`POST /api/cms/posts/a/rollback/${draft}`, { as: 'edit', body: { restore_status: true } })
  t.match(restored.body, { data: { status: 'draft' }, meta: { changed: true } })
  await put(app, 'posts/a', { status: 'published' })
  await put(app, 'posts/a', { status: 'archived' })
  const published = await tsOf(app, 'posts/a', 1)
  const refused = await app.ask(`POST /api/cms/posts/a/rollback/${published}`, { body: { restore_status: true } })
  t.match(refused, { status: 409, body: { message: /archived can't become published/ } })
  t.equal((await app.ask(`POST /api/cms/posts/a/rollback/${draft}`, { body: { restore_status: 'yes' } })).status, 422)
  t.equal((await app.ask(`POST /api/cms/posts/a/rollback/${draft}`, { body: { status: true } })).status, 422)
})

each('a draft of old in the place of what is public keeps the time it was published at', async (t, app, opened) => {
  await app.ask('POST /api/cms/posts', { body: { title: 'Draft', body: 'One.\n' } })
  const first = await source(opened, 'posts', 'draft')
  const { published_at } = (await put(app, 'posts/draft', { status: 'published', body: 'Two.\n' })).body.data
  opened.clock.advance(60_000)
  const back = await app.ask(`POST /api/cms/posts/draft/rollback/${await tsOf(app, 'posts/draft', -1)}`, { as: WRITER })
  t.match(back, { status: 200, body: { data: { status: 'published', published_at, body: 'One.\n' } } })
  const now = await source(opened, 'posts', 'draft')
  t.equal(now?.replace(/^published_at: .*\n/m, ''), first?.replace('status: draft', 'status: published'))
})

each('what makes a record public, or changes when it is, needs content:publish', async (t, app) => {
  const first = await tsOf(app, 'posts/a', 0)
  await put(app, 'posts/a', { published_at: '2025-06-01T00:00:00Z' })
  t.match(await app.ask(`POST /api/cms/posts/a/rollback/${first}`, { as: WRITER }), { status: 403, body: { message: /publish/ } })
  t.equal((await app.ask(`POST /api/cms/posts/a/rollback/${first}`, { as: 'edit' })).status, 200)
  await app.ask('POST /api/cms/raw', { body: { title: 'R', body: 'One.\n' } })
  await put(app, 'raw/r', { body: '<b>Two.\n' })
  const one = await tsOf(app, 'raw/r', 1)
  t.equal((await app.ask(`POST /api/cms/raw/r/rollback/${one}`, { as: WRITER })).status, 403)
  t.equal((await app.ask(`POST /api/cms/raw/r/rollback/${one}`, { as: 'edit' })).status, 200)
})

each('a removed record comes back where and as it was', async (t, app, opened) => {
  for (const [type, id] of [
    ['posts', 'a'],
    ['posts', 'deep'],
    ['authors', 'ada'],
  ] as const) {
    const path = `${type}/${id}`
    const bytes = await source(opened, type, id)
    await app.ask(`DELETE /api/cms/${path}`)
    t.equal((await app.ask(`GET /api/cms/${path}`)).status, 404)
    const [gone, was] = await log(app, path)
    if (!gone || !was) throw new Error('There are no revisions.')
    t.match(gone, { action: 'deleted', current: true, changed: Array })
    t.match(await app.ask(`GET /api/cms/${path}/revisions/${gone.ts}`), { status: 404, body: { message: /removed/ } })
    t.equal((await app.ask(`GET /api/cms/${path}?at=${gone.ts}`)).status, 404)
    t.equal((await app.ask(`GET /api/cms/${path}?at=${was.ts}`)).status, 200)
    t.match(await app.ask(`POST /api/cms/${path}/rollback/${gone.ts}`), { status: 409, body: { message: /removed/ } })
    const matched = { headers: { 'if-match': '*' } }
    t.equal((await app.ask(`POST /api/cms/${path}/rollback/${was.ts}`, matched)).status, 412)
    t.match(await app.ask(`POST /api/cms/${path}/rollback/${was.ts}`, { as: WRITER }), { status: 403 }, 'it was public')
    const back = await app.ask(`POST /api/cms/${path}/rollback/${was.ts}`, { as: 'edit' })
    t.match(back, { status: 200, body: { data: { id, status: 'published' }, meta: { rolled_back_to: was.ts, changed: true } } })
    t.equal(await source(opened, type, id), bytes)
    t.match(await log(app, path), [{ action: 'restored', current: true }, { action: 'deleted', current: false }, {}])
  }
  if (opened.site) t.match((await import('node:fs')).readdirSync(opened.site.path('content/authors')), ['ada.yaml'])
  if (opened.site) t.match((await import('node:fs')).readdirSync(opened.site.path('content/posts/deep')), ['index.md'])
})

each('a removed record comes back as a draft where that is asked for', async (t, app, opened) => {
  await app.ask('DELETE /api/cms/posts/a')
  const ts = await tsOf(app, 'posts/a', -1)
  const back = await app.ask(`POST /api/cms/posts/a/rollback/${ts}`, { as: WRITER, body: { restore_status: false } })
  t.match(back, { status: 200, body: { data: { status: 'draft', title: 'Apple' } } })
  t.equal(await source(opened, 'posts', 'a'), SOURCE.replace('tags: [News]\n', 'tags: [News]\nstatus: draft\n'))
})

each('what is taken by now is a conflict, and nothing is written', async (t, app, opened) => {
  await put(app, 'posts/a', { slug: 'apple', sku: '1' })
  await put(app, 'posts/a', { slug: 'pear', sku: '2' })
  await put(app, 'posts/b', { slug: 'apple' })
  const before = await source(opened, 'posts', 'a')
  const ts = await tsOf(app, 'posts/a', 1)
  t.match(await app.ask(`POST /api/cms/posts/a/rollback/${ts}`), {
    status: 409,
    body: { error: 'Conflict', conflict: { field: 'slug' } },
  })
  await put(app, 'posts/b', { slug: 'b', sku: '1' })
  t.match(await app.ask(`POST /api/cms/posts/a/rollback/${ts}`), { status: 409, body: { message: /sku/ } })
  t.equal(await source(opened, 'posts', 'a'), before)
  await app.ask('DELETE /api/cms/posts/a')
  t.equal((await app.ask(`POST /api/cms/posts/a/rollback/${ts}`)).status, 409, 'a removed one, too')
  await put(app, 'posts/b', { sku: null })
  await opened.store.write([{ key: keyOf('posts', 'A'), put: { set: { slug: 'twin' } } }], { name: 'x', email: 'x@x' })
  const twin = await app.ask(`POST /api/cms/posts/a/rollback/${ts}`)
  t.match(twin, { status: 409, body: { message: /case/ } })
  t.equal(await source(opened, 'posts', 'a'), undefined)
})

each('a record that was moved takes its revisions with it', async (t, app, opened) => {
  await put(app, 'posts/b', { title: 'Pear' })
  await app.ask('POST /api/cms/posts/b/move', { body: { id: 'pears~b' } })
  await put(app, 'posts/pears~b', { title: 'Plum' })
  const rows = await log(app, 'posts/pears~b')
  t.same(
    rows.map(({ action }) => action),
    ['updated', 'moved', 'updated', 'external'],
  )
  const first = await app.ask(`POST /api/cms/posts/pears~b/rollback/${rows.at(-1)?.ts}`)
  t.match(first, { status: 200, body: { data: { id: 'pears~b', title: 'Birne', status: 'draft' } } })
  t.equal(await source(opened, 'posts', 'pears~b'), FILES['content/posts/b.md'])
  const old = await log(app, 'posts/b')
  t.match(old, [{ action: 'moved', current: true }, { action: 'updated' }, { action: 'external' }])
  const copy = await app.ask(`POST /api/cms/posts/b/rollback/${old.at(-1)?.ts}`)
  t.equal(copy.status, 409, 'its slug is with the record where that is now')
})

each('If-Match guards a rollback; without it a change in between is gone over', async (t, app, { store }) => {
  const { headers } = await app.ask('GET /api/cms/posts/a')
  await put(app, 'posts/a', { title: 'Pear' })
  const ts = await tsOf(app, 'posts/a', -1)
  const roll = (match?: string) =>
    app.ask(`POST /api/cms/posts/a/rollback/${ts}`, { headers: match === undefined ? {} : { 'if-match': match } })
  t.match(await roll(headers.etag ?? ''), { status: 412, body: { error: 'Precondition failed' } })
  const { version } = (await app.ask('GET /api/cms/posts/a')).body.data
  t.equal((await roll(`"${version}-00000000"`)).status, 200)
  await put(app, 'posts/a', { title: 'Plum' })
  const write = store.write.bind(store)
  store.write = async (changes, by, note) => {
    store.write = write
    await write([{ key: keyOf('posts', 'a'), put: { set: { layout: 'new' } } }], by)
    return write(changes, by, note)
  }
  t.match(await roll(), { status: 200, body: { data: { title: 'Apple' }, meta: { changed: true } } })
  t.equal((await app.ask('GET /api/cms/posts/a')).body.data.layout, undefined)
})

each('Idempotency-Key: one rollback for one request', async (t, app) => {
  await put(app, 'posts/a', { title: 'Pear' })
  const ts = await tsOf(app, 'posts/a', -1)
  const roll = (body?: unknown) =>
    app.ask(`POST /api/cms/posts/a/rollback/${ts}`, { headers: { 'idempotency-key': 'k' }, ...(body !== undefined && { body }) })
  const first = await roll()
  await put(app, 'posts/a', { title: 'Plum' })
  const again = await roll()
  t.same([again.status, again.body, again.headers.etag], [200, first.body, first.headers.etag])
  t.equal((await app.ask('GET /api/cms/posts/a')).body.data.title, 'Plum')
  t.equal((await roll({ restore_status: true })).status, 422)
  const empty = { headers: { 'content-type': 'application/json' } }
  t.equal((await app.ask(`POST /api/cms/posts/a/rollback/${ts}`, empty)).status, 200, 'a body need not be sent')
  t.equal((await app.ask('POST /api/cms/posts', empty)).status, 400, 'but where it must')
})

t.test('after any edits, a rollback to any revision gives its bytes, but for the status', async (t) => {
  const status = fc.constantFrom('draft', 'in_review', 'published', 'archived')
  const text = fc.constantFrom('One.\n', 'Two.\n\nParts.\n', '# Head\n', '')
  const edit = fc.oneof(
    fc.record({ title: fc.constantFrom('Red', 'Green: "x"', '#') }),
    fc.record({ tags: fc.uniqueArray(fc.constantFrom('a', 'b')) }),
    fc.record({ body: text }),
    fc.record({ status, mood: fc.option(fc.constantFrom('x', 'y')) }),
    fc.constant('delete' as const),
    fc.constant('back' as const),
  )
  const starts = [
    SOURCE,
    '+++\ntitle = "T" # keep\ndraft = true\n+++\nText.\n',
    '---json\n{"title": "J", "status": "draft"}\n---\n',
    'No front matter.\r\n',
    '\uFEFF---\r\ntitle: Bom\r\ndraft: false\r\n---\r\nText',
  ]
  const holds = async (start: string, edits: (object | 'delete' | 'back')[], pick: number, restore: boolean) => {
    const opened = await openMemory({ files: { 'content/posts/a.md': start }, types, history: true })
    const app = new TestApp(opened)
    const kept = new Map<string, Buffer>()
    const note = async () => {
      const page = await opened.store.history(keyOf('posts', 'a'), { limit: 1 })
      const document = await opened.store.get(keyOf('posts', 'a'))
      for (const { number } of document ? (page?.items ?? []) : []) kept.set(String(number), document?.source ?? Buffer.alloc(0))
    }
    await note()
    for (const one of edits) {
      if (one === 'delete') await app.ask('DELETE /api/cms/posts/a')
      else if (one === 'back') await app.ask(`POST /api/cms/posts/a/rollback/${[...kept.keys()][0]}`)
      else await put(app, 'posts/a', one)
      await note()
    }
    const [ts, bytes] = [...kept][pick % kept.size] ?? []
    const before = (await opened.store.get(keyOf('posts', 'a')))?.fields.status
    const answer = await app.ask(`POST /api/cms/posts/a/rollback/${ts}`, { body: { restore_status: restore } })
    const after = await opened.store.get(keyOf('posts', 'a'))
    if (answer.status === 409 && restore) return
    if (answer.status !== 200 || !after?.source || !bytes) throw new Error(`${ts}: ${answer.text}`)
    const then = (await app.ask(`GET /api/cms/posts/a/revisions/${ts}`)).body.data.status
    const wanted = restore ? then : (before ?? 'draft')
    if (after.fields.status !== wanted) throw new Error(`the status is ${after.fields.status}, not ${wanted}`)
    if (wanted === then && !after.source.equals(bytes)) throw new Error(`${after.source} is not ${bytes}`)
    if (withoutStatus(after.source) !== withoutStatus(bytes))
      throw new Error(`${after.source} is not ${bytes} but for the status`)
  }
  const edits = fc.array(edit, { maxLength: 6 })
  await fc.assert(fc.asyncProperty(fc.constantFrom(...starts), edits, fc.nat(20), fc.boolean(), holds), { numRuns: runsOf(20) })
  t.pass('held')
})

/**
 * The text without what can say a status or when it was published: its own line, and the front matter that was made to hold it.
 */
function withoutStatus(source: Buffer): string {
  return source
    .toString()
    .replace(/^(?:status|draft)\s*[:=].*\r?\n/gm, '')
    .replace(/^published_at\s*[:=].*\r?\n/m, '')
    .replace(/,\s*"published_at": "[^"]*"/, '')
    .replace(/,?\s*"status": "\w+"/, '')
    .replace(/^---\r?\n---\r?\n(?:\r?\n)?/, '')
}
