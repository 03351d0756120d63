import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type Key, keyOf } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { TestApp } from '#support/app.ts'
import { runsOf } from '#support/long.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({
  posts: {
    label: 'Posts',
    permalink: '/blog/{slug}',
    fields: {
      author: { type: 'reference', to: 'authors' },
      editor: { type: 'reference', to: 'authors' },
      related: { type: 'list', to: 'posts' },
      year: { type: 'integer' },
    },
  },
  authors: {},
})

const FILES: Record<string, string> = {
  'content/authors/ada.yaml': 'name: Ada\n',
  'content/authors/bob.yaml': 'name: Bob\nstatus: draft\n',
  'content/authors/cyd.yaml': 'name: [\n',
  'content/posts/apple.md':
    '---\ntitle: Apple pie\ndate: 2025-01-01\nauthor: ada\neditor: bob\ntags: [red, fruit]\nyear: 2024\nrelated: [pear, plum, none]\n---\nHow to bake an apple pie.\n',
  'content/posts/pear.md':
    '---\ntitle: Pear\ndate: 2025-02-01\nauthor: ada\neditor: cyd\ntags: [fruit]\nyear: 7\n---\nNot an apple. Apple! A longer text of pears.\n',
  'content/posts/plum.md':
    '---\ntitle: Plum\nstatus: draft\nauthor: bob\ntags: [fruit]\nyear: 2024\n---\nA plum is not an apple.\n',
  'content/posts/stone.md': '---\ntitle: Stone\ndate: 2025-03-01\n---\nNothing to eat.\n',
}

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, { files: FILES, types }, (t, opened) => body(t, new TestApp(opened), opened)))
}

/** The names of the store's methods that are called from now on. */
function watched(store: Store): string[] {
  const calls: string[] = []
  for (const name of ['get', 'browse', 'count', 'at', 'history', 'past'] as const) {
    const method = store[name].bind(store) as (...asked: unknown[]) => unknown
    Object.assign(store, {
      [name]: (...asked: unknown[]) => {
        const [kind] = asked as [string | Key]
        calls.push(`${name} ${typeof kind === 'string' ? kind : kind.kind}`)
        return method(...asked)
      },
    })
  }
  return calls
}

async function ids(app: TestApp, query: string, as = 'admin'): Promise<string[]> {
  const { status, body, text } = await app.ask(`GET /api/cms/posts?${query}`, { as })
  if (status !== 200) throw new Error(`${query}: ${status} ${text}`)
  return body.data.map(({ id }: { id: string }) => id)
}

each('what a list includes is asked for once for each type, however many refer to it', async (t, app, { store }) => {
  const many = Array.from({ length: 30 }, (_, n) => `p${n}`)
  const put = (n: number) => ({ set: { title: 'Many', author: n % 2 ? 'ada' : 'bob', related: ['apple', many[n] ?? ''] } })
  await store.write(
    many.map((id, n) => ({ key: keyOf('posts', id), put: put(n) })),
    { name: 'Ada', email: 'ada@example.org' },
  )
  await app.token()
  await app.token('read')
  await app.ask('GET /api/cms/posts?per_page=1')
  const calls = watched(store)
  const { body } = await app.ask('GET /api/cms/posts?include=author,editor,related&per_page=100')
  t.equal(body.data.length, 34)
  t.same(calls.filter((call) => !call.includes('.tokens')).sort(), ['browse authors', 'browse posts', 'browse posts'])
  const apple = body.data.find(({ id }: { id: string }) => id === 'apple')
  t.match(apple, { author: { id: 'ada', name: 'Ada' }, editor: { id: 'bob', name: 'Bob' } })
  t.match(apple.related, [{ id: 'pear', title: 'Pear' }, { id: 'plum' }, 'none'])
  t.equal(body.data.find(({ id }: { id: string }) => id === 'pear').editor, 'cyd', 'one that can not be read stays an id')
  const seen = await app.ask('GET /api/cms/posts/apple?include=author,editor,related', { as: 'read' })
  t.match(
    seen.body.data,
    { author: { id: 'ada' }, editor: 'bob', related: [{ id: 'pear' }, 'plum', 'none'] },
    'drafts are not there',
  )
  calls.length = 0
  await app.ask('GET /api/cms/posts?per_page=100&sort=title')
  t.same(
    calls.filter((call) => !call.includes('.tokens')),
    ['browse posts'],
    'nothing is asked for that is not included',
  )
})

each('what is not there for the reader has no part in what is found within a list', async (t, app, { store, search }) => {
  const set = { title: 'Hidden', status: 'draft' }
  await store.write([{ key: keyOf('posts', 'hidden'), put: { set, body: 'Ston.' } }], { name: 'Ada', email: 'ada@example.org' })
  await search.ready()
  t.same(await ids(app, 'q=ston+'), ['hidden'])
  t.same(await ids(app, 'q=ston+', 'read'), ['stone'], 'a mistake, to who can not see that it is none')
})

each('a list by a term follows what is put below it', async (t, app, { store }) => {
  const by = { name: 'Ada', email: 'ada@example.org' }
  await store.write([{ key: keyOf('posts', 'stone'), put: { set: { categories: ['granite'] } } }], by)
  await store.write([{ key: keyOf('posts', 'pear'), put: { set: { categories: ['minerals'] } } }], by)
  t.same(await ids(app, 'category=minerals&sort=title'), ['pear'])
  const below = { name: 'Granite', parent: 'minerals' }
  await store.write([{ key: keyOf('taxonomy/categories', 'granite'), put: { set: below } }], by)
  t.same(await ids(app, 'category=minerals&sort=title'), ['pear', 'stone'])
})

each(
  'facets count the whole filtered list, the most frequent first, and only what the reader sees',
  async (t, app, { store }) => {
    const facets = async (query: string, as = 'admin') => (await app.ask(`GET /api/cms/posts?${query}`, { as })).body.meta.facets
    t.same(await facets('facets=status,tags,author&per_page=1'), {
      status: { published: 3, draft: 1 },
      tags: { fruit: 3, red: 1 },
      author: { ada: 2, bob: 1 },
    })
    t.same(await facets('facets=status,tags,author', 'read'), {
      status: { published: 3 },
      tags: { fruit: 2, red: 1 },
      author: { ada: 2 },
    })
    t.same(await facets('facets=tags&filter[year]=2024'), { tags: { fruit: 2, red: 1 } })
    t.same(await facets('facets=tags&tag=red&page=9'), { tags: { fruit: 1, red: 1 } }, 'past the end, too')
    t.same(await facets('facets=tags&status=archived'), { tags: {} })
    t.same(await facets('per_page=1'), undefined)
    const { text, headers } = await app.ask('GET /api/cms/posts?facets=year&fields=id')
    t.match(text, /"facets":\{"year":\{"2024":2,"7":1\}\}\}\}$/, 'the order is that of how many')
    const put = { set: { year: 7 } }
    await store.write([{ key: keyOf('posts', 'stone'), put }], { name: 'Ada', email: 'ada@example.org' })
    const after = await app.ask('GET /api/cms/posts?facets=year&fields=id')
    t.match(after.text, /"facets":\{"year":\{"2024":2,"7":2\}\}/)
    t.not(after.headers.etag, headers.etag)
    const many = Array.from({ length: 120 }, (_, n) => ({ key: keyOf('notes', `n${n}`), put: { set: { n: n === 119 ? 5 : n } } }))
    await store.write(many, { name: 'Ada', email: 'ada@example.org' })
    const { n } = (await app.ask('GET /api/cms/notes?facets=n&per_page=1')).body.meta.facets
    t.same([Object.keys(n).length, n['5']], [100, 2])
  },
)

each('q finds within a list: the best first or in another order, with filters, pages, fields and facets', async (t, app) => {
  t.same(await ids(app, 'q=apple'), ['apple', 'pear', 'plum'])
  t.same(await ids(app, 'q=apple', 'read'), ['apple', 'pear'], 'only what is there for the reader')
  t.same(await ids(app, 'q=apple&sort=-title'), ['plum', 'pear', 'apple'])
  t.same(await ids(app, 'q=apple&sort=-published_at'), ['pear', 'apple', 'plum'])
  t.same(await ids(app, 'q=apple&status=draft'), ['plum'])
  t.same(await ids(app, 'q=apple&filter[year]=2024'), ['apple', 'plum'])
  t.same(await ids(app, 'q=apple&tag=red'), ['apple'])
  t.same(await ids(app, 'q=%22apple+pie%22'), ['apple'])
  t.same(await ids(app, 'q=apple+-longer'), ['apple', 'plum'])
  t.same(await ids(app, 'q=ada'), [], 'what is found is of the type')
  t.same(await ids(app, 'q=nothinglikethis'), [])
  t.same(await ids(app, `q=apple+${encodeURIComponent('🚀'.repeat(250))}`), ['apple', 'pear', 'plum'], 'characters are counted')
  const page = await app.ask('GET /api/cms/posts?q=apple&per_page=1&page=2&fields=id,author&include=author&facets=status')
  t.match(page.body, {
    data: [{ id: 'pear', author: { id: 'ada' } }],
    meta: { total: 3, per_page: 1, current_page: 2, last_page: 3, facets: { status: { published: 2, draft: 1 } } },
  })
  t.equal((await app.ask('GET /api/cms/nothing?q=apple')).status, 404)
  t.same(
    Object.keys((await app.ask('GET /api/cms/posts?q=apple')).body.data[0]).slice(0, 3),
    ['id', 'type', 'title'],
    'whole records',
  )
})

each('q follows what is written, and leaves out what is gone before it is answered', async (t, app, { store, search }) => {
  t.same(await ids(app, 'q=stone'), ['stone'])
  await app.ask('PATCH /api/cms/posts/stone', { body: { title: 'Apple stone' } })
  await search.ready()
  t.ok((await ids(app, 'q=apple')).includes('stone'))
  const find = search.find.bind(search)
  search.find = async (query) => {
    const found = await find(query)
    await store.write([{ key: keyOf('posts', 'stone'), remove: true }], { name: 'Ada', email: 'ada@example.org' })
    return found
  }
  const { data, meta } = (await app.ask('GET /api/cms/posts?q=stone')).body
  t.same([data, meta.total], [[], 0])
})

each('q is refused where the search is switched off, and says so', async (t, _, opened) => {
  const off = new TestApp(opened, { config: { features: { api: true, search: false } } })
  t.match(await off.ask('GET /api/cms/posts?q=apple'), { status: 400, body: { message: /features\.search/ } })
  t.equal((await off.ask('GET /api/cms/posts')).status, 200)
})

each('ids are looked up: those of a condition are what is there of them', async (t, _, { store }) => {
  const some = fc.constantFrom<string>('apple', 'pear', 'plum', 'stone', 'none', 'Apple', '')
  const where = (one: readonly string[], two: readonly string[]) => [
    { field: 'id', op: 'in' as const, value: [...one], as: 'text' as const },
    { field: 'id', op: 'in' as const, value: [...two], as: 'any' as const },
    { field: 'year', op: 'eq' as const, value: 2024, as: 'number' as const },
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(some), fc.array(some), fc.nat(3), fc.boolean(), async (one, two, many, live) => {
      const query = {
        where: where(one, two).slice(0, many),
        live,
        sort: [{ field: 'title', descending: true, as: 'text' as const }],
      }
      const wanted = ['stone', 'plum', 'pear', 'apple']
        .filter((id) => many < 1 || one.includes(id))
        .filter((id) => many < 2 || two.includes(id))
        .filter((id) => many < 3 || ['apple', 'plum'].includes(id))
        .filter((id) => !live || id !== 'plum')
      const found = await store.heads('posts', query)
      t.same(
        found.items.map(({ key }) => key.id),
        wanted,
      )
      t.same([...(await store.count('posts', query, 'id')).keys()].sort(), wanted.toSorted())
    }),
    { numRuns: runsOf(20) },
  )
})
