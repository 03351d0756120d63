import t from 'tap'
import type { Action, Revision } from '#core/history/revision.ts'
import { keyOf } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import { eachStore } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const bob = { name: 'Bob', email: 'bob@example.org' }
const key = (id: string, kind = 'posts') => keyOf(kind, id)
const put = (id: string, set = {}, body?: string): Change => ({ key: key(id), put: { set, ...(body !== undefined && { body }) } })
const HISTORY = { model: true, history: true } as const

async function revisions(store: Store, id: string, kind = 'posts'): Promise<Revision[]> {
  return (await store.history(key(id, kind), {}))?.items ?? []
}

async function actions(store: Store, id: string): Promise<Action[]> {
  return (await revisions(store, id)).map(({ action }) => action)
}

t.test('a revision for each write', (t) =>
  eachStore(t, HISTORY, async (t, { store, clock }) => {
    const [made] = await store.write([put('a', { title: 'A' }, 'One.\n')], ada)
    clock.advance(5000)
    const [changed] = await store.write([put('a', { title: 'B' })], bob, { message: 'A better title' })
    await store.write([put('a', { title: 'B' })], bob)
    await store.write([put('other')], bob)
    const page = await store.history(key('a'), {})
    t.equal(page?.total, 2, 'one that changes nothing is none, and those of others are not among them')
    const [second, first] = page?.items ?? []
    t.match(
      second,
      { action: 'updated', by: bob, message: 'A better title', version: changed?.version ?? '' },
      'the newest first',
    )
    t.match(first, { action: 'created', by: ada, version: made?.version ?? '' })
    t.not(first?.message, '', 'a message is made where none is given')
    t.ok((second?.number ?? 0) > (first?.number ?? 0))
    t.match(String(first?.number), /^\d{13}$/)
    t.equal(first?.at, new Date(first?.number ?? 0).toISOString())
  }),
)

t.test('what a write says it did', (t) =>
  eachStore(t, HISTORY, async (t, { store }) => {
    await store.write([put('a', { status: 'draft' })], ada)
    await store.write([put('a', { status: 'published' })], ada, { action: 'published' })
    await store.write([put('a', { status: 'draft' })], ada, { action: 'unpublished' })
    await store.write([put('a', { title: 'x' })], ada, { action: 'rolled_back', request: 'r1' })
    await store.write([{ key: key('a'), remove: true }], ada)
    await store.write([put('a', { title: 'back' })], ada, { action: 'restored' })
    t.same(await actions(store, 'a'), ['restored', 'deleted', 'rolled_back', 'unpublished', 'published', 'created'])
    const [, removed] = await revisions(store, 'a')
    t.equal(removed?.version, undefined)
  }),
)

t.test('many writes at one moment', (t) =>
  eachStore(t, HISTORY, async (t, { store }) => {
    for (let n = 0; n < 8; n++) await store.write([put('a', { n })], ada)
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.write([put('a', { n: 100 + n })], ada)))
    const all = await revisions(store, 'a')
    const numbers = all.map(({ number }) => number)
    t.equal(new Set(numbers).size, 28)
    t.same(
      numbers,
      [...numbers].sort((a, b) => b - a),
    )
    const states = await Promise.all(numbers.map((number) => store.at(key('a'), number)))
    t.same(
      states.slice(20).map((document) => document?.fields.n),
      Array.from({ length: 8 }, (_, n) => 7 - n),
    )
    t.equal((await store.get(key('a')))?.version, all[0]?.version)
  }),
)

t.test('pages of revisions', (t) =>
  eachStore(t, HISTORY, async (t, { store }) => {
    for (let n = 1; n <= 5; n++) await store.write([put('a', { n }, undefined)], ada, { message: `${n}` })
    const messages = async (part: object) => {
      const page = await store.history(key('a'), part)
      return [page?.items.map(({ message }) => message), page?.total]
    }
    t.same(await messages({}), [['5', '4', '3', '2', '1'], 5])
    t.same(await messages({ limit: 2 }), [['5', '4'], 5])
    t.same(await messages({ offset: 3, limit: 5 }), [['2', '1'], 5])
    t.same(await messages({ offset: 4 }), [['1'], 5])
    t.same(await messages({ offset: 9, limit: 5 }), [[], 5], 'past the end there is nothing')
    t.same(await messages({ limit: 0 }), [[], 5])
    t.same(await store.history(key('never'), {}), { items: [], total: 0 })
  }),
)

t.test('a record as it was', (t) =>
  eachStore(
    t,
    { ...HISTORY, files: { 'content/posts/old.md': '---\n# kept\ntitle: "Old"\n---\nFirst.\n' } },
    async (t, { store }) => {
      const start = await store.get(key('old'))
      const [first] = await revisions(store, 'old')
      t.match(first, { action: 'external', version: start?.version ?? '' }, 'what was there is a revision by hand')
      await store.write([put('old', { title: 'New' }, 'Second.\n')], ada)
      const then = await store.at(key('old'), first?.number ?? 0)
      t.equal(String(then?.source), '---\n# kept\ntitle: "Old"\n---\nFirst.\n', 'byte by byte')
      t.match(then, {
        key: key('old'),
        version: start?.version ?? '',
        body: 'First.\n',
        fields: { title: 'Old' },
        file: 'posts/old.md',
      })
      t.match(await store.at(key('old'), (await revisions(store, 'old'))[0]?.number ?? 0), { body: 'Second.\n' })
      t.equal(await store.at(key('old'), 1_000_000_000_001), undefined)
      t.equal(await store.at(key('never'), first?.number ?? 0), undefined)
      t.equal(await store.at(key('other'), first?.number ?? 0), undefined, 'a number names a revision of its own record alone')
    },
  ),
)

t.test('removed, and made again', (t) =>
  eachStore(t, HISTORY, async (t, { store }) => {
    await store.write([put('a', { title: 'A' }, 'One.\n')], ada)
    await store.write([{ key: key('a'), remove: true }], bob)
    t.same(await actions(store, 'a'), ['deleted', 'created'], 'one that is gone keeps its revisions')
    const [gone, made] = await revisions(store, 'a')
    t.equal(await store.at(key('a'), gone?.number ?? 0), undefined)
    const then = await store.at(key('a'), made?.number ?? 0)
    t.equal(then?.body, 'One.\n')
    await store.write([{ key: key('a'), put: { source: then?.source ?? Buffer.alloc(0), file: then?.file ?? '' } }], ada, {
      action: 'restored',
    })
    t.same(await actions(store, 'a'), ['restored', 'deleted', 'created'])
    t.equal((await revisions(store, 'a'))[0]?.version, made?.version)
  }),
)

t.test('moved', (t) =>
  eachStore(t, HISTORY, async (t, { store }) => {
    await store.write([put('a', { title: 'A' })], ada)
    await store.write([put('a', { title: 'B' })], ada)
    await store.write([{ key: key('2026~b'), from: key('a'), put: {} }], bob)
    await store.write([put('2026~b', { title: 'C' })], ada)
    t.same(await actions(store, '2026~b'), ['updated', 'moved', 'updated', 'created'], 'its revisions go with it')
    const all = await revisions(store, '2026~b')
    const first = await store.at(key('2026~b'), all.at(-1)?.number ?? 0)
    t.match(first, { key: key('2026~b'), fields: { title: 'A' } }, 'under the key it has now')
    const left = await revisions(store, 'a')
    t.same(
      left.map(({ action, version }) => [action, version !== undefined]),
      [
        ['moved', false],
        ['updated', true],
        ['created', true],
      ],
      'and stay where it was, with its going',
    )
    t.same(
      left.slice(1).map(({ number }) => number),
      all.slice(2).map(({ number }) => number),
      'by the same numbers',
    )
    await store.write([{ key: key('c'), from: key('2026~b'), put: { set: { title: 'D' } } }], bob)
    t.same(await actions(store, 'c'), ['moved', 'updated', 'moved', 'updated', 'created'], 'also a second time')
    t.match(await store.at(key('c'), all.at(-1)?.number ?? 0), { key: key('c'), fields: { title: 'A' } })
    await store.write([put('a', { title: 'Another' })], ada)
    t.same(await actions(store, 'a'), ['created', 'moved', 'updated', 'created'], 'another that takes the id goes on there')
    t.equal((await revisions(store, 'c')).length, 5, 'and not where the first went')
  }),
)

t.test('several records in one write', (t) =>
  eachStore(t, { ...HISTORY, files: { 'content/posts/b.md': 'B\n', 'content/posts/c.md': 'C\n' } }, async (t, { store }) => {
    await store.write([put('a', {}, 'A\n'), put('b', {}, 'BB\n'), { key: key('c'), remove: true }], ada)
    t.same(await actions(store, 'a'), ['created'])
    t.same(await actions(store, 'b'), ['updated', 'external'])
    t.same(await actions(store, 'c'), ['deleted', 'external'])
    const [a, b] = await Promise.all(['a', 'b'].map((id) => revisions(store, id)))
    t.equal(b?.[0]?.commit, a?.[0]?.commit)
  }),
)

t.test('several records in one write that did different things to them', (t) =>
  eachStore(t, { ...HISTORY, files: { 'content/posts/b.md': 'B\n', 'content/posts/b c.md': 'C\n' } }, async (t, { store }) => {
    t.same(await actions(store, 'b'), ['external'])
    const ids = ['b', 'b c', 'new']
    const named = new Map([
      ['posts/b', 'published'],
      ['posts/new', 'unpublished'],
    ] as const)
    const from = (await store.changes(undefined, 100)).next
    const write = (body: string) =>
      store.write(
        ids.map((id) => put(id, {}, body)),
        ada,
        { action: 'updated', actions: named },
      )
    await write('1\n')
    const told = (await store.changes(from, 100)).changes.map(({ key, action }) => [key.id, action])
    t.same(Object.fromEntries(told), { b: 'published', 'b c': 'updated', new: 'created' })
    t.same(await actions(store, 'b'), ['published', 'external'])
    t.same(await actions(store, 'b c'), ['updated', 'external'])
    t.same(await actions(store, 'new'), ['created'], 'what it did to it counts')
    await write('2\n')
    t.same(await actions(store, 'new'), ['unpublished', 'created'])
    const [revision] = await revisions(store, 'b')
    t.notMatch(revision?.message, 'Cms-')
  }),
)

t.test('kinds beside the types', (t) =>
  eachStore(t, HISTORY, async (t, { store }) => {
    await store.write([{ key: key('news', 'taxonomy/tags'), put: { set: { name: 'News' } } }], ada)
    await store.write([{ key: key('about', 'pages'), put: { body: 'About us\n' } }], ada)
    t.same(
      (await revisions(store, 'news', 'taxonomy/tags')).map(({ action }) => action),
      ['created'],
    )
    t.match(await store.at(key('about', 'pages'), (await revisions(store, 'about', 'pages'))[0]?.number ?? 0), {
      body: 'About us\n',
    })
  }),
)

t.test('no history of what is private', (t) =>
  eachStore(t, HISTORY, async (t, { store }) => {
    const token = keyOf('.tokens', 't1')
    await store.write([{ key: token, put: { set: { name: 'ci' } } }], ada)
    t.equal(await store.history(token, {}), undefined)
    t.equal(await store.at(token, 1_768_478_400_000), undefined)
  }),
)

t.test('no history where none is kept', (t) =>
  eachStore(t, { model: true, history: false }, async (t, { store }) => {
    await store.write([put('a')], ada)
    t.equal(await store.history(key('a'), {}), undefined)
    t.equal(await store.at(key('a'), 1_768_478_400_000), undefined)
  }),
)
