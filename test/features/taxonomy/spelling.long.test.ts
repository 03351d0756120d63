import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { TestApp } from '#support/app.ts'
import { everyStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const by = { name: 'Ada', email: 'ada@example.org' }
const features = { api: true, revisions: true, taxonomy: true, auth: true }
const types = plainTypes({ posts: {}, secret: {} })

type Files = Record<string, string>

function each(name: string, files: Files, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    everyStore(t, { files, types }, (t, opened) => body(t, new TestApp(opened, { config: { features } }), opened)),
  )
}

/** Posts that bear these tags, as YAML, each with more front matter. */
function posts(...tags: string[]): Files {
  return Object.fromEntries(tags.map((text, nth) => [`content/posts/p${nth}.md`, `---\ntags: ${text}\n---\n`]))
}

async function names(app: TestApp, kind: string, as?: { as: string; types?: string[] }): Promise<Record<string, string>> {
  const { body } = await app.ask(`GET /api/cms/taxonomy/${kind}`, as)
  return Object.fromEntries(body.data.map(({ id, name }: { id: string; name: string }) => [id, name]))
}

async function source(store: Store, kind: string, id: string): Promise<string | undefined> {
  return (await store.get(keyOf(kind, id)))?.source?.toString()
}

const OFTEN = {
  ...posts('[Node.js, Zed]', '[Node.js, zed]', '[Node.js]', '[node.js]', '[News]', '[news]', '[news]', '[C++, c-plus-plus]'),
  'content/notes/n.md': '---\ntag: "Café au lait, Next"\n---\n',
  'content/notes/m.md': '---\ntag: cafe au lait\n---\n',
  'content/notes/o.md': '---\ntag: CAFE AU LAIT\n---\n',
}

each('a term that no file declares has the name that files write most often', OFTEN, async (t, app, { store }) => {
  const all = {
    'node-js': 'Node.js',
    zed: 'Zed',
    news: 'news',
    'c-plus-plus': 'C++',
    next: 'Next',
    'cafe-au-lait': 'CAFE AU LAIT',
  }
  t.same(await names(app, 'tags'), all, 'of several the first by code point; of a record that names it twice the first')
  const { body, headers } = await app.ask('GET /api/cms/taxonomy/tags/node-js')
  t.match(body.data, { id: 'node-js', name: 'Node.js', slug: 'node-js', count: 4, declared: false })
  const sorted = (await app.ask('GET /api/cms/taxonomy/tags?sort=name')).body.data
  t.same(
    sorted.map(({ id }: { id: string }) => id),
    ['c-plus-plus', 'cafe-au-lait', 'next', 'node-js', 'zed', 'news'],
    'by which lists are sorted',
  )
  const again = ['p0', 'p1'].map((id) => ({
    key: keyOf('posts', id),
    put: { set: { tags: ['NODE.JS'] }, source: Buffer.from('') },
  }))
  await store.write(again, by)
  t.match((await app.ask('GET /api/cms/taxonomy/tags/node-js')).body.data, { name: 'NODE.JS', count: 4 })
  const known = { headers: { 'if-none-match': headers.etag ?? '' } }
  t.equal((await app.ask('GET /api/cms/taxonomy/tags/node-js', known)).status, 200, 'which is another answer')
  await store.write([{ key: keyOf('posts', 'p0'), remove: true }], by)
  t.match((await app.ask('GET /api/cms/taxonomy/tags/node-js')).body.data, { name: 'NODE.JS', count: 3 }, 'one each')
  await store.write([{ key: keyOf('posts', 'p1'), put: { set: { tags: ['node-js'] }, source: Buffer.from('') } }], by)
  t.match((await app.ask('GET /api/cms/taxonomy/tags/node-js')).body.data, { name: 'Node.js' })
})

const ODD = {
  ...posts(
    `["${'Long '.repeat(41)}"]`,
    '["Two\\nlines\\t\\u0007 "]',
    '[2024, true, {a: b}, "!!!"]',
    '[Déjà  vu]',
    '[Déjà vu]',
    '[deja-vu]',
  ),
}

each('a name is on one line, and not endless', ODD, async (t, app) => {
  const { 'deja-vu': seen, 'two-lines': lines, 2024: year, true: yes, ...others } = await names(app, 'tags')
  t.same([seen, lines, year, yes], ['Déjà vu', 'Two lines', '2024', 'true'], 'composed or not, it is one')
  t.match(Object.entries(others), [[/^long-long/, /^long-long/]], 'what is too long for a name is shown by its id')
})

const HIDDEN = {
  ...posts('[launch plan]', '[Other]'),
  'content/posts/d1.md': '---\ntags: ["Launch plan: Mars!", Only A Draft]\nstatus: draft\n---\n',
  'content/posts/d2.md': '---\ntags: ["Launch plan: Mars!", other]\nstatus: draft\nauthor: eve\n---\n',
  'content/posts/soon.md': '---\ntags: ["launch (plan)"]\ndate: 2100-01-01\n---\n',
  'content/posts/soon2.md': '---\ntags: ["launch (plan)"]\ndate: 2100-01-01\n---\n',
  'content/posts/over.md': '---\ntags: ["launch (plan)"]\nexpires_at: 2001-01-01\n---\n',
  'content/secret/s1.md': '---\ntags: [LAUNCH PLAN, hush]\n---\n',
  'content/secret/s2.md': '---\ntags: [LAUNCH PLAN, Hush]\n---\n',
}

each('what only records say that a reader may not see names nothing for them', HIDDEN, async (t, app) => {
  const reader = { as: 'content:read', types: ['posts'] }
  t.same(await names(app, 'tags', reader), { 'launch-plan': 'launch plan', other: 'Other' })
  t.match((await app.ask('GET /api/cms/taxonomy/tags/launch-plan', reader)).body.data, { name: 'launch plan', count: 1 })
  t.match(
    await names(app, 'tags', { as: 'content:read' }),
    { 'launch-plan': 'LAUNCH PLAN', hush: 'Hush' },
    'live ones of all types',
  )
  t.match(
    await names(app, 'tags', { as: 'content:read,content:drafts', types: ['posts'] }),
    { 'launch-plan': 'launch (plan)', 'launch-plan-mars': 'Launch plan: Mars!', 'only-a-draft': 'Only A Draft' },
    'all of a type',
  )
  const sorted = await app.ask('GET /api/cms/taxonomy/tags?sort=-name', reader)
  t.notMatch(sorted.text, /Mars|\(plan\)|LAUNCH/)
  const declared = await app.ask('PUT /api/cms/taxonomy/tags/launch-plan', {
    as: 'content:read,taxonomy:write',
    types: ['posts'],
    body: { description: 'To the moon.' },
  })
  t.match(declared.body.data, { name: 'launch plan', declared: true }, 'nor is it written where everyone reads it')
})

each('nor for who may see what is live, and their own', HIDDEN, async (t, app) => {
  const eve = await app.features.users.create({ email: 'eve@example.org', handle: 'eve', role: 'contributor' }, by)
  const { body } = await app.askAs(eve, 'GET /api/cms/taxonomy/tags')
  const own = Object.fromEntries(body.data.map(({ id, name }: { id: string; name: string }) => [id, name]))
  t.same(own, { 'launch-plan': 'LAUNCH PLAN', 'launch-plan-mars': 'Launch plan: Mars!', other: 'Other', hush: 'Hush' })
})

each('names are no field that lists know', HIDDEN, async (t, app) => {
  const field = encodeURIComponent('term_names[tags]')
  for (const query of [`facets=${field}`, `sort=${field}`]) {
    const answer = await app.ask(`GET /api/cms/notes?${query}`, { as: 'content:read' })
    t.match(answer, { status: 422, text: /can't be filtered or sorted by/ }, query)
  }
})

const SENT = {
  'content/posts/held.md': '---\ntags: [node.js, "Front Matter"] # mine\n---\n',
  'content/posts/toml.md': '+++\ntags = ["x"]\n+++\n',
  'content/posts/line.md': '---\ntags: one\n---\n',
  'content/taxonomy/tags/guide.yaml': 'name: Guides\n',
}

each('a term that is sent by its name has it in the file', SENT, async (t, app, { store }) => {
  const tags = [
    'Node.js',
    'C#',
    '- a: "b"',
    '@Home & Away',
    ' Two  lines',
    'Tom, Dick',
    'Guides',
    'guide',
    'Node-JS',
    'Yes',
    '007',
  ]
  const ids = ['node-js', 'c-sharp', 'a-b', 'at-home-and-away', 'two-lines', 'tom-dick', 'guide', 'yes', '007']
  const made = await app.ask('POST /api/cms/posts', { body: { title: 'Made', tags, status: 'published' } })
  t.match(made, { status: 201, body: { data: { tags: ids } } })
  const shown = { 'node-js': 'Node.js', 'c-sharp': 'C#', 'at-home-and-away': '@Home & Away', 'two-lines': 'Two lines' }
  const all = { ...shown, 'a-b': '- a: "b"', 'tom-dick': 'Tom, Dick', guide: 'Guides', yes: 'Yes', '007': '007' }
  t.match(await names(app, 'tags'), all)
  const again = await app.ask('PUT /api/cms/posts/made', { body: made.body.data })
  t.equal(again.body.data.version, made.body.data.version, 'sent back as it was read it changes nothing')
  for (const sent of [
    ['node-js', 'front-matter'],
    ['Node.js', 'FRONT MATTER'],
  ]) {
    await app.ask('PUT /api/cms/posts/held', { body: { tags: sent } })
    t.equal(await source(store, 'posts', 'held'), SENT['content/posts/held.md'], 'what stays keeps its spelling')
  }
  await app.ask('PUT /api/cms/posts/held', { body: { tags: ['node-js', 'Big News', 'Front matter'] } })
  t.equal(await source(store, 'posts', 'held'), '---\ntags: [node.js, Big News, "Front Matter"] # mine\n---\n')
  await app.ask('PUT /api/cms/posts/toml', { body: { tags: ['x', 'Big "News"'] } })
  t.same((await app.ask('GET /api/cms/posts/toml')).body.data.tags, ['x', 'big-news'])
  await app.ask('PUT /api/cms/posts/line', { body: { tags: ['One, Two', 'Three'] } })
  t.match((await app.ask('GET /api/cms/posts/line')).body.data.tags, ['one-two', 'three'])
  t.match(await names(app, 'tags'), { 'one-two': 'One, Two', three: 'Three' })
})

each('a merge keeps the names of terms that were sent', SENT, async (t, app, { store }) => {
  const { data: before } = (await app.ask('GET /api/cms/posts/held')).body
  await app.ask('PUT /api/cms/posts/held', { body: { title: 'Theirs', body: 'Their text.\n' } })
  const request = `PUT /api/cms/posts/held?base=${before.version}`
  const merged = await app.ask(request, { body: { tags: ['node-js', 'Big News'], body: '' } })
  t.match(merged, { status: 200, body: { data: { title: 'Theirs', tags: ['node-js', 'big-news'] }, meta: { merged: true } } })
  t.match(await source(store, 'posts', 'held'), /tags: \[node\.js, "Big News"\] # mine\n/)
  t.equal(merged.body.data.body, 'Their text.\n', 'and no other text')
})

const CHANGED = {
  ...posts('[Front Matter] # kept', '["Front Matter", x]', '[front matter]'),
  'content/taxonomy/categories/berlin.yaml': 'name: Berlin\nparent: Middle Europe\n',
  'content/taxonomy/categories/bonn.yaml': 'name: Bonn\nparent: middle-europe\n',
  'content/taxonomy/categories/essen.yaml': 'name: Essen\nparent: Middle Europe\n',
  'content/taxonomy/tags/odd.yaml': 'name: Odd\nparent: Nowhere To Be Seen\n',
}

each('a term keeps its name where it is declared, renamed or merged', CHANGED, async (t, app, { store }) => {
  t.same(await names(app, 'categories'), { 'middle-europe': 'Middle Europe', berlin: 'Berlin', bonn: 'Bonn', essen: 'Essen' })
  t.same(Object.keys(await names(app, 'tags')).sort(), ['front-matter', 'odd', 'x'])
  const { data } = (await app.ask('GET /api/cms/taxonomy/tags/front-matter')).body
  t.same(
    (await app.ask('PUT /api/cms/taxonomy/tags/front-matter', { body: data })).body.data,
    data,
    'sent back it changes nothing',
  )
  t.equal(await store.get(keyOf('taxonomy/tags', 'front-matter')), undefined)
  const renamed = await app.ask('PUT /api/cms/taxonomy/tags/front-matter', { body: { slug: 'matter' } })
  t.match(renamed.body.data, { id: 'matter', name: 'Front Matter', count: 3, declared: true })
  t.equal(await source(store, 'posts', 'p0'), '---\ntags: [matter] # kept\n---\n')
  t.equal(await source(store, 'posts', 'p1'), '---\ntags: ["matter", x]\n---\n')
  const put = await app.ask('PUT /api/cms/taxonomy/categories/middle-europe', { body: { description: 'The middle.' } })
  t.match(put.body.data, { name: 'Middle Europe', declared: true })
  const merged = await app.ask('DELETE /api/cms/taxonomy/tags/matter?replace_with=x')
  t.equal(merged.status, 200)
  t.match(await names(app, 'tags'), { x: 'x' })
  t.equal(await source(store, 'posts', 'p0'), '---\ntags: [x] # kept\n---\n')
})
