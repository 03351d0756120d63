import fc from 'fast-check'
import t, { type Test } from 'tap'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import { termId } from '#core/terms/terms.ts'
import { Terms } from '#features/taxonomy/terms.ts'
import { TestApp } from '#support/app.ts'
import { runsOf } from '#support/long.ts'
import { eachStore, everyStore, type OpenedStore, openMemory } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const BLOCK = '---\n# mine\ntitle: "A"\ntags:\n  - "Front Matter"   # first\n  - News # second\n  -   last\n---\nOn News.\n'
const FLOW = '---\ntags: [ Last,\n  "news",  \'Front Matter\' ] # all\n---\n'
const TOML = '+++\ntitle = "T"\ntags = ["News", "x"] # t\n+++\n'
const FILES = {
  'content/posts/block.md': BLOCK,
  'content/posts/flow.md': FLOW,
  'content/posts/toml.md': TOML,
  'content/posts/draft.md': '---\nstatus: draft\ntag: NEWS\n---\n',
  'content/posts/double.md': '---\ntags: [news, press, News]\n---\n',
  'content/notes/crlf.md': '---\r\ntags:\r\n- news\r\n- x\r\n---\r\nA\r\n',
  'content/notes/other.md': '---\ntags: [newsletter]\n---\n',
  'content/notes/bad.md': '---\ntags: [news\n---\n',
  'content/pages/p.md': '---\ncategories: [news, b]\n---\n',
  'content/taxonomy/tags/news.yaml': '# mine\nname: News   # shown\n',
  'content/taxonomy/categories/a.yaml': 'name: A\n',
  'content/taxonomy/categories/b.yaml': 'name: B\nparent: A # above\n',
  'content/taxonomy/categories/c.yaml': 'name: C\nparent: b\n',
  'content/taxonomy/categories/d.yaml': 'name: D\nparent: c\n',
  'content/taxonomy/categories/e.yaml': 'name: E\nparent: b\n',
}

const types = plainTypes({ pages: { taxonomies: ['categories'] } })
const features = { api: true, revisions: true, taxonomy: true }

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    everyStore(t, { files: FILES, types }, (t, opened) => body(t, new TestApp(opened, { config: { features } }), opened)),
  )
}

async function source(store: Store, path: string): Promise<string | undefined> {
  const slash = path.lastIndexOf('/')
  return (await store.get(keyOf(path.slice(0, slash), path.slice(slash + 1))))?.source?.toString()
}

/** The documents that were changed since a place in the feed. */
async function changedSince(store: Store, cursor: string): Promise<string[]> {
  const { changes } = await store.changes(cursor, 1000)
  return [...new Set(changes.map(({ key }) => `${key.kind}/${key.id}`))].sort()
}

async function cursorOf(store: Store): Promise<string> {
  return (await store.changes(undefined, 1)).next
}

each('a renamed term is another in every record, and nothing else of them is', async (t, app, { store }) => {
  const cursor = await cursorOf(store)
  const renamed = await app.ask('PUT /api/cms/taxonomy/tags/news', { body: { slug: 'press-room', name: 'Press' } })
  t.match(renamed, { status: 200, body: { data: { id: 'press-room', slug: 'press-room', name: 'Press', count: 6 } } })
  t.equal(await source(store, 'posts/block'), BLOCK.replace('News # second', 'press-room # second'))
  t.equal(await source(store, 'posts/flow'), FLOW.replace('"news"', '"press-room"'))
  t.equal(await source(store, 'posts/toml'), TOML.replace('"News"', '"press-room"'))
  t.equal(await source(store, 'posts/draft'), '---\nstatus: draft\ntag: press-room\n---\n')
  t.equal(await source(store, 'notes/crlf'), '---\r\ntags:\r\n- press-room\r\n- x\r\n---\r\nA\r\n')
  t.same((await store.get(keyOf('posts', 'double')))?.fields.tags, ['press-room', 'press'])
  t.equal(await source(store, 'taxonomy/tags/news'), undefined)
  t.equal(await source(store, 'taxonomy/tags/press-room'), '# mine\nname: Press   # shown\naliases:\n  - news\n')
  t.same(await changedSince(store, cursor), [
    'notes/crlf',
    'posts/block',
    'posts/double',
    'posts/draft',
    'posts/flow',
    'posts/toml',
    'taxonomy/tags/news',
    'taxonomy/tags/press-room',
  ])
  t.equal((await app.ask('GET /api/cms/taxonomy/tags/news')).status, 404)
  t.equal((await app.ask('GET /api/cms/posts?tag=press-room')).body.meta.total, 5)
  const back = await app.ask('PUT /api/cms/taxonomy/tags/press-room', { body: { slug: 'news' } })
  t.equal(back.status, 200)
  t.match(await source(store, 'taxonomy/tags/news'), /aliases:\n {2}- press-room\n$/)
})

each('a term that records alone imply is renamed too, and declared by it', async (t, app, { store }) => {
  const renamed = await app.ask('PUT /api/cms/taxonomy/tags/x', { body: { slug: 'y' } })
  t.match(renamed.body.data, { id: 'y', name: 'x', count: 2, declared: true })
  t.match((await store.get(keyOf('taxonomy/tags', 'y')))?.fields, { name: 'x', aliases: ['x'] })
  t.equal(await source(store, 'posts/toml'), TOML.replace('"x"', '"y"'))
})

each('an id that another term has is not taken, unless nobody may know of that term', async (t, app) => {
  for (const slug of ['press', 'newsletter']) {
    const answer = await app.ask('PUT /api/cms/taxonomy/tags/news', { body: { slug } })
    t.match(answer, { status: 409, body: { message: /replace_with/ } }, slug)
  }
  t.match(await app.ask('PUT /api/cms/taxonomy/categories/b', { body: { slug: 'c' } }), { status: 409 })
  await app.ask('POST /api/cms/posts', { body: { title: 'Draft', tags: ['hidden'] } })
  const as = 'content:read,taxonomy:write'
  const renamed = await app.ask('PUT /api/cms/taxonomy/tags/news', { as, body: { slug: 'hidden' } })
  t.match(renamed, { status: 200, body: { data: { id: 'hidden', count: 5 } } })
})

each('the terms below a renamed one stay below it', async (t, app, { store }) => {
  await app.ask('PUT /api/cms/taxonomy/categories/b', { body: { slug: 'bee', parent: null } })
  t.equal(await source(store, 'taxonomy/categories/c'), 'name: C\nparent: bee\n')
  t.equal(await source(store, 'taxonomy/categories/e'), 'name: E\nparent: bee\n')
  t.equal(await source(store, 'taxonomy/categories/d'), 'name: D\nparent: c\n')
  t.match((await app.ask('GET /api/cms/taxonomy/categories/bee')).body.data, { parent: null, count: 1 })
})

each('a removed term is taken out of all records; what is below it goes up', async (t, app, { store }) => {
  const cursor = await cursorOf(store)
  const removed = await app.ask('DELETE /api/cms/taxonomy/tags/news')
  t.same([removed.status, removed.body], [200, { data: { id: 'news', type: 'tag', deleted: true } }])
  t.equal(await source(store, 'posts/block'), BLOCK.replace('  - News # second\n', ''))
  t.same((await store.get(keyOf('posts', 'draft')))?.fields.tags ?? [], [])
  t.same((await store.get(keyOf('posts', 'double')))?.fields.tags, ['press'])
  t.equal((await changedSince(store, cursor)).length, 7)
  t.equal((await app.ask('GET /api/cms/taxonomy/tags/news')).status, 404)
  t.equal((await app.ask('DELETE /api/cms/taxonomy/tags/news')).status, 404)
  await app.ask('DELETE /api/cms/taxonomy/categories/b')
  for (const id of ['c', 'e']) t.match((await app.ask(`GET /api/cms/taxonomy/categories/${id}`)).body.data, { parent: 'a' })
  t.same((await store.get(keyOf('pages', 'p')))?.fields.categories, ['news'])
})

each('a term merged into another leaves no doubles and no circle', async (t, app, { store }) => {
  const merged = await app.ask('DELETE /api/cms/taxonomy/tags/news?replace_with=Press')
  t.same(merged.body.data, { id: 'news', type: 'tag', deleted: true, replaced_with: 'press' })
  t.same((await store.get(keyOf('posts', 'double')))?.fields.tags, ['press'])
  t.equal(await source(store, 'posts/flow'), FLOW.replace('"news"', '"press"'))
  t.match((await app.ask('GET /api/cms/taxonomy/tags/press')).body.data, { count: 6, declared: false })
  await app.ask('DELETE /api/cms/taxonomy/categories/b?replace_with=d')
  const parents = new Map<string, string>()
  for (const id of ['a', 'c', 'd', 'e'])
    parents.set(id, (await app.ask(`GET /api/cms/taxonomy/categories/${id}`)).body.data.parent)
  t.same(Object.fromEntries(parents), { a: null, c: 'a', d: 'c', e: 'd' }, 'what led from one to the other goes up')
  t.same((await store.get(keyOf('taxonomy/categories', 'd')))?.fields.aliases, ['b'])
  for (const [query, message] of [
    ['replace_with=nowhere', /"nowhere"/],
    ['replace_with=a', /own place/],
    ['replace_with=', /""/],
  ] as const) {
    const answer = await app.ask(`DELETE /api/cms/taxonomy/categories/a?${query}`)
    t.match(answer, { status: 422, body: { errors: { replace_with: [message] } } }, query)
  }
  t.match(await app.ask('DELETE /api/cms/taxonomy/categories/a?replace=c'), { status: 400, body: { message: /replace_with/ } })
})

t.test('a rename is one write: one commit, one revision of each record', (t) =>
  eachStore(t, { files: FILES, types, history: true }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features } })
    await app.ask('PUT /api/cms/taxonomy/tags/news', { body: { slug: 'press-room' } })
    const commits = new Set<string>()
    for (const path of ['posts/block', 'posts/draft', 'notes/crlf']) {
      const { data } = (await app.ask(`GET /api/cms/${path}/revisions`)).body
      t.match(data[0], { action: 'updated', message: 'Rename tags/news to press-room', changed: ['tags'] }, path)
      commits.add(`${data[0].commit} ${data[0].created_at}`)
    }
    t.equal(commits.size, 1)
    await app.ask('DELETE /api/cms/taxonomy/tags/press-room?replace_with=press')
    t.match((await app.ask('GET /api/cms/posts/flow/revisions')).body.data[0], {
      action: 'updated',
      message: 'Merge tags/press-room into press',
    })
  }),
)

each('where one record can not be changed, none is', async (t, app, { store }) => {
  await store.write(
    [
      {
        key: keyOf('posts', 'anchored'),
        put: { source: Buffer.from('---\ntags: &t [news, lonely]\nkeywords: *t\n---\n') },
      },
    ],
    { name: 'A', email: 'a@example.org' },
  )
  const cursor = await cursorOf(store)
  const renamed = await app.ask('PUT /api/cms/taxonomy/tags/news', { body: { slug: 'press-room' } })
  t.match(renamed, { status: 409, body: { message: /^posts\/anchored: / } })
  const removed = await app.ask('DELETE /api/cms/taxonomy/tags/lonely')
  t.match(removed, { status: 409, body: { message: /^posts\/anchored: / } }, 'also where no other bears the term')
  const as = 'taxonomy:write,content:read'
  for (const hidden of [
    await app.ask('PUT /api/cms/taxonomy/tags/news', { as, body: { slug: 'press-room' } }),
    await app.ask('DELETE /api/cms/taxonomy/tags/lonely', { as }),
  ]) {
    t.equal(hidden.status, 409)
    t.notMatch(hidden.text, /anchored/, 'which it is is not told to who may not see all of them')
  }
  t.same(await changedSince(store, cursor), [])
  t.equal(await source(store, 'posts/block'), BLOCK)
})

each('a record that is saved meanwhile keeps what was saved', async (t, app) => {
  await app.token()
  const answers = await Promise.all([
    app.ask('PUT /api/cms/taxonomy/tags/news', { body: { slug: 'press-room' } }),
    app.ask('PUT /api/cms/posts/block', { body: { title: 'B' } }),
    app.ask('PUT /api/cms/posts/flow', { body: { tags: ['news', 'more'] } }),
    app.ask('PUT /api/cms/taxonomy/tags/press', { body: { slug: 'journal' } }),
  ])
  t.same(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  t.match((await app.ask('GET /api/cms/posts/block')).body.data, { title: 'B', tags: ['front-matter', 'press-room', 'last'] })
  t.same((await app.ask('GET /api/cms/posts/double')).body.data.tags, ['press-room', 'journal'])
  t.match((await app.ask('GET /api/cms/posts/flow')).body.data.tags, [/^(?:news|press-room)$/, 'more'])
})

t.test('documents written by hand, however they nest, hang nothing and keep every promise', async (t) => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const id = fc.constantFrom(...ids)
  const kind = fc.record({ id, parent: fc.option(id, { nil: null }) })
  const record = fc.uniqueArray(id, { maxLength: 3 })
  const action = fc.oneof(
    fc.record({ action: fc.constant('rename' as const), id, to: fc.constantFrom(...ids, 'f', 'g') }),
    fc.record({ action: fc.constant('merge' as const), id, to: id }),
    fc.record({ action: fc.constant('remove' as const), id }),
    fc.record({ action: fc.constant('nest' as const), id, to: id }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(kind),
      fc.array(record, { maxLength: 4 }),
      fc.array(action, { maxLength: 4 }),
      async (terms, records, deeds) => {
        const files = [
          ...terms.map((term) => [
            `content/taxonomy/categories/${term.id}.yaml`,
            `name: The ${term.id}\nparent: ${term.parent}\n`,
          ]),
          ...records.map((used, n) => [`content/posts/p${n}.md`, `---\ncategories: [${used.join(', ')}]\n---\n`]),
        ]
        const opened = await openMemory({ files: Object.fromEntries(files), types: plainTypes({ posts: {} }) })
        const app = new TestApp(opened, { config: { features } })
        for (const one of deeds) {
          const [before, was] = [await stateOf(app), await borneBy(opened.store)]
          const answer = await done(app, one)
          t.ok([200, 404, 409, 422].includes(answer.status), answer.text)
          const [after, is] = [await stateOf(app), await borneBy(opened.store)]
          if (answer.status !== 200) t.same([after, is], [before, was])
          else
            t.same(
              is,
              was.map((used) => expected(used, landed(one, before, answer.body.data))),
            )
        }
        await opened.close()
      },
    ),
    { numRuns: runsOf(40) },
  )
})

type TermChange = { action: 'rename' | 'merge' | 'remove' | 'nest'; id: string; to?: string }

function done(app: TestApp, { action, id, to }: TermChange) {
  const path = `/api/cms/taxonomy/categories/${id}`
  if (action === 'rename') return app.ask(`PUT ${path}`, { body: { slug: to } })
  if (action === 'nest') return app.ask(`PUT ${path}`, { body: { parent: to } })
  return app.ask(`DELETE ${path}${action === 'merge' ? `?replace_with=${to}` : ''}`)
}

/** A merge into what is no term by its id may be one into what that once was called, and says so. */
function landed(
  action: TermChange,
  before: { data: { id: string }[] },
  { replaced_with: to }: { replaced_with?: string },
): TermChange {
  const isTerm = before.data.some(({ id }) => id === action.to)
  return action.action === 'merge' && !isTerm && to !== undefined ? { ...action, to } : action
}

function expected(used: readonly string[], { action, id, to }: TermChange): string[] {
  if (action === 'nest') return [...used]
  const replaced = used.flatMap((one) => (one === id ? (action === 'remove' ? [] : (to ?? [])) : one))
  return [...new Set(replaced)]
}

/** All terms, each with what a list of its records has. */
async function stateOf(app: TestApp): Promise<{ data: { id: string }[] }> {
  const { body } = await app.ask('GET /api/cms/taxonomy/categories?per_page=100&sort=-count')
  for (const { id, count } of body.data) {
    const { meta } = (await app.ask(`GET /api/cms/posts?category=${id}`)).body
    if (meta.total !== count) throw new Error(`${id}: ${count} is not ${meta.total}`)
  }
  return body
}

async function borneBy(store: Store): Promise<string[][]> {
  const { items } = await store.heads('posts', {})
  return items.map(({ fields }) => (Array.isArray(fields.categories) ? fields.categories.map(String) : []))
}

t.test('another server that was quicker is not overwritten', async (t) => {
  const opened = await openMemory({ files: FILES, types })
  const { store } = opened
  let raced = false
  const slow = new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== 'write') return value.bind(target)
      return async (changes: readonly Change[], ...rest: [never]) => {
        if (!raced) {
          raced = true
          const key = keyOf('posts', 'toml')
          await store.write([{ key, put: { set: { tags: ['news', 'later'] } } }], { name: 'B', email: 'b@example.org' })
        }
        return target.write(changes, ...rest)
      }
    },
  })
  const access = localAccess({ name: 'A', email: 'a@example.org' })
  await new Terms({ store: slow, types }).update(access, 'tags', 'news', { slug: 'press-room' })
  t.same((await store.get(keyOf('posts', 'toml')))?.fields.tags, ['press-room', 'later'])
  t.equal(termId('Press room'), 'press-room')
  await opened.close()
})
