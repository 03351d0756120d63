import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const MAIN = `label: Main # of the site
items:
  - { label: Home, url: / }
  - { id: one, label: First, record: { type: posts, id: live } }
`
const FILES = {
  'content/menus/main.yaml': MAIN,
  'content/posts/live.md': '---\ntitle: Live\n---\n',
  'content/posts/soon.md': '---\ntitle: Soon\nstatus: draft\n---\n',
}
const types = plainTypes({ posts: {} })
const features = { api: true, menus: true, revisions: true }

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    eachStore(t, { files: FILES, types, history: true }, (t, opened) =>
      body(t, new TestApp(opened, { config: { features } }), opened),
    ),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
type Any = any

const source = async ({ store }: OpenedStore) => String((await store.get(keyOf('menus', 'main')))?.source)
const read = async (app: TestApp, path = 'main', as = 'admin') => (await app.ask(`GET /api/menus/${path}`, { as })).body
const put = async (app: TestApp, { clock }: OpenedStore, body: unknown, query = '', as = 'admin') => {
  clock.advance(60_000)
  return app.ask(`PUT /api/menus/main${query}`, { body, as })
}
const labels = (items: readonly Any[]) => items.map(({ label }) => label)

each('a menu has revisions, the differences between them, and is read as of any time', async (t, app, opened) => {
  const first = (await read(app)).data
  const [home, one] = first.items
  await put(app, opened, { items: [{ ...home, label: 'Start' }, one] })
  await put(app, opened, { label: 'Menu' })
  const { data, meta } = await read(app, 'main/revisions')
  t.equal(meta.total, 3)
  t.match(data, [
    { action: 'updated', changed: ['label'], current: true, message: 'Update menus/main' },
    { action: 'updated', changed: ['items'], current: false },
    { changed: ['label', 'items'], current: false },
  ])
  const [newest, middle, oldest] = data.map(({ ts }: Any) => ts)
  t.strictSame((await read(app, `main/revisions/${oldest}`)).data, first)
  t.strictSame((await read(app, `main?at=${oldest}`)).data, first)
  t.strictSame(labels((await read(app, `main?at=${middle}`)).data.items), ['Start', 'First'])
  t.equal((await app.ask(`GET /api/menus?at=${middle}`)).body.data[0].label, 'Main', 'the list, too')
  t.match((await read(app, `main/revisions/${newest}/diff`)).data, {
    ts: newest,
    against: middle,
    fields: [{ field: 'label', before: 'Main', after: 'Menu' }],
  })
  const { fields } = (await read(app, `main/revisions/${newest}/diff?against=${oldest}`)).data
  t.match(fields, [{ field: 'label' }, { field: 'items', before: [{ label: 'Home' }, {}], after: [{ label: 'Start' }, {}] }])
  t.equal((await app.ask('GET /api/menus/main/revisions/x')).status, 422)
  t.equal((await app.ask('GET /api/menus/main/revisions/1000000000000')).status, 404)
  t.equal((await app.ask('GET /api/menus/main?at=1000000000000')).status, 404)
  t.equal((await app.ask('GET /api/menus/none/revisions')).status, 404)
  const off = new TestApp(opened, { config: { features: { ...features, revisions: false } } })
  for (const path of ['/main?at=1000000000000', '/main/revisions', '?at=1000000000000'])
    t.equal((await off.ask(`GET /api/menus${path}`, { as: 'read' })).status, 404, path)
})

each('a rollback puts back every byte, and brings back what was removed', async (t, app, opened) => {
  const [home] = (await read(app)).data.items
  await put(app, opened, { items: [{ ...home, label: 'Start' }], label: 'Other' })
  const ts = (await read(app, 'main/revisions')).data.at(-1).ts
  const roll = (headers = {}) => app.ask(`POST /api/menus/main/rollback/${ts}`, { headers })
  t.equal((await roll({ 'if-match': '"x"' })).status, 412)
  const back = await roll()
  t.equal(back.status, 200, back.text)
  t.match(back.body, {
    data: { label: 'Main', items: [{ id: home.id }, { id: 'one' }] },
    meta: { rolled_back_to: ts, changed: true },
  })
  t.equal(await source(opened), MAIN)
  t.match((await read(app, 'main/revisions')).data[0], { action: 'rolled_back', current: true })
  t.match((await roll()).body.meta, { changed: false })
  await app.ask('DELETE /api/menus/main')
  t.equal((await read(app, 'main/revisions')).data[0].action, 'deleted')
  const again = await roll({ 'idempotency-key': 'a' })
  t.equal(again.text, (await roll({ 'idempotency-key': 'a' })).text)
  t.equal(await source(opened), MAIN)
  const rows = (await read(app, 'main/revisions')).data
  t.match(rows, [{ action: 'restored' }, { action: 'deleted', changed: ['label', 'items'] }])
  t.match(await app.ask(`POST /api/menus/main/rollback/${rows[1].ts}`), { status: 409 })
})

each('an edit that began from a version of long ago is merged', async (t, app, opened) => {
  const { items, version } = (await read(app)).data
  const [home, one] = items
  await put(app, opened, { items: [{ ...home, label: 'Start' }, one] })
  // A server that begins anew has read nothing lately.
  const later = new TestApp(opened, { config: { features } })
  const merged = await put(later, opened, { items: [one, home] }, `?base=${version}`, 'content:read,content:drafts,menus:write')
  t.match(merged, { status: 200, body: { meta: { merged: true } } }, merged.text)
  t.strictSame(labels(merged.body.data.items), ['First', 'Start'])
})

each('the past tells readers without drafts of nothing that was one then', async (t, app, opened) => {
  const [home, one] = (await read(app)).data.items
  await put(app, opened, { items: [home, one, { label: 'Codename', record: { type: 'posts', id: 'soon' } }] })
  const secret = (await read(app)).data
  await put(app, opened, { items: [home, one, { ...secret.items[2], label: 'Soon' }] })
  await app.ask('PUT /api/cms/posts/soon', { body: { status: 'published' } })
  const as = 'content:read'
  t.strictSame(labels((await read(app, 'main', as)).data.items), ['Home', 'First', 'Soon'])
  const rows = (await read(app, 'main/revisions', as)).data
  const texts = [JSON.stringify(rows)]
  for (const { ts } of rows) {
    texts.push(JSON.stringify(await read(app, `main/revisions/${ts}`, as)), JSON.stringify(await read(app, `main?at=${ts}`, as)))
    texts.push(JSON.stringify(await read(app, `main/revisions/${ts}/diff`, as)))
  }
  for (const text of texts) t.notMatch(text, 'Codename')
  const both = 'content:read,menus:write'
  const mine = [home, one, { ...secret.items[2], label: 'Mine' }]
  const overlap = await app.ask(`PUT /api/menus/main?base=${secret.version}`, { body: { items: mine }, as: both })
  t.equal(overlap.status, 409)
  t.notMatch(overlap.text, 'Codename', 'nor does a conflict')
  t.match(await app.ask(`POST /api/menus/main/rollback/${rows[1].ts}`, { as: both }), {
    status: 403,
    body: { message: /content:drafts/ },
  })
  t.equal((await app.ask(`POST /api/menus/main/rollback/${rows[1].ts}`, { as })).status, 403)
  t.equal((await app.ask(`GET /api/menus?at=${rows[1].ts}`, { as })).status, 403)
  t.ok((await app.ask(`GET /api/menus/main/revisions/${rows[1].ts}`)).text.includes('Codename'), 'who sees drafts is shown it')
})

each('a menu that was removed is there for who sees everything alone', async (t, app, opened) => {
  const { ts } = (await read(app, 'main/revisions')).data[0]
  opened.clock.advance(60_000)
  t.equal((await app.ask('DELETE /api/menus/main')).status, 200)
  const paths = ['/main/revisions', `/main/revisions/${ts}`, `/main/revisions/${ts}/diff`, `/main?at=${ts}`]
  for (const path of paths) {
    t.match(
      await app.ask(`GET /api/menus${path}`, { as: 'content:read' }),
      { status: 404, body: { message: /menu was not found/ } },
      path,
    )
    t.equal((await app.ask(`GET /api/menus${path}`)).status, 200, path)
  }
  const list = (types?: string[]) =>
    app.ask(`GET /api/menus?at=${ts}`, { as: 'content:read,content:drafts', ...(types && { types }) })
  t.match((await list()).body, { data: [{ name: 'main' }], meta: { total: 1 } })
  t.match((await list(['notes'])).body, { data: [], meta: { total: 0 } })
})

t.test('without a history these routes say so', (t) =>
  eachStore(t, { files: FILES, types, history: false }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features } })
    for (const path of ['/main/revisions', '/main?at=1000000000000', '?at=1000000000000'])
      t.match(await app.ask(`GET /api/menus${path}`), { status: 404, body: { message: /Revisions need git/ } }, path)
  }),
)
