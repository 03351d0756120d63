import fc from 'fast-check'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { TestApp } from '#support/app.ts'
import { long, runsOf } from '#support/long.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({
  posts: {
    label: 'Posts',
    permalink: '/blog/{slug}',
    fields: { author: { type: 'reference', to: 'authors' }, price: { type: 'number' } },
  },
  authors: {},
})

const FILES = {
  'content/posts/a.md': '---\ntitle: Apple\ndate: 2025-01-01\nprice: 5\ntags: [red]\nauthor: ada\n---\nOn apples.\n',
  'content/posts/b.md': '---\ntitle: Birne\nstatus: draft\nprice: 12\n---\nOn pears.\n',
  'content/posts/broken.md': '---\ntitle: [\n---\n',
  'content/authors/ada.yaml': 'name: Ada\n',
}

const BY = { name: 'Ada', email: 'ada@example.org' }
// Later than the commit that the repository of a test begins with, which bears the machine's time.
const START = Date.parse('2100-03-01T12:00:00.000Z')

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  const options = { files: FILES, types, history: true, now: new Date(START).toISOString() }
  t.test(name, (t) => eachStore(t, options, (t, opened) => body(t, new TestApp(opened), opened)))
}

/** The records of a list by their ids; throws where it is not one. */
async function list(app: TestApp, query: string): Promise<Map<string, Record<string, unknown>>> {
  const { status, body, text } = await app.ask(`GET /api/cms/posts?per_page=100&${query}`)
  if (status !== 200) throw new Error(`${query}: ${status} ${text}`)
  const records: Record<string, unknown>[] = body.data
  if (body.meta.total !== records.length) throw new Error(`${query}: ${records.length} of ${body.meta.total}`)
  return new Map(records.map((record) => [String(record.id), record]))
}

function isSame(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
  return ['version', 'status', 'created_at', 'updated_at'].every((name) => one[name] === other[name])
}

long(each)('a list of a time is what it was: filters, order, status, fields and terms as of then', async (t, app, { clock }) => {
  const url = '/api/cms/posts'
  clock.set('2100-03-01T13:00:00.000Z')
  await app.ask(`PATCH ${url}/a`, { body: { title: 'Orange', price: 7, tags: ['orange'] } })
  await app.ask(`PATCH ${url}/b`, { body: { status: 'published', published_at: '2100-03-02T00:00:00.000Z' } })
  clock.set('2100-03-01T14:00:00.000Z')
  await app.ask(`POST ${url}`, { body: { title: 'Cherry', price: 1 } })
  await app.ask(`DELETE ${url}/a`)
  clock.set('2100-03-03T00:00:00.000Z')
  const ids = async (query: string) => [...(await list(app, query)).keys()]
  t.same(await ids('at=2100-03-01T12:30:00Z'), ['a', 'b'])
  t.same(await ids('at=2100-03-01T13:30:00Z&sort=price'), ['a', 'b'])
  t.same(await ids('at=2100-03-01T13:30:00Z&sort=-price'), ['b', 'a'])
  t.same(await ids('at=2100-03-01T14:30:00Z&sort=price'), ['cherry', 'b'])
  t.same(await ids('at=2100-03-01T13:30:00Z&tag=orange'), ['a'])
  t.same(await ids('at=2100-03-01T13:30:00Z&filter[price][gt]=7'), ['b'])
  t.same(await ids('at=2100-03-01T12:30:00Z&status=draft'), ['b'])
  t.same(await ids('at=2100-03-01T13:30:00Z&status=scheduled'), ['b'], 'the clock was that of then')
  t.same(await ids('at=2100-03-02T13:30:00Z&status=published'), ['b'])
  t.same(await ids('at=2000-01-01T00:00:00Z'), [])
  const some = await app.ask(
    `GET ${url}?at=2100-03-01T13:30:00Z&fields=title,status&include=author&sort=price&facets=status,tags`,
  )
  t.same(some.body.data, [
    { title: 'Orange', status: 'published' },
    { title: 'Birne', status: 'scheduled' },
  ])
  t.same(some.body.meta.facets, { status: { published: 1, scheduled: 1 }, tags: { orange: 1 } })
  const second = await app.ask(`GET ${url}?at=2100-03-01T13:30:00Z&sort=price&per_page=1&page=2`)
  t.same([second.body.data[0].id, second.body.meta], ['b', { total: 2, per_page: 1, current_page: 2, last_page: 2 }])
  t.match((await app.ask(`GET ${url}?at=2100-03-01T12:30:00Z&include=author`)).body.data[0].author, { id: 'ada', name: 'Ada' })
})

long(each)(
  'what was removed is listed as it last was, the newest removal first, and can be brought back',
  async (t, app, { store, clock }) => {
    const url = '/api/cms/posts'
    await app.ask(`POST ${url}`, { body: { title: 'Cherry', price: 1, status: 'published' } })
    await app.ask(`POST ${url}`, { body: { title: 'Moved' } })
    await app.ask(`POST ${url}/moved/move`, { body: { id: 'there' } })
    t.same(await list(app, 'deleted=true'), new Map(), 'what was moved is not gone')
    clock.set('2100-03-01T13:00:00.000Z')
    await store.dated()
    const before = (await app.ask(`GET ${url}/cherry`)).body.data
    await store.write([{ key: keyOf('posts', 'broken'), remove: true }], BY)
    await app.ask(`DELETE ${url}/cherry`)
    clock.set('2100-03-01T14:00:00.000Z')
    await app.ask(`DELETE ${url}/b`)
    await app.ask(`DELETE ${url}/there`)
    clock.set('2100-03-01T15:00:00.000Z')
    const gone = await list(app, 'deleted=true')
    t.same([...gone.keys()], ['b', 'there', 'cherry'])
    const cherry = gone.get('cherry') ?? {}
    const { deleted_at, revision, ...record } = cherry
    t.same(record, before)
    t.equal(deleted_at, '2100-03-01T13:00:00.000Z')
    t.same([...(await list(app, 'deleted=true&sort=price')).keys()], ['cherry', 'b', 'there'])
    t.same([...(await list(app, 'deleted=true&status=published')).keys()], ['cherry'])
    t.same([...(await list(app, 'deleted=true&filter[deleted_at][lt]=2100-03-01T13:30:00Z')).keys()], ['cherry'])
    const some = await app.ask(`GET ${url}?deleted=true&fields=id,revision&sort=deleted_at&facets=status`)
    t.same(some.body.data[0], { id: 'cherry', revision })
    t.same(some.body.meta.facets, { status: { draft: 2, published: 1 } })
    t.equal((await app.ask(`POST ${url}/cherry/rollback/${revision}`)).status, 200)
    t.same([...(await list(app, 'deleted=true')).keys()], ['b', 'there'])
    t.equal((await app.ask(`GET ${url}/cherry`)).body.data.title, 'Cherry')
    await app.ask(`DELETE ${url}/cherry`)
    t.same([...(await list(app, 'deleted=true')).keys()][0], 'cherry')
    t.same([...(await list(app, 'deleted=false')).keys()], ['a'], 'as without the parameter')
  },
)

long(each)(
  'the past of a list needs content:drafts, is asked for rightly, and one at a time',
  async (t, app, { store, name }) => {
    const url = 'GET /api/cms/posts'
    for (const query of ['at=2100-03-01T12:30:00Z', 'deleted=true']) {
      const refused = await app.ask(`${url}?${query}`, { as: 'read' })
      t.match(refused, { status: 403, body: { message: /content:drafts/ } }, query)
      t.equal((await app.ask(`${url}?${query}`, { as: 'admin', types: ['authors'] })).status, 404)
      t.equal((await app.ask(`GET /api/cms/nothing?${query}`)).status, 404)
    }
    for (const query of [
      'at=x',
      'at=',
      'at=2100-03-01',
      'deleted=1',
      'at=4107596400000&deleted=true',
      'q=a&deleted=true',
      'at=4107596400000&facets=nope',
    ]) {
      t.equal((await app.ask(`${url}?${query}`)).status, 422, query)
    }
    t.equal((await app.ask(`${url}?deleted=true&sort=deletd_at`)).status, 422)
    t.equal((await app.ask(`${url}?sort=deleted_at`)).status, 422, 'only what was removed has it')
    t.equal((await app.ask(`${url}?at=4107596400000&nope=1`)).status, 400)
    const unknown = await app.ask(`${url}?at=${'0'.repeat(40)}`)
    t.equal(unknown.status, name === 'git' ? 404 : 422)
    const past = store.past.bind(store)
    let go = (): void => undefined
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    store.past = async (...asked) => {
      await held
      return past(...asked)
    }
    const both = [app.ask(`${url}?at=4107596400000`), app.ask(`${url}?deleted=true`)]
    const refused = await Promise.race(both)
    t.match(refused, { status: 503, headers: { 'retry-after': '1' }, body: { message: /one at a time/ } })
    go()
    t.same((await Promise.all(both)).map(({ status }) => status).sort(), [200, 503])
    t.equal((await app.ask(`${url}?deleted=true`)).status, 200, 'then it is free again')
  },
)

t.test('without a history there is no past of lists', (t) =>
  eachStore(t, { files: FILES, types, history: false }, async (t, opened) => {
    const app = new TestApp(opened)
    for (const query of ['at=4107596400000', 'deleted=true']) {
      t.match(await app.ask(`GET /api/cms/posts?${query}`), { status: 404, body: { message: 'Revisions need git.' } })
    }
    t.equal((await app.ask('GET /api/cms/posts?deleted=false')).status, 200)
    const off = new TestApp(opened, { config: { features: { api: true, revisions: false } } })
    t.match(await off.ask('GET /api/cms/posts?deleted=true', { as: 'edit' }), {
      status: 404,
      body: { message: 'Revisions are switched off.' },
    })
  }),
)

long(each)('each record of a list of past records is what is said of it by itself', async (t, app, { store, clock }) => {
  const IDS = ['a', 'b', 'c', 'd']
  const step = fc.record({
    id: fc.constantFrom(...IDS),
    to: fc.option(fc.constantFrom(...IDS)),
    remove: fc.boolean(),
    title: fc.constantFrom('One', 'Two', 'Three'),
    status: fc.constantFrom('draft', 'published'),
    published_at: fc.option(fc.constantFrom('2100-03-01T12:00:00.003Z', '2100-03-05T00:00:00.000Z')),
    pass: fc.constantFrom(0, 1, 5, 1000),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const begin = clock.now()
      for (const { id, to, remove, title, status, published_at, pass } of steps) {
        clock.advance(pass)
        const key = keyOf('posts', id)
        const put = { set: { title, status, published_at } }
        const change: Change = to ? { key: keyOf('posts', to), from: key, put } : remove ? { key, remove: true } : { key, put }
        // What can't be done (a place that is taken, a file that can't be read) is not done.
        await store.write([change], BY).catch(() => undefined)
      }
      const end = clock.now()
      for (const time of new Set([begin, begin + 1, Math.floor((begin + end) / 2), end - 1, end])) {
        const listed = await list(app, `at=${time}`)
        for (const id of IDS) {
          const { status, body } = await app.ask(`GET /api/cms/posts/${id}?at=${time}`)
          const record = listed.get(id)
          if (record) t.same(record, body.data, `${id} at ${time}`)
          // A record that had another id then is listed under that.
          else if (status === 200)
            t.ok(
              [...listed.values()].some((one) => isSame(one, body.data)),
              `${id} at ${time}`,
            )
        }
      }
      const gone = await list(app, 'deleted=true')
      for (const id of IDS) {
        const log = (await app.ask(`GET /api/cms/posts/${id}/revisions?per_page=1`)).body.data ?? []
        const isGone = log[0]?.action === 'deleted'
        t.equal(gone.has(id), isGone, `${id} is ${isGone ? 'gone' : 'not gone'}`)
        const record = gone.get(id)
        if (!record) continue
        t.equal(record.deleted_at, log[0].created_at)
        const was = (await app.ask(`GET /api/cms/posts/${id}/revisions/${record.revision}`)).body.data
        t.same({ ...record, status: '', deleted_at: '', revision: '' }, { ...was, status: '', deleted_at: '', revision: '' })
      }
    }),
    { numRuns: runsOf(6) },
  )
})
