import t, { type Test } from 'tap'
import { keyOf, type keyText } from '#core/key.ts'
import type { Comparison, Condition, Operator, Query, Sort } from '#core/queries/query.ts'
import type { Change, Store } from '#core/store.ts'
import { Conflict, NotFound, Stale, Unreadable } from '#lib/errors.ts'
import { everyStore } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const key = (id: string, kind = 'posts') => keyOf(kind, id)
const put = (id: string, set = {}, body?: string): Change => ({ key: key(id), put: { set, ...(body !== undefined && { body }) } })
const by = (field: string, descending = false, as: Comparison = 'text'): Sort => ({ field, descending, as })
const where = (field: string, op: Operator, value: Condition['value'], as: Comparison = 'text'): Query => ({
  where: [{ field, op, value, as }],
})
const newest = [by('published_at', true, 'instant')]

async function ids(store: Store, query: Query, kind = 'posts'): Promise<string[]> {
  const { items } = await store.heads(kind, query)
  return items.map((head) => head.key.id)
}

type Kind = new (...args: never[]) => Error

async function refuses(t: Test, written: Promise<unknown>, kind: Kind, why: string): Promise<void> {
  const error = await written.then(
    () => undefined,
    (thrown) => thrown,
  )
  t.ok(error instanceof kind, `${kind.name}: ${why}`, { found: error })
}

function post(fields: string, body = 'Text.\n'): string {
  return `---\n${fields}\n---\n${body}`
}

const LIBRARY = {
  'content/posts/a.md': post('title: Élan\ndate: 2026-01-01\ntags: [news, Big]\nviews: 9\nfeatured: true'),
  'content/posts/b.md': post('title: zebra\ndate: 2026-01-03T10:00:00+02:00\ntags: [news]\nviews: 10\nstatus: draft'),
  'content/posts/c.md': post('title: "\u{1F600} smile"\ndate: 2026-01-03T08:00:00Z\nviews: 100\ntags: []'),
  'content/posts/deep/d.md': post('title: "\uFF5Etilde"'),
  'content/posts/e.md': post('title: elan vital\ndate: 2025-12-31\nauthor: ada\nviews: "x"'),
  'content/posts/broken.md': post('title: [oops'),
  'content/taxonomy/tags/news.yaml': 'name: News\n',
  'content/menus/main.yaml': 'items: []\n',
  'content/about.md': '# About us\n',
}

t.test('a head is that of the document, body aside', (t) =>
  everyStore(t, { files: LIBRARY }, async (t, { store }) => {
    for (const one of [key('a'), key('deep~d'), key('broken'), key('about', 'pages'), key('news', 'taxonomy/tags')]) {
      const [head, document] = [await store.head(one), await store.get(one, 'once')]
      const { fields, version, problem, createdAt, updatedAt } = head ?? { fields: {}, version: '' }
      t.match(document, { key: head?.key, fields, version, problem, createdAt, updatedAt }, one.id)
      t.same(fields, document?.fields)
    }
    t.equal(await store.head(key('nowhere')), undefined)
    await store.write([put('a', { title: 'Another' })], ada)
    t.equal((await store.head(key('a')))?.fields.title, 'Another', 'what was written before is in it')
    await store.write([{ key: key('a'), remove: true }], ada)
    t.equal(await store.head(key('a')), undefined)
  }),
)

t.test('lists', (t) =>
  everyStore(t, { files: LIBRARY }, async (t, { store }) => {
    t.same(await store.kinds(), ['menus', 'pages', 'posts', 'taxonomy/tags'])
    t.same(await ids(store, {}), ['a', 'b', 'c', 'deep~d', 'e'], 'by id, without the unreadable one')
    t.same(await ids(store, { sort: newest }), ['b', 'c', 'a', 'e', 'deep~d'], 'newest first, ties by id, undated last')
    t.same(
      await ids(store, { sort: [by('published_at', false, 'instant')] }),
      ['e', 'a', 'b', 'c', 'deep~d'],
      'undated last the other way, too',
    )
    t.same(await ids(store, { sort: [by('title')] }), ['e', 'b', 'a', 'deep~d', 'c'], 'by code point, beyond the basic plane too')
    t.same(await ids(store, { sort: [by('views', true, 'number'), by('title')] }), ['c', 'b', 'a', 'e', 'deep~d'])
    t.same(await ids(store, { sort: [by('status'), by('id', true)] }), ['b', 'e', 'deep~d', 'c', 'a'])
    t.same(await ids(store, {}, 'nothing'), [])
  }),
)

t.test('pages of a list', (t) =>
  everyStore(t, { files: LIBRARY }, async (t, { store }) => {
    const page = await store.browse('posts', { sort: newest, offset: 1, limit: 2 })
    t.same(
      [page.items.map((d) => [d.key.id, d.body]), page.total],
      [
        [
          ['c', 'Text.\n'],
          ['a', 'Text.\n'],
        ],
        5,
      ],
    )
    t.same(
      await store.browse('posts', { offset: 50, limit: 10 }),
      { items: [], total: 5 },
      'past the end there is nothing, and the total stays',
    )
    t.same(await store.browse('posts', { offset: 0, limit: 0 }), { items: [], total: 5 })
    const [again] = (await store.browse('posts', { sort: newest, offset: 1, limit: 1 })).items
    t.equal(again, await store.get(key('c')), 'the same object while unchanged')
  }),
)

t.test('conditions', (t) =>
  everyStore(t, { files: LIBRARY }, async (t, { store }) => {
    const found = (...query: Parameters<typeof where>) => ids(store, where(...query))
    t.same(await found('tags', 'eq', 'news'), ['a', 'b'], 'a list matches when one item does')
    t.same(await found('tags', 'in', ['big', 'none']), ['a'])
    t.same(await found('tags', 'ne', 'news'), ['c', 'deep~d', 'e'])
    t.same(await found('author', 'eq', null), ['a', 'b', 'c', 'deep~d'], 'null is "not set"')
    t.same(await found('author', 'ne', null), ['e'])
    t.same(await found('author', 'in', ['ada', null]), ['a', 'b', 'c', 'deep~d', 'e'])
    t.same(await found('tags', 'eq', null), ['c', 'deep~d', 'e'], 'an empty list is not set')
    t.same(await found('views', 'gt', 9, 'number'), ['b', 'c'], 'numbers are not compared as texts')
    t.same(await found('views', 'lte', '10', 'any'), ['a', 'b'], 'without a declared type, too')
    t.same(await found('views', 'eq', '9', 'any'), ['a'])
    t.same(await found('featured', 'eq', true, 'boolean'), ['a'])
    t.same(await found('title', 'contains', 'ELÁN'), ['a', 'e'], 'without case and accents')
    t.same(await found('title', 'contains', '.*'), [])
    t.same(await found('published_at', 'gte', '2026-01-03T09:00:00+01:00', 'instant'), ['b', 'c'], 'dates are instants')
    t.same(await found('published_at', 'lt', '2026-01-01T00:00:00.000Z', 'instant'), ['e'])
    t.same(await found('published_at', 'lt', 'never', 'instant'), [])
    t.same(await found('id', 'gt', 'c'), ['deep~d', 'e'])
    t.same(await found('status', 'eq', 'draft'), ['b'])
    t.same(await found('status', 'eq', 'nonsense'), [])
    t.same(
      await ids(store, {
        where: [...(where('tags', 'eq', 'news').where ?? []), ...(where('status', 'eq', 'published').where ?? [])],
      }),
      ['a'],
    )
  }),
)

t.test('counts', (t) =>
  everyStore(t, { files: LIBRARY }, async (t, { store }) => {
    t.same(
      new Map(await store.count('posts', {}, 'tags')),
      new Map([
        ['news', 2],
        ['big', 1],
      ]),
    )
    t.same(
      new Map(await store.count('posts', { live: true }, 'tags')),
      new Map([
        ['news', 1],
        ['big', 1],
      ]),
    )
    t.same(
      new Map(await store.count('posts', {}, 'status')),
      new Map([
        ['published', 4],
        ['draft', 1],
      ]),
    )
    t.same(await store.count('nothing', {}, 'status'), new Map())
  }),
)

t.test("what is live, and what is a reader's own", (t) => {
  const post = (status: string, author: string) => `---\ntitle: A title\nstatus: ${status}\nauthor: ${author}\ntags: [x]\n---\n`
  const files = {
    'content/posts/a-draft.md': post('draft', 'ada'),
    'content/posts/a-list.md': post('draft', '[bo, ada]'),
    'content/posts/a-live.md': post('published', 'ada'),
    'content/posts/b-draft.md': post('draft', 'bo'),
    'content/posts/b-live.md': post('published', 'bo'),
    'content/posts/nobodys.md': post('draft', 'null'),
    'content/posts/number.md': post('draft', '7'),
  }
  return everyStore(t, { files }, async (t, { store }) => {
    const ids = async (query: Query) => (await store.heads('posts', query)).items.map(({ key }) => key.id)
    const hers = { live: true, own: 'ada' }
    t.strictSame(await ids(hers), ['a-draft', 'a-list', 'a-live', 'b-live'])
    t.strictSame(await ids({ live: true, own: 'bo' }), ['a-list', 'a-live', 'b-draft', 'b-live'])
    t.strictSame(await ids({ live: true, own: '7' }), ['a-live', 'b-live', 'number'])
    for (const own of ['', 'Ada', 'null', 'nobody']) t.strictSame(await ids({ live: true, own }), ['a-live', 'b-live'], own)
    t.equal((await ids({ live: false, own: 'ada' })).length, 7, 'where all is there, whose it is does not matter')
    t.strictSame(await ids({ ...hers, where: [{ field: 'id', op: 'in', value: ['a-draft', 'b-draft'], as: 'text' }] }), [
      'a-draft',
    ])
    t.strictSame(await ids({ ...hers, where: [{ field: 'status', op: 'eq', value: 'draft', as: 'text' }] }), [
      'a-draft',
      'a-list',
    ])
    t.strictSame(await store.count('posts', hers, 'tags'), new Map([['x', 4]]))
    t.strictSame((await store.browse('posts', { ...hers, offset: 1, limit: 2 })).total, 4)
    const [key, author] = [keyOf('posts', 'a-draft'), { name: 'Ada', email: 'ada@example.org' }]
    await store.write([{ key, put: { set: { author: 'bo' } } }], author)
    t.strictSame(await ids(hers), ['a-list', 'a-live', 'b-live'], 'what is given away is gone')
    t.strictSame(
      await store.count('posts', hers, 'status'),
      new Map([
        ['draft', 1],
        ['published', 2],
      ]),
    )
  })
})

t.test('going live and expiring by the clock', (t) => {
  const files = {
    'content/posts/soon.md': post('date: 2026-01-15T13:00:00Z\nexpires_at: 2026-01-15T14:00:00Z'),
    'content/posts/now.md': post('date: 2026-01-15T12:00:00Z'),
    'content/posts/draft.md': post('date: 2026-01-15T13:00:00Z\nstatus: draft'),
  }
  return everyStore(t, { files, now: '2026-01-15T12:00:00Z' }, async (t, { store, clock }) => {
    const statuses = async () => Object.fromEntries(await store.count('posts', {}, 'status'))
    t.same(await ids(store, { live: true, sort: newest }), ['now'])
    t.same(await statuses(), { scheduled: 1, published: 1, draft: 1 })
    t.same(await ids(store, { ...where('status', 'eq', 'scheduled'), sort: newest }), ['soon'])
    clock.advance(3_600_000 - 1)
    t.same(await ids(store, { live: true, sort: newest }), ['now'])
    clock.advance(1)
    t.same(await ids(store, { live: true, sort: newest }), ['soon', 'now'])
    t.same(await ids(store, { ...where('status', 'eq', 'published'), live: true, sort: newest }), ['soon', 'now'])
    clock.advance(3_600_000)
    t.same(await ids(store, { live: true }), ['now'])
    t.same(await statuses(), { expired: 1, published: 1, draft: 1 })
    t.same(await ids(store, { ...where('status', 'eq', 'expired'), live: true, sort: newest }), [], 'what is over is not live')
  })
})

t.test('writing', (t) =>
  everyStore(t, {}, async (t, { store }) => {
    const [made] = await store.write([put('a', { title: 'A' }, 'One.\n')], ada)
    t.match(made, { key: { kind: 'posts', id: 'a' }, fields: { title: 'A', slug: 'a', status: 'published' }, body: 'One.\n' })
    t.equal(await store.get(key('a')), made)
    const [changed] = await store.write([{ ...put('a', { title: 'B', views: 3 }), expects: made?.version ?? '' } as Change], ada)
    t.match(changed, { fields: { title: 'B', views: 3 }, body: 'One.\n' })
    const [less] = await store.write([put('a', { views: null }, 'Two.\n')], ada)
    t.equal(less?.fields.views, undefined)
    t.equal(less?.body, 'Two.\n')
    const [whole] = await store.write([{ key: key('a'), put: { source: Buffer.from(post('title: C', 'Three.\n')) } }], ada)
    t.match(whole, { fields: { title: 'C' }, body: 'Three.\n' })
    t.match(await store.write([{ key: key('a'), remove: true }], ada), [])
    t.equal(await store.get(key('a')), undefined)
    t.same(await ids(store, {}), [])
    await store.write([{ key: key('a'), remove: true }], ada)
  }),
)

t.test('what a write expects', (t) =>
  everyStore(t, { files: LIBRARY }, async (t, { store }) => {
    const refused = (change: Change, error: Kind, why: string) => refuses(t, store.write([change], ada), error, why)
    await refused({ ...put('a', { title: 'x' }), expects: 'absent' } as Change, Conflict, 'there already')
    await refused({ ...put('a', { title: 'x' }), expects: '0'.repeat(40) } as Change, Stale, 'another version')
    await refused({ ...put('new', { title: 'x' }), expects: '0'.repeat(40) } as Change, Stale, 'not there')
    await refused({ key: key('a'), remove: true, expects: '0'.repeat(40) }, Stale, 'not removed, either')
    await refused({ ...put('new', { title: 'x' }), unique: [{ field: 'slug', value: 'b' }] } as Change, Conflict, 'a claim')
    await refused(put('A', { title: 'x' }), Conflict, 'differs only in case')
    await refused(put('broken', { title: 'x' }), Unreadable, 'never over what cannot be read')
    await refused({ key: key('z'), from: key('nowhere'), put: {} }, NotFound, 'nothing to move')
    await refused({ key: key('b'), from: key('a'), put: {} }, Conflict, 'taken')
    await refused({ key: key('z'), from: key('broken'), put: {} }, Unreadable, 'not moved')
    t.same(await ids(store, {}), ['a', 'b', 'c', 'deep~d', 'e'])
    await store.write([{ ...put('a', { title: 'x' }), unique: [{ field: 'slug', value: 'a' }] } as Change], ada)
    await store.write([{ key: key('broken'), remove: true }], ada)
    t.same(await store.problems('posts'), [])
  }),
)

t.test('a batch happens whole or not at all', (t) =>
  everyStore(t, { files: LIBRARY }, async (t, { store }) => {
    const before = await store.get(key('a'))
    const batch: Change[] = [
      put('a', { title: 'x' }),
      put('new', { title: 'y' }),
      { key: key('b'), remove: true },
      put('broken', { title: 'z' }),
    ]
    await refuses(t, store.write(batch, ada), Unreadable, 'one of them cannot be')
    t.same(await ids(store, {}), ['a', 'b', 'c', 'deep~d', 'e'])
    t.equal(await store.get(key('a')), before)
    const done = await store.write(batch.slice(0, 3), ada)
    t.same(
      done.map((d) => d.key.id),
      ['a', 'new'],
    )
    t.same(await ids(store, {}), ['a', 'c', 'deep~d', 'e', 'new'])
    const claims: Change[] = [
      put('p', { slug: 'same' }),
      { ...put('q', { slug: 'same' }), unique: [{ field: 'slug', value: 'same' }] } as Change,
    ]
    await refuses(t, store.write(claims, ada), Conflict, 'a claim sees what the batch itself makes')
    await refuses(t, store.write([put('p'), put('P')], ada), Conflict, 'and what differs only in case')
    await t.rejects(
      store.write([put('p'), { key: keyOf('.tokens', 'x'), put: {} }], ada),
      'content and private things are not mixed',
    )
    await store.write([{ key: key('c'), remove: true }, { ...put('c', { title: 'Again' }), expects: 'absent' } as Change], ada)
    t.equal((await store.get(key('c')))?.fields.title, 'Again')
  }),
)

t.test('moving', (t) =>
  everyStore(t, { files: LIBRARY }, async (t, { store }) => {
    const before = await store.get(key('a'))
    const [moved] = await store.write([{ key: key('2026~moved'), from: key('a'), put: {}, expects: before?.version ?? '' }], ada)
    t.same([moved?.source, moved?.key.id], [before?.source, '2026~moved'], 'its bytes go with it')
    t.equal(await store.get(key('a')), undefined)
    const [renamed] = await store.write(
      [{ key: key('2026~Moved'), from: key('2026~moved'), put: { set: { title: 'New' } } }],
      ada,
    )
    t.equal(renamed?.fields.title, 'New')
    t.same(await ids(store, {}), ['2026~Moved', 'b', 'c', 'deep~d', 'e'])
  }),
)

t.test('the feed of changes', (t) =>
  everyStore(t, { files: LIBRARY }, async (t, { store }) => {
    let hints = 0
    const stop = store.subscribe(() => hints++)
    const start = await store.changes(undefined, 10)
    t.match(start, { reset: true, changes: [] })
    await store.write([put('a', { title: 'x' }), put('new')], ada)
    await store.write([put('a', { title: 'x' })], ada)
    await store.write([{ key: key('moved'), from: key('new'), put: {} }], ada)
    await store.write([{ key: key('b'), remove: true }], ada)
    t.ok(hints >= 3 && hints <= 5, 'what changes nothing is not told of')
    const texts = (changes: { key: Parameters<typeof keyText>[0]; removed: boolean }[]) =>
      changes.map((c) => `${c.removed ? '-' : '+'}${c.key.id}`)
    const first = await store.changes(start.next, 2)
    const rest = await store.changes(first.next, 10)
    t.same(texts(first.changes), ['+a', '+new'])
    t.same(texts(rest.changes).sort(), ['+moved', '-b', '-new'].sort())
    t.match(await store.changes(rest.next, 10), { changes: [], reset: false })
    stop()
    await store.write([put('c', { title: 'x' })], ada)
    t.ok(hints <= 5)
  }),
)

t.test('problems', (t) =>
  everyStore(t, { files: { ...LIBRARY, 'content/posts/odd.md': post('slug: [x]') } }, async (t, { store }) => {
    const problems = await store.problems()
    t.match(problems, [
      { file: 'content/posts/broken.md', severity: 'error', line: Number },
      { file: 'content/posts/odd.md', severity: 'warning' },
    ])
    t.equal(problems.length, 2)
    t.same(await store.problems('taxonomy/tags'), [])
    t.match(await store.get(key('broken')), { fields: {}, body: '', problem: { severity: 'error' } })
    t.match(await ids(store, where('id', 'eq', 'odd')), ['odd'], 'one with something odd in it is served')
  }),
)

t.test('private kinds', (t) =>
  everyStore(t, {}, async (t, { store }) => {
    const token = keyOf('.tokens', 't1')
    const { next } = await store.changes(undefined, 10)
    await store.write([{ key: token, put: { set: { name: 'ci', scopes: ['content:read'] } } }], ada)
    t.same((await store.get(token))?.fields, { name: 'ci', scopes: ['content:read'] })
    t.same(await ids(store, where('name', 'eq', 'ci'), '.tokens'), ['t1'])
    t.same(await store.kinds(), [])
    await store.write([{ key: token, remove: true }], ada)
    t.same(await ids(store, {}, '.tokens'), [])
    t.match(await store.changes(next, 10), { changes: [], reset: false }, 'they are not in the feed')
  }),
)
