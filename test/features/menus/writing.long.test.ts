import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, everyStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const MAIN = `# The main menu
label: Main menu   # shown by nobody
items:
  # first
  - label: Home   # the start
    url: /
  - id: about-us
    label: "About"
    record: { type: pages, id: about }
    class: wide
    children:   # two
      # the team
      - { label: 'Team', url: https://example.org/team, new_tab: true }
      - label: Bad
        url: "javascript:alert(1)"
  - label: Draft
    record: { type: posts, id: draft }
    children:
      - label: Below the draft
        url: /below
# the end
`
const FILES = {
  'content/menus/main.yaml': MAIN,
  'content/menus/odd.yaml': 'items: [\n',
  'content/pages/about.md': '---\ntitle: About\n---\n',
  'content/posts/live.md': '---\ntitle: Live\n---\n',
  'content/posts/draft.md': '---\ntitle: Draft\nstatus: draft\n---\n',
}
const types = plainTypes({ posts: {} })
const features = { api: true, menus: true, revisions: true }

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    everyStore(t, { files: FILES, types }, (t, opened) => body(t, new TestApp(opened, { config: { features } }), opened)),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
type Any = any

const read = async (app: TestApp, name = 'main', as = 'admin') => (await app.ask(`GET /api/menus/${name}`, { as })).body.data
const source = async ({ store }: OpenedStore, name = 'main') => String((await store.get(keyOf('menus', name)))?.source)
const put = (app: TestApp, body: unknown, query = '', as = 'admin', headers = {}) =>
  app.ask(`PUT /api/menus/main${query}`, { body, as, headers })

each('a menu is made, and taken away', async (t, app, opened) => {
  const items = [
    { label: 'News', url: '/news' },
    { record: { type: 'posts', id: 'live' }, children: [{ label: 'Write', url: 'mailto:a@example.org', new_tab: true }] },
  ]
  const made = await app.ask('POST /api/menus', { body: { name: 'footer', label: 'Footer', items } })
  t.equal(made.status, 201, made.text)
  t.equal(made.headers.location, '/api/menus/footer')
  t.match(made.body.data, {
    name: 'footer',
    label: 'Footer',
    items: [{ id: /^[a-z]{8}$/, label: 'News', url: '/news' }, { label: null }],
  })
  t.match(made.body.data.items[1].children[0], { url: 'mailto:a@example.org', new_tab: true })
  t.strictSame(await read(app, 'footer'), made.body.data)
  t.match(
    await source(opened, 'footer'),
    /^label: Footer\nitems:\n {2}- id: [a-z]{8}\n {4}label: News\n {4}url: \/news\n {2}- id: [a-z]{8}\n {4}record:\n {6}type: posts\n {6}id: live\n {4}children:\n/,
  )
  t.match(await app.ask('POST /api/menus', { body: { name: 'footer' } }), { status: 409, body: { message: /already/ } })
  t.match(await app.ask('POST /api/menus', { body: { label: 'X' } }), {
    status: 422,
    body: { errors: { name: ['The name is required.'] } },
  })
  for (const name of ['Main', 'a/b', '..', '', '.x', 'a~b', 'con', 7, 'x'.repeat(101)])
    t.equal((await app.ask('POST /api/menus', { body: { name } })).status, 422, String(name))
  const stale = { 'if-match': '"0000000000000000000000000000000000000000"' }
  t.equal((await app.ask('DELETE /api/menus/footer', { headers: stale })).status, 412)
  const { errors } = (await app.ask('POST /api/menus', { body: { name: 'con' } })).body
  t.match(errors, { name: [/"con"/], id: undefined })
  t.strictSame((await app.ask('DELETE /api/menus/footer')).body, { data: { name: 'footer', deleted: true } })
  t.equal((await app.ask('GET /api/menus/footer')).status, 404)
  t.equal((await app.ask('DELETE /api/menus/footer')).status, 404)
  t.equal((await app.ask('DELETE /api/menus/odd')).status, 200, 'one that can not be read, too')
})

each('a request that is sent again makes one menu', async (t, app) => {
  const headers = { 'idempotency-key': 'one' }
  const ask = () => app.ask('POST /api/menus', { body: { name: 'x', items: [{ label: 'A', url: '/a' }] }, headers })
  const [first, second] = [await ask(), await ask()]
  t.strictSame([first.status, second.status, second.text], [201, 201, first.text])
})

each('what is sent as it was read changes no byte', async (t, app, opened) => {
  const menu = await read(app)
  const answer = await put(app, menu)
  t.equal(answer.status, 200, answer.text)
  t.strictSame(answer.body.data, menu)
  t.equal(await source(opened), MAIN)
  const bare = JSON.parse(
    JSON.stringify(menu.items, (key, value) =>
      key === 'id' && typeof value === 'string' && value.length === 8 ? undefined : value,
    ),
  )
  t.equal((await put(app, { items: bare })).status, 200)
  t.equal(await source(opened), MAIN, 'nor without the ids of items that say the same')
})

each('a change touches its lines, and gives every item its id', async (t, app, opened) => {
  const menu = await read(app)
  const [home, about, draft] = menu.items as Any[]
  const answer = await put(app, { items: [{ ...home, label: 'Start' }, about, draft] })
  t.equal(answer.status, 200, answer.text)
  const [team, bad] = about.children
  const after = MAIN.replace('label: Home ', 'label: Start ')
    .replace('    url: /\n', `    url: /\n    id: ${home.id}\n`)
    .replace('new_tab: true }', `new_tab: true, id: ${team.id} }`)
    .replace('alert(1)"\n', `alert(1)"\n        id: ${bad.id}\n`)
    .replace('id: draft }\n', `id: draft }\n    id: ${draft.id}\n`)
    .replace('url: /below\n', `url: /below\n        id: ${draft.children[0].id}\n`)
  t.equal(await source(opened), after)
  t.strictSame((await read(app)).items[0].id, home.id, 'it is the one that it had before')
  const moved = [answer.body.data.items[2], { ...about, children: [team] }, { ...home, label: 'Start', children: [bad] }]
  t.equal((await put(app, { label: 'The menu', items: moved })).status, 200)
  t.equal(
    await source(opened),
    `# The main menu
label: The menu   # shown by nobody
items:
  # first
  - label: Draft
    record: { type: posts, id: draft }
    id: ${draft.id}
    children:
      - label: Below the draft
        url: /below
        id: ${draft.children[0].id}
  - id: about-us
    label: "About"
    record: { type: pages, id: about }
    class: wide
    children:   # two
      # the team
      - { label: 'Team', url: https://example.org/team, new_tab: true, id: ${team.id} }
  - label: Start   # the start
    url: /
    id: ${home.id}
    children:
      - label: Bad
        url: "javascript:alert(1)"
        id: ${bad.id}
# the end
`,
  )
  t.strictSame((await put(app, { label: null, items: [] })).body.data.items, [])
  t.equal(await source(opened), '# The main menu\nitems: []\n  # first\n# the end\n')
})

each('bad items are refused with their place', async (t, app, opened) => {
  const menu = await read(app)
  const [home, about] = menu.items
  const faults = async (items: unknown) => {
    const { status, body } = await put(app, { items })
    t.equal(status, 422, JSON.stringify(body))
    return Object.entries<string[]>(body.errors).map(([path, [message]]) => `${path}: ${message}`)
  }
  for (const url of [
    'javascript:alert(1)',
    ' java\tscript:x',
    'data:text/html,x',
    'ftp://example.org',
    '',
    7,
    'a\u0000b',
    `/${'x'.repeat(2000)}`,
  ])
    t.match(await faults([{ label: 'A', url }]), [/^items\.0\.url: The url must/], JSON.stringify(url))
  t.strictSame(await faults([home, about, { ...home, label: 'Again' }]), [`items.2.id: The id "${home.id}" is there twice.`])
  t.strictSame(
    await faults([
      { label: 'A', url: '/', record: { type: 'posts', id: 'live' } },
      { url: '/x' },
      { label: 'A', children: [{ lable: 'x', label: 'B', url: '/' }, 'x', { label: 7 }] },
      { label: 'A', record: { type: 'posts' } },
      { label: 'A', new_tab: 1, children: {} },
    ]),
    [
      'items.0.url: An item leads to a url or to a record, not to both.',
      'items.1.label: The label is required where no record gives it.',
      'items.2.children.0.lable: There is no field "lable". Did you mean "label"?',
      'items.2.children.1: An item must be an object.',
      'items.2.children.2.label: The label must be a text.',
      'items.3.record: The record must be its type and its id: {"type": "pages", "id": "about"}.',
      'items.4.new_tab: The new_tab must be true or false.',
      'items.4.children: The children must be a list.',
    ],
  )
  t.strictSame(await faults([{ label: 'A', record: { type: 'posts', id: 'nowhere' } }]), [
    'items.0.record: There is no such record.',
  ])
  const nested = (levels: number): object[] => [{ label: 'A', children: levels > 1 ? nested(levels - 1) : [] }]
  t.strictSame(await faults(nested(9)), ['items: A menu has 8 levels at most.'])
  t.equal((await put(app, { items: nested(8) })).status, 200)
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ label: `A${n}`, url: '/', new_tab: false, children: [] }))
  t.strictSame(await faults(many(501)), ['items: A menu has 500 items at most: these are 501.'])
  const nothings = Array.from({ length: 100_000 }, () => 1)
  const all = 'items: A menu has 500 items at most: these are'
  t.strictSame(await faults(nothings), [`${all} 100000.`], 'none of too many is told of by itself')
  t.strictSame(await faults([{ label: 'A', url: '/', children: nothings }]), [`${all} 100001.`])
  t.equal((await put(app, { items: many(500) })).status, 200)
  t.match(await put(app, { name: 'other' }), { status: 422, body: { errors: { name: [/can not be set/] } } })
  t.match(await put(app, { lable: 'other' }), { status: 422, body: { errors: { lable: [/Did you mean "label"/] } } })
  t.equal((await put(app, { label: 'x' }, '', 'admin', { 'if-match': '"x"' })).status, 412)
  t.ok(opened)
})

each('who does not see an item neither changes it nor learns of it', async (t, app, opened) => {
  const as = 'content:read,menus:write'
  const seen = await read(app, 'main', as)
  t.strictSame(
    seen.items.map(({ label }: Any) => label),
    ['Home', 'About'],
  )
  const [home, about] = seen.items
  const [, , draft] = (await read(app)).items
  const answer = await put(
    app,
    { items: [about, { ...home, label: 'Start' }, { id: draft.id, label: 'Mine', url: '/mine' }] },
    '',
    as,
  )
  t.equal(answer.status, 200, answer.text)
  t.notMatch(answer.text, /Draft|below/)
  const labels = (await read(app)).items.map(({ label }: Any) => label)
  t.strictSame([...labels].sort(), ['About', 'Draft', 'Mine', 'Start'])
  t.not(answer.body.data.items.at(-1).id, draft.id, 'an id that is not known to the reader is that of a new item')
  for (const id of ['draft', 'nowhere'])
    t.match(await put(app, { items: [{ label: 'X', record: { type: 'posts', id } }] }, '', as), {
      status: 422,
      body: { errors: { 'items.0.record': ['There is no such record.'] } },
    })
  t.match(await put(app, { items: [] }, '', 'content:read'), { status: 403, body: { message: /menus:write/ } })
  t.match(await app.ask('POST /api/menus', { body: { name: 'x' }, as: 'menus:write' }), {
    status: 403,
    body: { message: /content:read/ },
  })
  t.equal((await app.ask('DELETE /api/menus/main', { as: 'content:read' })).status, 403)
  t.ok(opened)
})

each('an item moved here and renamed there is both', async (t, app) => {
  const { items, version } = await read(app)
  const [home, about, draft] = items
  t.equal((await put(app, { items: [{ ...home, label: 'Start' }, about, draft] })).status, 200)
  const mine = await put(
    app,
    { items: [{ ...about, children: [...about.children, home] }, draft, { label: 'New', url: '/new' }] },
    `?base=${version}`,
  )
  t.equal(mine.status, 200, mine.text)
  t.strictSame(mine.body.meta, { merged: true })
  t.match(mine.body.data.items, [
    { label: 'About', children: [{}, {}, { label: 'Start', id: home.id }] },
    { label: 'Draft' },
    { label: 'New' },
  ])
  const again = await put(app, { items: [{ ...home, label: 'Mine' }, about, draft] }, `?base=${version}`)
  t.match(again, {
    status: 409,
    body: {
      conflict: {
        fields: [`items.${home.id}.label`],
        base: { [`items.${home.id}.label`]: 'Home' },
        yours: { [`items.${home.id}.label`]: 'Mine' },
        theirs: { [`items.${home.id}.label`]: 'Start' },
      },
    },
  })
  const other = await put(
    app,
    {
      items: [
        { ...about, children: [] },
        { ...draft, children: [home] },
      ],
    },
    `?base=${version}`,
  )
  t.match(other, { status: 409, body: { conflict: { fields: ['items'] } } })
  const unknown = await put(app, { items: [home] }, `?base=${'0'.repeat(40)}`)
  t.match(unknown, { status: 409, body: { conflict: { base: null } } })
  const same = await read(app)
  t.equal((await put(app, { items: same.items }, `?base=${'0'.repeat(40)}`)).status, 200, 'what is there already is no conflict')
})

t.test('a record that moves takes its items along, and these keep their ids', (t) =>
  eachStore(t, { files: FILES, types, history: true }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features } })
    const menu = await read(app)
    t.equal((await app.ask('POST /api/cms/pages/about/move', { body: { id: 'us' } })).status, 200)
    const after = await read(app)
    t.match(after.items[1], { id: 'about-us', record: { type: 'pages', id: 'us' } })
    t.strictSame(
      after.items.map(({ id }: Any) => id),
      menu.items.map(({ id }: Any) => id),
    )
    t.equal(await source(opened), MAIN.replace('id: about }', 'id: us }'))
  }),
)

each('ten who began at the same time lose nothing', async (t, app) => {
  const { items, version } = await read(app)
  const all = Array.from({ length: 10 }, (_, n) => `New ${n}`)
  const answers = await Promise.all(
    all.map((label) => put(app, { items: [...items, { label, url: '/new' }] }, `?base=${version}`)),
  )
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([200]))
  const after = await read(app)
  t.strictSame(after.items.map(({ label }: Any) => label).sort(), [...items.map(({ label }: Any) => label), ...all].sort())
  t.equal(new Set(after.items.map(({ id }: Any) => id)).size, items.length + 10)
})
