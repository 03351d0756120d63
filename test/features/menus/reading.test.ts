import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { long, longTest } from '#support/long.ts'
import { eachStore, everyStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const MAIN = `# The main menu
label: Main menu
items:
  - label: Home
    url: /
  - id: about-us
    label: "About"
    record: { type: pages, id: about }
    children:
      - { label: Team, url: https://example.org/team, new_tab: true }
      - label: Bad
        url: "javascript:alert(1)"
  - label: Draft
    record: { type: posts, id: draft }
    children:
      - label: Below the draft
        url: /below
  - record: { type: posts, id: live }
  - label: Gone
    record: { type: posts, id: gone }
  - label: Secret
    record: { type: secret, id: x }
`
const FILES = {
  'content/menus/main.yaml': MAIN,
  'content/menus/footer.yaml': 'items: []\n',
  'content/menus/odd.yaml': 'items: [\n',
  'content/pages/about.md': '---\ntitle: About\n---\n',
  'content/posts/live.md': '---\ntitle: Live\n---\n',
  'content/posts/draft.md': '---\ntitle: Draft\nstatus: draft\n---\n',
  'content/secret/x.md': '---\ntitle: X\n---\n',
}
const types = plainTypes({ posts: {}, secret: {} })

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    everyStore(t, { files: FILES, types }, (t, opened) =>
      body(t, new TestApp(opened, { config: { features: { api: true, menus: true } } }), opened),
    ),
  )
}

interface Row {
  id: string
  label: string | null
  children: Row[]
}

const labels = (items: readonly Row[]): unknown[] =>
  items.map(({ label, children }) => (children.length > 0 ? [label, labels(children)] : label))

long(each)('a menu is its tree', async (t, app, { store }) => {
  const before = (await store.changes(undefined, 100)).next
  const { status, body, headers } = await app.ask('GET /api/menus/main')
  t.equal(status, 200)
  const { data } = body
  t.match(data, { name: 'main', label: 'Main menu', version: /^[0-9a-f]{40}$/ })
  t.ok(headers.etag?.startsWith(`"${data.version}-`))
  t.strictSame(labels(data.items), ['Home', ['About', ['Team', 'Bad']], ['Draft', ['Below the draft']], null, 'Gone', 'Secret'])
  const [home, about] = data.items
  t.match(home, { id: /^[a-z]{8}$/, url: '/', record: null, new_tab: false, children: [] })
  t.match(about, { id: 'about-us', url: null, record: { type: 'pages', id: 'about' } })
  t.match(about.children[0], { url: 'https://example.org/team', new_tab: true })
  t.match(about.children[1], { url: null, record: null }, 'an address that no page may follow is not answered')
  t.strictSame((await app.ask('GET /api/menus/main')).body, body, 'ids are the same at each reading')
  t.equal((await app.ask('GET /api/menus/main', { headers: { 'if-none-match': headers.etag ?? '' } })).status, 304)
  t.strictSame((await store.changes(before, 100)).changes, [], 'reading writes nothing')
  t.match(await app.ask('GET /api/menus/nowhere'), { status: 404, body: { message: 'The menu was not found.' } })
  t.match(await app.ask('GET /api/menus/..%2fposts%2flive'), { status: 404 })
  t.match(await app.ask('GET /api/menus/odd'), { status: 422, body: { error: 'Unreadable record' } })
})

each('menus are listed by name', async (t, app) => {
  const { body } = await app.ask('GET /api/menus')
  t.strictSame(body.meta, { total: 2, per_page: 15, current_page: 1, last_page: 1 })
  t.match(body.data, [
    { name: 'footer', label: null, items: [] },
    { name: 'main', items: [{ label: 'Home' }] },
  ])
  const second = (await app.ask('GET /api/menus?per_page=1&page=2')).body
  t.match([second.data.length, second.data[0].name, second.meta.total], [1, 'main', 2])
  t.equal((await app.ask('GET /api/menus?pages=1')).status, 400)
})

long(each)('an item whose target the reader may not see is left out, with what is below it', async (t, app, { store, types }) => {
  const as = async (scopes: string, limited: string[] = []) => {
    const { body, headers } = await app.ask('GET /api/menus/main', { as: scopes, types: limited })
    return { shown: labels(body.data.items), etag: headers.etag, text: JSON.stringify(body.data.items) }
  }
  const reader = await as('content:read')
  t.strictSame(reader.shown, ['Home', ['About', ['Team', 'Bad']], null, 'Secret'])
  t.notMatch(reader.text, /Draft|below|Gone|gone/, 'a draft is not told from a record that is not there')
  const drafts = await as('content:read,content:drafts')
  t.not(drafts.etag, reader.etag)
  t.strictSame((await as('content:read', ['posts'])).shown, ['Home', null])
  t.strictSame((await as('content:read,content:drafts', ['posts'])).shown, ['Home', ['Draft', ['Below the draft']], null, 'Gone'])
  t.strictSame((await as('content:read@posts')).shown, ['Home', null])
  t.match(await app.ask('GET /api/menus/main', { as: 'menus:write' }), { status: 403, body: { message: /content:read/ } })
  t.match(await app.ask('GET /api/menus', { as: 'users:read' }), { status: 403 })
  t.equal((await app.bare('GET /api/menus')).status, 401)
  const list = await app.ask('GET /api/menus', { as: 'content:read' })
  t.notMatch(list.text, /Draft|below|gone/)
  t.ok(store && types)
})

t.test('items that say the same have ids of their own, which stay where an item goes', (t) =>
  everyStore(
    t,
    { files: { 'content/menus/a.yaml': twice(''), 'content/menus/b.yaml': twice('  - label: New\n') } },
    async (t, opened) => {
      const app = new TestApp(opened, { config: { features: { api: true, menus: true } } })
      const ids = async (name: string) => (await app.ask(`GET /api/menus/${name}`)).body.data.items.map(({ id }: Row) => id)
      const [a, b] = [await ids('a'), await ids('b')]
      t.equal(new Set(a).size, 4)
      t.strictSame(a, b.slice(1), 'also where another item comes before it')
      t.equal(a[2], 'own')
    },
  ),
)

function twice(first: string): string {
  return `items:\n${first}  - { label: A, url: /a }\n  - { label: A, url: /a }\n  - { id: own, label: B }\n  - { id: own, label: B }\n`
}

t.test('of a menu the first 500 items and eight levels are answered', (t) =>
  everyStore(t, { files: { 'content/menus/wide.yaml': wide(600), 'content/menus/deep.yaml': deep(12) } }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { api: true, menus: true } } })
    t.equal((await app.ask('GET /api/menus/wide')).body.data.items.length, 500)
    const text = (await app.ask('GET /api/menus/deep')).text
    t.equal(text.match(/"label":"L/g)?.length, 8)
  }),
)

function wide(count: number): string {
  return `items:\n${Array.from({ length: count }, (_, n) => `  - { label: L${n}, url: /${n} }\n`).join('')}`
}

function deep(levels: number): string {
  const lines = Array.from({ length: levels }, (_, n) => {
    const pad = ' '.repeat(2 + n * 4)
    return `${pad}- label: L${n}\n${pad}  children:\n`
  })
  return `items:\n${lines.join('')}`
}

longTest('a list that would be too long is without items', (t) =>
  eachStore(t, { types }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { api: true, menus: true } } })
    t.teardown(() => app.close())
    const items = Array.from({ length: 500 }, (_, n) => ({ id: `i${n}`, label: 'x'.repeat(2_000), url: '/' }))
    for (let n = 0; n < 10; n++) {
      const key = keyOf('menus', `m${n}`)
      await opened.store.write([{ key, put: { set: { label: `M${n}`, items } } }], { name: 'A', email: 'a@example.org' })
    }
    const { body, text } = await app.ask('GET /api/menus', { as: 'read' })
    t.match(body.meta, { total: 10, omitted: ['items'] })
    t.same(Object.keys(body.data[0]), ['name', 'label', 'version'])
    t.ok(text.length < 10_000)
    const few = await app.ask('GET /api/menus?per_page=5&page=2', { as: 'read' })
    t.notOk('omitted' in few.body.meta)
    t.equal(few.body.data[4].items.length, 500)
  }),
)
