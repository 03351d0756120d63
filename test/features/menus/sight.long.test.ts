import t, { type Test } from 'tap'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { everyStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

/** The first commit of a repository is made by the machine's clock: what a test does comes after it. */
const NOW = '2040-01-15T12:00:00.000Z'
const FILES = {
  'content/menus/main.yaml': [
    'items:',
    '  - { label: Home, url: / }',
    '  - { label: Plan, record: { type: posts, id: plan }, children: [{ label: Below, url: /below }] }',
    '  - { label: Live, record: { type: posts, id: live } }',
    '',
  ].join('\n'),
  'content/posts/live.md': '---\ntitle: Live\ndate: 2020-01-01\n---\n',
  'content/posts/plan.md': '---\ntitle: Plan\ndate: 2020-01-01\nstatus: draft\n---\n',
}
const types = plainTypes({ posts: {} })
const features = { api: true, menus: true, revisions: true }
const as = 'content:read,menus:write'
const { author } = localAccess({ name: 'Test', email: 'test@example.org' })

// biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
type Any = any

interface Menu {
  readonly app: TestApp
  hasHistory(): Promise<boolean>
  read(): Promise<{ items: Any[]; version: string; etag: string }>
  put(items: readonly Any[], query?: string, headers?: Record<string, string>, reader?: string): Promise<Any>
  set(id: string, status: string): Promise<void>
  /** The labels in the file. */
  labels(): Promise<string[]>
}

const labelsOf = (items: readonly Any[]): string[] => items.flatMap(({ label, children = [] }) => [label, ...labelsOf(children)])

function each(name: string, body: (t: Test, menu: Menu) => Promise<void>): void {
  t.test(name, (t) => everyStore(t, { files: FILES, types, now: NOW }, (t, opened) => body(t, menuOf(opened))))
}

function menuOf(opened: OpenedStore): Menu {
  const app = new TestApp(opened, { config: { features } })
  return {
    app,
    hasHistory: async () => (await opened.store.history(keyOf('menus', 'main'), {})) !== undefined,
    read: async () => {
      const { body, headers } = await app.ask('GET /api/menus/main', { as })
      return { ...body.data, etag: headers.etag }
    },
    put: (items, query = '', headers = {}, reader = as) =>
      app.ask(`PUT /api/menus/main${query}`, { as: reader, body: { items }, headers }),
    set: async (id, status) => {
      opened.clock.advance(60_000)
      await opened.store.write([{ key: keyOf('posts', id), put: { set: { status } } }], author, {})
    },
    labels: async () => labelsOf((await app.ask('GET /api/menus/main', { as: 'admin' })).body.data.items),
  }
}

const NEW = { label: 'New', url: '/new' }

each('an item that came into sight since the menu was read is not taken away', async (t, { read, put, set, labels }) => {
  const { items, version, etag } = await read()
  t.same(labelsOf(items), ['Home', 'Live'])
  await set('plan', 'published')
  t.equal((await put([...items, NEW], `?base=${version}`, { 'if-match': etag })).status, 412, 'the ETag is that of what was seen')
  const { status, text, body } = await put([...items, NEW], `?base=${version}`)
  t.equal(status, 200, text)
  t.same((await labels()).sort(), ['Below', 'Home', 'Live', 'New', 'Plan'])
  t.same(labelsOf(body.data.items).sort(), ['Below', 'Home', 'Live', 'New', 'Plan'])
  const [home] = body.data.items
  const gone = await put([home], `?base=${body.data.version}`)
  t.same(labelsOf(gone.body.data.items), ['Home'], 'once it was seen, it is')
})

each('who read the menu before and after is believed by the ETag', async (t, { read, put, set, labels }) => {
  const before = await read()
  await set('plan', 'published')
  const after = await read()
  t.not(after.etag, before.etag)
  const without = after.items.filter(({ label }) => label !== 'Plan')
  t.equal((await put(without, `?base=${after.version}`)).status, 200)
  t.ok((await labels()).includes('Plan'), 'it may have been read before')
  const { etag } = await read()
  t.equal((await put(without, `?base=${after.version}`, { 'if-match': etag })).status, 200)
  t.same(await labels(), ['Home', 'Live'])
})

each(
  'an item that is sent back as it was read stays where its record is hidden again',
  async (t, { app, read, put, set, labels }) => {
    await set('plan', 'published')
    const { items, version } = await read()
    t.same(labelsOf(items), ['Home', 'Plan', 'Below', 'Live'])
    await set('plan', 'draft')
    const [home, plan, live] = items
    for (const query of ['', `?base=${version}`]) {
      const { status, text } = await put(items, query)
      t.equal(status, 200, text)
      t.notMatch(text, 'Plan')
      t.same(await labels(), ['Home', 'Plan', 'Below', 'Live'])
    }
    const moved = await put([live, plan, home, NEW], `?base=${version}`)
    t.same([moved.status, labelsOf(moved.body.data.items)], [200, ['Live', 'Home', 'New']], moved.text)
    t.same(
      (await labels()).filter((label) => label !== 'Below'),
      ['Live', 'Plan', 'Home', 'New'],
    )
    const led = await put([{ ...home, url: null, record: plan.record }], `?base=${version}`)
    t.match(led, { status: 422, body: { errors: { 'items.0.record': ['There is no such record.'] } } })
    const { body } = await app.ask('PUT /api/menus/main', { as: 'menus:write,content:read@posts', body: { items } })
    t.match(body, { error: 'Validation failed' }, 'who was not shown it is told nothing of it')
  },
)

each('where it is not known what was read, what has not changed since was', async (t, { hasHistory, read, put, set, labels }) => {
  const stranger = 'menus:write,content:read'
  const { items, version } = await read()
  t.equal((await put([items[0]], `?base=${version}`, {}, stranger)).status, 200)
  const live = (await hasHistory()) ? [] : ['Live']
  t.same(await labels(), ['Home', 'Plan', 'Below', ...live], 'Live was there when the menu was made')
  const next = await read()
  await set('plan', 'published')
  t.equal((await put([...next.items, NEW], `?base=${next.version}`, {}, stranger)).status, 200)
  t.same((await labels()).sort(), ['Below', 'Home', ...live, 'New', 'Plan'])
})
