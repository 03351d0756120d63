import t, { type Test } from 'tap'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({ posts: { fields: { n: { type: 'number' } } }, a: {}, 'a count': {} })
const FILES = {
  'content/posts/a.md': '---\ntitle: A\nn: 1\n---\nText.\n',
  'content/posts/b.md': '---\ntitle: B\n---\nText.\n',
  'content/posts/a b.md': '---\ntitle: A b\nn: 3\n---\nAnother text.\n',
  'content/free/one.md': 'Text.\n',
  'content/a/one.md': '---\ntitle: One\nheads: x\n---\n',
  'content/a count/other.md': '---\ntitle: Other\n---\n',
}

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, { files: FILES, types }, (t, opened) => body(t, new TestApp(opened), opened)))
}

each('what one request asks is never answered to another', async (t, app) => {
  const ids = async (query: string) => {
    const { status, body } = await app.ask(`GET /api/cms/posts?${query}`, { as: 'read' })
    return status === 200 ? body.data.map(({ id }: { id: string }) => id) : status
  }
  t.same(await ids('status=published%0Aper_page=9'), [])
  t.same(await ids('status=published&per_page=9'), ['a', 'a b', 'b'])
  t.same(await ids('sort=title%0Apage=2'), 422)
  t.same(await ids(`filter[n][ne]=${'9'.repeat(400)}`), 422, 'no number is so large')
  t.same(await ids('filter[n][ne]=null'), ['a', 'a b'])
})

each('a list is asked for by fields that are named', async (t, app) => {
  for (const query of [
    'sort=-',
    'sort=',
    'sort=,',
    'sort=--title',
    'sort=title,',
    'fields=',
    'fields=,',
    'include=',
    'facets=',
    'tag=',
    'page=',
    'per_page=-1',
    'status=',
    'q=',
    'deleted=',
  ])
    for (const type of ['posts', 'free'])
      t.equal((await app.ask(`GET /api/cms/${type}?${query}`)).status, 422, `${type} ${query}`)
  for (const query of ['sort=title&sort=title', 'fields=id&fields=id', 'srot=title', 'filter[]=1', 'filter=1', '=1'])
    for (const type of ['posts', 'free'])
      t.equal((await app.ask(`GET /api/cms/${type}?${query}`)).status, 400, `${type} ${query}`)
  t.match((await app.ask('GET /api/cms/posts?srot=title')).body.message, /Did you mean "sort"/)
})

each('a base is a version of the record itself', async (t, app) => {
  const { version } = (await app.ask('GET /api/cms/posts/a%20b')).body.data
  const { status, body } = await app.ask(`PUT /api/cms/posts/a?base=b%20${version}`, { body: { title: 'Mine' } })
  t.equal(status, 409)
  t.equal(body.conflict.base, null)
})

t.test('a list of the store is kept by what it asks, to the last number', (t) =>
  eachStore(t, { files: FILES, types }, async (t, { store }) => {
    const beside = async (value: number | null) => {
      const where = [{ field: 'n', op: 'ne' as const, value, as: 'number' as const }]
      return (await store.heads('posts', { where })).items.map(({ key }) => key.id)
    }
    await beside(Number.POSITIVE_INFINITY)
    t.same(await beside(null), ['a', 'a b'])
    t.same([...(await store.count('a', {}, 'heads'))], [['x', 1]])
    t.equal((await store.heads('a count', {})).total, 1, 'nor is a count of one kind a list of another')
  }),
)

t.test('what was hidden is not shown to who sends its version as a base', (t) =>
  eachStore(t, { files: FILES, types, history: true }, async (t, opened) => {
    const app = new TestApp(opened)
    const write = async (body: object) => (await app.ask('PUT /api/cms/posts/a', { body })).body.data.version as string
    const hidden = await write({ status: 'draft', body: 'A secret.' })
    const planned = await write({ status: 'published', published_at: '2100-01-01T00:00:00Z', body: 'Another secret.' })
    const shown = await write({ published_at: null, body: 'A text.\n\nMore.' })
    await write({ body: 'A text.\n\nMore of it.' })
    const as = 'content:read,content:write'
    for (const base of [hidden, planned]) {
      const { status, body, text } = await app.ask(`PUT /api/cms/posts/a?base=${base}`, {
        as,
        body: { title: 'Mine', body: 'Mine.' },
      })
      t.equal(status, 409)
      t.equal(body.conflict.base, null)
      t.notMatch(text, /secret/)
      const all = await app.ask(`PUT /api/cms/posts/a?base=${base}`, { body: { body: 'Mine.' } })
      t.match(all.body.conflict.base.body, /secret/, 'who may read drafts is told')
    }
    const merged = await app.ask(`PUT /api/cms/posts/a?base=${shown}`, { as, body: { body: 'My text.\n\nMore.' } })
    t.match(merged.body, { data: { body: 'My text.\n\nMore of it.' }, meta: { merged: true } })
  }),
)

each('numbers and texts are kept as they are sent, or refused', async (t, app) => {
  const send = (body: string) => app.ask('PUT /api/cms/free/one', { body })
  t.equal((await send('{"k":7,"deep":{"n":[0,1]}}')).status, 200)
  const { version } = (await app.ask('GET /api/cms/free/one')).body.data
  const refused: [string, number, string][] = [
    ['{"k":1e400}', 422, 'k'],
    ['{"k":-1e400}', 422, 'k'],
    ['{"deep":{"n":[0,9007199254740993]}}', 422, 'deep.n.1'],
    ['{"k":"\\ud800"}', 422, 'k'],
    ['{"k":1,"k":2}', 400, ''],
    ['{"deep":{"a":1,"\\u0061":2}}', 400, ''],
  ]
  for (const [body, status, field] of refused) {
    const answer = await send(body)
    t.equal(answer.status, status, body)
    t.same(Object.keys(answer.body.errors ?? { '': 1 }), [field])
  }
  t.equal((await app.ask('GET /api/cms/free/one')).body.data.version, version, 'nothing was written')
  t.equal((await send('{"deep":{"n":[-0,1]}}')).body.data.version, version, '-0 is 0')
  t.same((await send('{"k":9007199254740992}')).body.data.k, 9007199254740992)
})
