import fs, { readFileSync, rmSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { type Key, keyOf, keyText } from '#core/key.ts'
import type { Change, Changed, Cursor, Store } from '#core/store.ts'
import { FilesStore } from '#stores/files/store.ts'
import { replaceIn } from '#support/builtins.ts'
import { TestClock } from '#support/clock.ts'
import { git } from '#support/git.ts'
import { makeSite } from '#support/sites.ts'
import { everyStore, filesOptions, GIT, openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const bob = { name: 'Bob', email: 'bob@example.org' }
const key = (id: string) => keyOf('posts', id)
const put = (id: string, title: string): Change => ({ key: key(id), put: { set: { title } } })

/** A reader of the feed of a store. */
async function reader(store: Store, cursor?: Cursor) {
  let next = cursor ?? (await store.changes(undefined, 0)).next
  return async (): Promise<readonly Changed[]> => {
    const feed = await store.changes(next, 1000)
    if (feed.reset) throw new Error('The cursor was reset.')
    next = feed.next
    return feed.changes
  }
}

const byKey = (one: { key: Key }, other: { key: Key }) => (keyText(one.key) < keyText(other.key) ? -1 : 1)
/** What changes say of what was done, without the states before and after. */
const deeds = (changes: readonly Changed[]) =>
  changes.map(({ was: _, is: __, changed: ___, source: ____, at: _____, ...deed }) => deed)
const words = (changes: readonly Changed[]) => changes.map(({ key, action, by }) => `${action} ${key.id} ${by?.name}`)

t.test('the feed says what was done, by whom and for which request', (t) =>
  everyStore(t, {}, async (t, { store }) => {
    const read = await reader(store)
    const [a] = await store.write([put('a', 'A')], ada, { request: 'r1' })
    const version = a?.version
    t.strictSame(deeds(await read()), [{ key: key('a'), removed: false, action: 'created', version, by: ada, request: 'r1' }])
    const [b] = await store.write([put('a', 'B')], bob)
    t.strictSame(deeds(await read()), [{ key: key('a'), removed: false, action: 'updated', version: b?.version, by: bob }])
    await store.write([put('a', 'C')], ada, { action: 'published' })
    await store.write([put('a', 'D')], ada, { action: 'unpublished' })
    t.same(words(await read()), ['published a Ada', 'unpublished a Ada'])
    const [moved] = await store.write([{ key: key('z'), from: key('a'), put: {} }], bob, { request: 'r2' })
    t.strictSame(deeds([...(await read())].sort(byKey)), [
      { key: key('a'), removed: true, action: 'moved', by: bob, request: 'r2' },
      { key: key('z'), removed: false, action: 'moved', version: moved?.version, by: bob, request: 'r2', from: key('a') },
    ])
    await store.write([{ key: key('z'), remove: true }], ada)
    t.strictSame(deeds(await read()), [{ key: key('z'), removed: true, action: 'deleted', by: ada }])
    await store.write([{ key: key('z'), put: { source: Buffer.from('# Z\n') } }], ada, { action: 'restored' })
    t.same(words(await read()), ['restored z Ada'])
    await store.write([put('y', 'Y'), put('z', 'New')], ada)
    t.same(words(await read()), ['created y Ada', 'updated z Ada'], 'of each document what was done to it')
  }),
)

t.test('what is said of people and requests is as clean as in the history', (t) =>
  everyStore(t, {}, async (t, { store }) => {
    const read = await reader(store)
    await store.write([put('a', 'A')], { name: 'A <d>\n\ta', email: 'a@b c' }, { request: 'r\t1\nx' })
    t.match(await read(), [{ by: { name: 'A d a', email: 'a@bc' }, request: 'r 1 x' }])
  }),
)

t.test('writes that come together have a change each', (t) =>
  everyStore(t, {}, async (t, { store }) => {
    const read = await reader(store)
    const versions = await Promise.all(
      ['One', 'Two', 'Three'].map(async (title) => (await store.write([put('a', title)], ada))[0]?.version),
    )
    const changes = await read()
    t.same(words(changes), ['created a Ada', 'updated a Ada', 'updated a Ada'])
    t.equal(new Set(changes.map(({ version }) => version)).size, 3)
    t.equal(changes.at(-1)?.version, versions.at(-1))
    await Promise.all([store.write([put('b', 'B')], ada), store.write([{ key: key('b'), remove: true }], bob)])
    t.same(words(await read()), ['created b Ada', 'deleted b Bob'], 'though nobody ever saw it')
    t.equal(await store.get(key('b')), undefined)
    const refused = [store.write([put('a', 'Four')], ada), store.write([{ ...put('a', 'No'), expects: 'absent' }], bob)]
    await Promise.allSettled(refused)
    t.same(words(await read()), ['updated a Ada'], 'what was refused was not done')
  }),
)

t.test('each of many documents of a write has one change, in a folder that is new too', (t) =>
  everyStore(t, {}, async (t, { store }) => {
    const read = await reader(store)
    const ids = Array.from({ length: 90 }, (_, n) => `p${n}`)
    for (const title of ['One', 'Two']) {
      await store.write(
        ids.map((id) => put(id, title)),
        ada,
      )
    }
    t.same(words(await read()).sort(), ids.flatMap((id) => [`created ${id} Ada`, `updated ${id} Ada`]).sort())
    t.same(await read(), [])
  }),
)

t.test('an edit by hand is external', async (t) => {
  for (const history of [false, true]) {
    const { store, site, close } = await openFiles({ files: { 'content/posts/a.md': '# A\n' }, history, watch: true })
    t.teardown(close)
    const read = await reader(store)
    site.write('content/posts/a.md', '# Changed\n')
    await store.reconcile()
    const version = (await store.get(key('a')))?.version
    t.match(await read(), [{ key: key('a'), removed: false, action: 'external', version, by: undefined }])
    site.write('content/posts/a.md', '# By hand\n')
    await store.write([put('a', 'Ours')], ada)
    const found = (await read()).map(({ action }) => action)
    t.same(found, ['external', 'updated'], 'an edit that a write finds came before it')
    rmSync(site.path('content/posts/a.md'))
    await store.reconcile()
    t.strictSame(deeds(await read()), [{ key: key('a'), removed: true, action: 'external' }])
  }
})

t.test('a write that an author saves over at once is told of, too', async (t) => {
  const { store, site, close } = await openFiles({ files: { 'content/posts/a.md': '# A\n' }, history: true, watch: true })
  t.teardown(close)
  const read = await reader(store)
  const { renameSync } = fs
  replaceIn(t, fs, {
    renameSync: (from: string, to: string) => {
      renameSync(from, to)
      if (to === site.path('content/posts/a.md')) writeFileSync(to, '# By hand\n')
    },
  })
  await store.write([put('a', 'Ours')], ada)
  t.same(words(await read()).sort(), ['external a undefined', 'updated a Ada'])
})

t.test('what a command did is told as it says in its commit, and an edit by hand with its author', async (t) => {
  const { store, site, close, types } = await openFiles({ history: true, watch: true, files: { 'content/posts/a.md': '# A\n' } })
  t.teardown(close)
  const read = await reader(store)
  const command = await FilesStore.open({ ...filesOptions(site, types, new TestClock()), git: GIT })
  await command.write([put('b', 'B')], bob, { request: 'r1' })
  await store.reconcile()
  const version = (await store.get(key('b')))?.version
  t.strictSame(deeds(await read()), [{ key: key('b'), removed: false, action: 'created', version, by: bob, request: 'r1' }])
  await command.write([put('b', 'C')], bob, { action: 'published' })
  await store.reconcile()
  t.same(words(await read()), ['published b Bob'])
  await command.write([{ key: key('c'), from: key('b'), put: {} }], ada)
  await store.reconcile()
  const moved = [...(await read())].sort(byKey)
  t.match(moved, [
    { key: key('b'), removed: true, action: 'moved', by: ada },
    { key: key('c'), removed: false, action: 'moved', by: ada, from: key('b') },
  ])
  await command.close()
  site.write('content/posts/a.md', '# By hand\n')
  git(site.root, ['commit', '-q', '-a', '-m', 'By hand', '--author', 'Carl <carl@example.org>'])
  await store.reconcile()
  t.match(await read(), [{ key: key('a'), action: 'external', by: { name: 'Carl', email: 'carl@example.org' } }])
  rmSync(site.path('content/posts/c.md'))
  await store.reconcile()
  t.strictSame(deeds(await read()), [{ key: key('c'), removed: true, action: 'external' }], 'what is in no commit is nobody’s')
  site.write('content/posts/b.md', '-'.repeat(3 * 1024 * 1024))
  await store.reconcile()
  t.strictSame(
    deeds(await read()),
    [{ key: key('b'), removed: false, action: 'external' }],
    'and it is not gone because it was once',
  )
})

t.test('what was done is known after a restart; a log of an earlier release says that something was', async (t) => {
  const site = makeSite({ 'content/posts/a.md': '# A\n' })
  t.teardown(() => site.remove())
  const options = { ...filesOptions(site, plainTypes(), new TestClock()), watch: true }
  const first = await FilesStore.open(options)
  const { next } = await first.changes(undefined, 0)
  await first.write([put('a', 'Early')], bob, { request: 'r0' })
  await first.write([put('a', 'One')], ada, { request: 'r1' })
  await first.write([put('a', 'Two')], ada)
  await first.write([{ key: key('z'), from: key('a'), put: {} }], ada, { request: 'r2' })
  await first.write([{ key: key('z'), remove: true }], ada)
  const { changes: before } = await first.changes(next, 100)
  t.equal(before.length, 6)
  await first.close()
  const second = await FilesStore.open(options)
  await second.write([put('b', 'One')], ada)
  await second.write([put('b', 'Two')], bob)
  const { changes: after } = await second.changes(next, 100)
  t.strictSame(after.slice(0, 6), before)
  t.same(words(after.slice(6)), ['created b Ada', 'updated b Bob'], 'and what was done before the log was read')
  await second.close()
  const path = site.path('.cms/changes.log')
  const old = readFileSync(path, 'utf8').replace(/^([+-](?:\t[^\t\n]*){4})[^\n]*$/gm, '$1')
  writeFileSync(path, old)
  const end = site.path('.cms/changes.log.end')
  const stated = readFileSync(end, 'utf8').replace(
    /(\S+) +\d+/,
    (_, state: string) => `${state} ${String(old.length).padStart(62 - state.length)}`,
  )
  writeFileSync(end, stated)
  const third = await FilesStore.open(options)
  t.teardown(() => third.close())
  const { changes, reset } = await third.changes(next, 100)
  t.notOk(reset)
  t.same(
    changes.map((change) => [change.key, change.removed, change.action, change.by]),
    after.map(({ key, removed }) => [key, removed, 'external', undefined]),
  )
})
