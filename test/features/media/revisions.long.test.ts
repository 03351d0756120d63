import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const by = { name: 'Somebody', email: 'somebody@example.org' }
const CAT = 'alt: A cat # ours\nuploaded_by: ada\n'
const FILES = {
  'content/media/2026/cat.jpg.yaml': CAT,
  'content/media/hidden.jpg.yaml': 'alt: Secret\n',
  'content/posts/draft.md': '---\ntitle: Draft\nstatus: draft\n---\n![](/media/hidden.jpg)\n',
}
const types = plainTypes({ posts: {} })
const features = { api: true, media: true, revisions: true, auth: true }

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    eachStore(t, { files: FILES, types, history: true, now: '2040-01-15T12:00:00Z' }, async (t, opened) => {
      const app = new TestApp(opened, { config: { features } })
      await body(t, app, opened)
      await app.close()
    }),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
type Any = any

const source = async ({ store }: OpenedStore, id: string) => String((await store.get(keyOf('media', id)))?.source)
const put = async (app: TestApp, { clock }: OpenedStore, body: unknown, id = '2026~cat.jpg') => {
  clock.advance(60_000)
  return app.ask(`PUT /api/media/${id}`, { body })
}
const BASE = '/api/media/2026~cat.jpg'

each('a media file has revisions, the differences between them, and is read as of any time', async (t, app, opened) => {
  const first = (await app.ask(`GET ${BASE}`)).body.data
  await put(app, opened, { alt: 'Two cats' })
  const changed = await put(app, opened, { title: 'Cats', focal_point: { x: 0, y: 1 } })
  const { data, meta } = (await app.ask(`GET ${BASE}/revisions`)).body
  t.equal(meta.total, 3)
  t.match(data, [
    { action: 'updated', changed: ['title', 'focal_point'], current: true, message: 'Update media/2026~cat.jpg' },
    { action: 'updated', changed: ['alt'], current: false },
    { changed: ['mime_type', 'alt', 'uploaded_by'], current: false },
  ])
  const [newest, middle, oldest] = data.map(({ ts }: Any) => ts)
  const then = (await app.ask(`GET ${BASE}/revisions/${oldest}`)).body.data
  t.match(then, { alt: 'A cat', version: first.version, uploaded_by: 'ada' })
  t.match((await app.ask(`GET ${BASE}?at=${middle}`)).body.data, { alt: 'Two cats', title: null })
  const list = await app.ask(`GET /api/media?at=${middle}&q=cat&sort=filename`)
  t.match(list.body, { data: [{ alt: 'Two cats' }], meta: { total: 1 } })
  t.equal((await app.ask(`GET /api/media?at=${middle}`, { as: 'read' })).status, 403)
  t.equal((await app.ask(`GET /api/media?at=${middle}&unused=true`)).status, 422)
  t.match((await app.ask(`GET ${BASE}/revisions/${newest}/diff`)).body.data, {
    ts: newest,
    against: middle,
    fields: [
      { field: 'title', before: null, after: 'Cats' },
      { field: 'focal_point', before: null, after: { x: 0, y: 1 } },
    ],
  })
  const { fields } = (await app.ask(`GET ${BASE}/revisions/${newest}/diff?against=${oldest}`)).body.data
  t.match(fields, [{ field: 'alt' }, { field: 'title' }, { field: 'focal_point' }])
  for (const [path, status] of [
    ['/revisions/x', 422],
    ['/revisions/1000000000000', 404],
    ['?at=1000000000000', 404],
  ] as const)
    t.equal((await app.ask(`GET ${BASE}${path}`)).status, status, path)
  t.equal((await app.ask('GET /api/media/none.jpg/revisions')).status, 404)
  const late = await app.ask(`PUT ${BASE}?base=${first.version}`, { body: { caption: 'Late' } })
  t.match(late.body, { data: { caption: 'Late', alt: 'Two cats' }, meta: { merged: true } })
  t.equal(changed.status, 200)
})

each('a rollback puts back every byte, and brings back what was removed', async (t, app, opened) => {
  await put(app, opened, { alt: 'Other', title: 'X' })
  const ts = (await app.ask(`GET ${BASE}/revisions`)).body.data.at(-1).ts
  const roll = (headers = {}, as = 'admin') => app.ask(`POST ${BASE}/rollback/${ts}`, { headers, as })
  t.equal((await roll({ 'if-match': '"x"' })).status, 412)
  t.equal((await roll({}, 'read')).status, 403)
  t.match(await roll({}, 'content:read,media:write'), { status: 403, body: { message: /content:drafts/ } })
  const back = await roll({}, 'content:read,content:drafts,media:write')
  t.match(back.body, { data: { alt: 'A cat', title: null }, meta: { rolled_back_to: ts, changed: true } }, back.text)
  t.equal(await source(opened, '2026~cat.jpg'), CAT)
  t.match((await roll()).body.meta, { changed: false })
  t.equal((await app.ask(`DELETE ${BASE}`)).status, 200)
  t.equal((await app.ask(`GET ${BASE}/revisions`, { as: 'read' })).status, 404, 'what was removed is for who sees drafts')
  t.match((await app.ask(`GET ${BASE}/revisions`)).body.data, [{ action: 'deleted' }, { action: 'rolled_back' }, {}, {}])
  t.match(await roll(), { status: 409, body: { message: /not kept any more/ } }, 'nobody knows its bytes')
})

each('bytes come back with what was said of them', async (t, app, opened) => {
  const { store, blobs, clock } = opened
  const key = keyOf('media', 'x.txt')
  const write = async (text: string) => {
    const bytes = await blobs.put(Readable.from([Buffer.from(text)]), 1000)
    clock.advance(60_000)
    await store.write([{ key, put: { set: { size: text.length, checksum: `sha256:${bytes.ref}` }, bytes } }], by)
    return bytes
  }
  const [one] = [await write('one'), await write('three')]
  const ts = (await app.ask('GET /api/media/x.txt/revisions')).body.data.at(-1).ts
  const back = await app.ask(`POST /api/media/x.txt/rollback/${ts}`)
  t.match(back.body.data, { size: 3, checksum: `sha256:${one.ref}` }, back.text)
  clock.advance(60_000)
  await app.ask('DELETE /api/media/x.txt')
  const restored = await app.ask(`POST /api/media/x.txt/rollback/${ts}`)
  t.match(restored.body.data, { size: 3, checksum: `sha256:${one.ref}` }, restored.text)
  await write('other')
  await blobs.remove(one.ref)
  t.match(await app.ask(`POST /api/media/x.txt/rollback/${ts}`), { status: 409, body: { message: /not kept any more/ } })
})

each('nothing of the past is told of what is not there', async (t, app) => {
  const ts = (await app.ask('GET /api/media/hidden.jpg/revisions')).body.data[0].ts
  for (const path of ['', '/revisions', `/revisions/${ts}`, `/revisions/${ts}/diff`, `?at=${ts}`]) {
    const hidden = await app.ask(`GET /api/media/hidden.jpg${path}`, { as: 'read' })
    const none = await app.ask(`GET /api/media/none.jpg${path}`, { as: 'read' })
    t.same([hidden.status, hidden.body], [404, none.body], path)
  }
  const rolled = await app.ask(`POST /api/media/hidden.jpg/rollback/${ts}`, { as: 'content:read,media:write' })
  t.equal(rolled.status, 404)
})

each('addresses that a file had lead to it after a rollback, and to nothing that is not there', async (t, app, opened) => {
  const { store, blobs, clock } = opened
  const at = async (path: string) => {
    const { statusCode, headers } = await app.app.inject({ method: 'GET', url: `/media/${path}` })
    return [statusCode, headers.location].filter((one) => one !== undefined)
  }
  const bytes = await blobs.put(Readable.from([Buffer.from('one')]), 1000)
  const set = { size: 3, checksum: `sha256:${bytes.ref}` }
  await store.write([{ key: keyOf('media', 'one.txt'), put: { set, bytes } }], by)
  for (const [from, to] of [
    ['one.txt', '2026~two.txt'],
    ['2026~two.txt', 'three.txt'],
    ['three.txt', '2026~two.txt'],
  ]) {
    clock.advance(60_000)
    t.equal((await app.ask(`POST /api/media/${from}/move`, { body: { id: to } })).status, 200)
  }
  await put(app, opened, { alt: 'Two' }, '2026~two.txt')
  const revisions = async () => (await app.ask('GET /api/media/2026~two.txt/revisions')).body.data
  const [created] = (await revisions()).slice(-1)
  const roll = () => app.ask(`POST /api/media/2026~two.txt/rollback/${created.ts}`)
  const lead = [308, '/media/2026/two.txt']
  const areLed = async (when: string) => {
    t.same([await at('one.txt'), await at('three.txt')], [lead, lead], when)
    t.same((await store.get(keyOf('media', '2026~two.txt')))?.fields.aliases, ['/media/one.txt', '/media/three.txt'], when)
  }
  for (const changed of [true, false]) {
    clock.advance(60_000)
    t.match((await roll()).body, { data: { alt: null }, meta: { changed } })
    await areLed('rolled back')
  }
  t.equal((await revisions()).length, 6)
  t.equal((await app.ask('DELETE /api/media/2026~two.txt')).status, 200)
  t.same(await at('one.txt'), [404])
  clock.advance(60_000)
  t.equal((await roll()).status, 200)
  await areLed('brought back')

  const lost = (id: string, alias: string) => ({
    key: keyOf('media', id),
    put: { set: { alt: 'Lost', aliases: [`/media/${alias}`] } },
  })
  await store.write([lost('a.txt', 'b.txt'), lost('b.txt', 'a.txt'), lost('c.txt', 'c.txt')], by)
  for (const path of ['a.txt', 'b.txt', 'c.txt']) t.same(await at(path), [404], path)
})

const hidden = (path = '') => `/api/media/acme.jpg${path}`
const SECRET = /Acme|acme-|embargo|secret/

each('the past of a file that only a draft used is not told once it is public', async (t, app, opened) => {
  const { store, clock } = opened
  const step = async (request: string, body?: unknown) => {
    clock.advance(60_000)
    const { status, text } = await app.ask(request, { body })
    t.equal(status, 200, text)
  }
  await step('PUT /api/media/hidden.jpg', { alt: 'Acme, embargo till May', title: 'Logos', caption: 'secret' })
  await step('POST /api/media/hidden.jpg/move', { id: 'acme-buys.jpg' })
  await step('POST /api/media/acme-buys.jpg/move', { id: 'acme.jpg' })
  await step(`PUT ${hidden()}`, { alt: 'Two logos', caption: null })
  t.equal((await app.ask(`GET ${hidden()}`, { as: 'read' })).status, 404)
  await step('PUT /api/cms/posts/draft', { status: 'published' })

  const all = (await app.ask(`GET ${hidden('/revisions')}`)).body.data
  t.same(all.map(({ action }: Any) => action).slice(0, 4), ['updated', 'moved', 'moved', 'updated'])
  const list = await app.ask(`GET ${hidden('/revisions')}`, { as: 'read' })
  t.same(
    list.body.data.map(({ ts, message }: Any) => [ts, message]),
    all.map(({ ts }: Any) => [ts, '']),
  )
  t.same(
    list.body.data.map(({ changed }: Any) => changed.includes('alt')),
    [true, false, false, false, false],
  )
  for (const { ts } of all) {
    const one = await app.ask(`GET ${hidden(`/revisions/${ts}`)}`, { as: 'read' })
    const isNow = ts === all[0].ts
    const [now] = isNow ? ['Two logos'] : [null]
    t.match(one.body.data, { alt: now, caption: null, version: isNow ? String : null }, one.text)
    const diff = await app.ask(`GET ${hidden(`/revisions/${ts}/diff?against=${all.at(-1).ts}`)}`, { as: 'read' })
    const at = await app.ask(`GET ${hidden(`?at=${ts}`)}`, { as: 'read' })
    for (const { status, text, headers } of [
      one,
      diff,
      at,
      await app.ask(`GET ${hidden(`/revisions/${ts}/diff`)}`, { as: 'read' }),
    ]) {
      t.equal(status, 200)
      t.notMatch(text + headers.etag, SECRET)
    }
    t.equal(at.body.data.alt, now)
  }
  const [, , , named] = all
  t.match((await app.ask(`GET ${hidden(`/revisions/${named.ts}`)}`)).body.data, {
    alt: 'Acme, embargo till May',
    caption: 'secret',
  })
  t.match((await app.ask(`GET ${hidden(`/revisions/${named.ts}`)}`, { as: 'read' })).body.data, { alt: null, title: 'Logos' })
  const rolled = await app.ask(`POST ${hidden(`/rollback/${named.ts}`)}`, { as: 'content:read,media:write' })
  t.match(rolled, { status: 403, body: { message: /content:drafts/ } })
  t.match(String((await store.get(keyOf('media', 'acme.jpg')))?.fields.alt), 'Two logos')
  const told = await app.ask('GET /api/changes?type=media', { as: 'read' })
  t.match(told.body.data, [
    { id: 'acme.jpg', message: null },
    { id: '2026~cat.jpg', message: null },
  ])
  await step(`POST ${hidden('/move')}`, { id: 'logos.jpg' })
  const moved = await app.ask('GET /api/changes?type=media', { as: 'read' })
  t.match(moved.body.data[0], { action: 'moved', id: 'logos.jpg', message: null })
  t.match((await app.ask('GET /api/changes?type=media')).body.data[0], { message: 'Move media/acme.jpg to logos.jpg' })
})

each('of a removed file nothing is told to who has another of its name', async (t, app, { store, clock }) => {
  const [ada, ben] = await Promise.all(
    ['ada', 'ben'].map((handle) => app.features.users.create({ email: `${handle}@example.org`, handle, role: 'author' }, by)),
  )
  if (!ada || !ben) throw new Error('no users')
  const key = keyOf('media', '2026~cat.jpg')
  clock.advance(60_000)
  await app.ask(`DELETE ${BASE}`)
  const mine = await app.askAs(ada, `GET ${BASE}/revisions`)
  t.match(mine.body.data, [{ action: 'deleted' }, { changed: ['mime_type', 'alt', 'uploaded_by'] }])
  t.equal((await app.askAs(ben, `GET ${BASE}/revisions`)).status, 404)
  clock.advance(60_000)
  await store.write([{ key, put: { set: { alt: 'First', uploaded_by: 'ben' } }, expects: 'absent' }], by)
  clock.advance(60_000)
  await store.write([{ key, put: { set: { alt: 'Second' } } }], by)
  t.equal((await app.ask(`GET ${BASE}/revisions`)).body.meta.total, 4)
  const oldest = (await app.ask(`GET ${BASE}/revisions`)).body.data.at(-1).ts
  for (const [user, first] of [
    [ada, null],
    [ben, 'First'],
  ] as const) {
    const { body } = await app.askAs(user, `GET ${BASE}/revisions`)
    t.match(body.data, [
      { changed: ['alt'] },
      { changed: first ? ['mime_type', 'alt', 'uploaded_by'] : ['mime_type', 'uploaded_by'] },
    ])
    t.equal(body.meta.total, 2)
    t.equal((await app.askAs(user, `GET ${BASE}/revisions/${body.data[1].ts}`)).body.data.alt, first)
    for (const path of [
      `/revisions/${oldest}`,
      `/revisions/${oldest}/diff`,
      `/revisions/${body.data[0].ts}/diff?against=${oldest}`,
      `?at=${oldest}`,
    ])
      t.equal((await app.askAs(user, `GET ${BASE}${path}`)).status, 404, path)
  }
})

each('changes of media are told to who may see the file', async (t, app, opened) => {
  await put(app, opened, { title: 'Cats' })
  await put(app, opened, { title: 'Plan' }, 'hidden.jpg')
  const told = async (as: string) =>
    (await app.ask('GET /api/changes?type=media', { as })).body.data.map(
      ({ action, id, title }: Any) => `${action} ${id} ${title}`,
    )
  t.same(await told('read'), ['updated 2026~cat.jpg Cats'])
  t.same(await told('edit'), ['updated hidden.jpg Plan', 'updated 2026~cat.jpg Cats'])
  opened.clock.advance(60_000)
  await app.ask(`DELETE ${BASE}`)
  t.same(await told('read'), [])
  t.same(await told('edit'), ['deleted 2026~cat.jpg Cats', 'updated hidden.jpg Plan'])
})
