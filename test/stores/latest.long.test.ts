import { existsSync, rmSync } from 'node:fs'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change, Latest, Store } from '#core/store.ts'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from '#support/clock.ts'
import { git, makeRepository } from '#support/git.ts'
import { makeSite } from '#support/sites.ts'
import { eachStore, filesOptions, GIT, openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

/** The first commit of a repository is made by the machine's clock: what a test does comes after it. */
const HISTORY = { model: true, history: true, now: '2040-01-15T12:00:00.000Z' } as const
const ada = { name: 'Ada', email: 'ada@example.org' }
const bob = { name: 'Bob', email: 'bob@example.org' }
const key = (id: string, kind = 'posts') => keyOf(kind, id)
const put = (id: string, title: string, kind?: string): Change => ({ key: key(id, kind), put: { set: { title } } })
const words = (all: readonly Latest[] = []) => all.map(({ key, action, by }) => `${action} ${key.kind}/${key.id} ${by.name}`)

async function latest(store: Store, part = {}): Promise<string[]> {
  return words(await store.latest(part))
}

t.test('what was last done to each document, the newest first', (t) =>
  eachStore(t, HISTORY, async (t, { store, clock }) => {
    t.same(await store.latest({}), [])
    const write = async (changes: readonly Change[], by = ada, note = {}) => {
      clock.advance(5000)
      return store.write(changes, by, note)
    }
    await write([put('a', 'A'), put('b', 'B'), put('a', 'A', 'notes')])
    await write([{ key: key('news', 'taxonomy/tags'), put: { set: { name: 'News' } } }], bob)
    await write([put('t', 'x', '.tokens')])
    await write([put('b', 'New')], bob, { action: 'published', message: 'Out with it' })
    t.same(await latest(store), [
      'published posts/b Bob',
      'created taxonomy/tags/news Bob',
      'created notes/a Ada',
      'created posts/a Ada',
    ])
    await write([{ key: key('z'), from: key('a'), put: {} }])
    await write([{ key: key('b'), remove: true }])
    const all = ['deleted posts/b Ada', 'moved posts/z Ada', 'created taxonomy/tags/news Bob', 'created notes/a Ada']
    t.same(await latest(store), all)
    t.same(await latest(store, { limit: 2 }), all.slice(0, 2))
    t.same(await latest(store, { offset: 1, limit: 2 }), all.slice(1, 3))
    t.same(await latest(store, { offset: 4, limit: 2 }), [])
    const [removed, moved] = (await store.latest({})) ?? []
    t.equal(removed?.version, undefined)
    t.strictSame(moved, { key: key('z'), ...(await store.history(key('z'), { limit: 1 }))?.items[0] })
    await write([put('b', 'Back')], bob, { action: 'restored' })
    await write([put('a', 'Another')])
    t.same((await latest(store)).slice(0, 3), ['created posts/a Ada', 'restored posts/b Bob', 'moved posts/z Ada'])
  }),
)

t.test('many documents are listed as their histories say', (t) =>
  eachStore(t, HISTORY, async (t, { store, clock }) => {
    for (let n = 0; n < 5; n++) {
      clock.advance(1000)
      await store.write(
        Array.from({ length: 60 }, (_, nth) => put(`p${String(nth).padStart(2, '0')}`, `${n}`, `kind${n}`)),
        ada,
      )
    }
    const all = (await store.latest({})) ?? []
    t.equal(all.length, 300)
    t.strictSame(await store.latest({ offset: 50, limit: 20 }), all.slice(50, 70))
    t.same([all[0]?.key, all.at(-1)?.key], [key('p00', 'kind4'), key('p59', 'kind0')])
    for (const { key, ...revision } of all.slice(0, 3)) t.strictSame((await store.history(key, {}))?.items, [revision])
  }),
)

t.test('where no history is kept there is none', (t) =>
  eachStore(t, { model: true, history: false }, async (t, { store }) => {
    await store.write([put('a', 'A')], ada)
    t.equal(await store.latest({}), undefined)
  }),
)

t.test('commits by hand, and what is in none yet', async (t) => {
  const { store, site, close } = await openFiles({ history: true, files: { 'content/posts/a.md': '# A\n' } })
  t.teardown(close)
  const commit = (message: string, date: string) => {
    git(site.root, ['add', '-A'])
    git(site.root, ['commit', '-q', '-m', message], { GIT_AUTHOR_DATE: date })
  }
  site.write('content/posts/b.md', '# B\n')
  commit('Write b', '2030-01-01T00:00:00Z')
  site.write('content/posts/c.md', '# C\n')
  rmSync(site.path('content/posts/b.md'))
  await store.reconcile()
  t.same(await latest(store), ['external posts/a Ada'], 'a removal that is in no commit is none yet')
  commit('Take b away', '2030-01-02T00:00:00Z')
  await store.reconcile()
  const [first] = (await store.latest({ limit: 1 })) ?? []
  t.match(first, {
    key: key('b'),
    action: 'external',
    message: 'Take b away',
    at: '2030-01-02T00:00:00.000Z',
    version: undefined,
  })
  t.same((await latest(store)).toSorted(), ['external posts/a Ada', 'external posts/b Ada', 'external posts/c Ada'])
})

t.test('after a restart a removal is still known', async (t) => {
  const site = makeSite({ 'content/posts/a.md': '# A\n', 'content/posts/b.md': '# B\n' })
  t.teardown(() => site.remove())
  makeRepository(site)
  const open = () => FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock(HISTORY.now)), git: GIT })
  const first = await open()
  await first.write([{ key: key('a'), remove: true }], bob)
  const all = await first.latest({})
  await first.close()
  t.ok(existsSync(site.path('.cms/cache/dates')), 'the dates were kept')
  const second = await open()
  t.teardown(() => second.close())
  t.strictSame(await second.latest({}), all)
  t.same(await latest(second), ['deleted posts/a Bob', 'external posts/b Ada'])
})
