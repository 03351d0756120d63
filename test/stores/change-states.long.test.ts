import { rmSync } from 'node:fs'
import t from 'tap'
import { readDetail } from '#core/feed/changed-state.ts'
import { keyOf } from '#core/key.ts'
import type { Change, Changed, Cursor, Store } from '#core/store.ts'
import { changeLine, LinesRead } from '#stores/files/following/change-lines.ts'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from '#support/clock.ts'
import { git, makeRepository } from '#support/git.ts'
import { makeSite } from '#support/sites.ts'
import { everyStore, filesOptions, GIT, openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const key = (id: string) => keyOf('posts', id)
const post = (title: string, words = '') => `---\ntitle: ${title}\n${words}---\nText.\n`
const put = (id: string, set: Record<string, string>, body?: string): Change => ({
  key: key(id),
  put: { set, ...(body !== undefined && { body }) },
})

/** A reader of what the feed says of states, from now on or from a cursor. */
async function reader(store: Store, cursor?: Cursor) {
  let next = cursor ?? (await store.changes(undefined, 0)).next
  return async (): Promise<readonly Changed[]> => {
    const feed = await store.changes(next, 1000)
    if (feed.reset) throw new Error('The cursor was reset.')
    next = feed.next
    return feed.changes
  }
}

const TIME = '2030-01-01T00:00:00.000Z'

t.test('a change carries the states before and after, what differs, where it was asked for and when', (t) =>
  everyStore(t, {}, async (t, { store, clock }) => {
    const read = await reader(store)
    const [a] = await store.write([put('a', { title: 'A', status: 'draft' })], ada, { source: 'panel' })
    const [created] = await read()
    t.match(created, { is: { version: a?.version, status: 'draft' }, source: 'panel', was: undefined, changed: undefined })
    t.ok(Math.abs((created?.at ?? 0) - clock.now()) < 60_000, 'the time it was made')
    const [b] = await store.write([put('a', { status: 'published', published_at: TIME, expires_at: TIME })], ada, {
      source: 'api',
    })
    const is = { version: b?.version, status: 'published', published_at: TIME, expires_at: TIME }
    const was = { version: a?.version, status: 'draft' }
    const [updated] = await read()
    t.strictSame([updated?.was, updated?.is, updated?.changed], [was, is, ['expires_at', 'published_at', 'status']])
    t.equal(updated?.source, 'api')
    await store.write([put('a', { title: 'B' }, 'New text.\n')], ada)
    const [both] = await read()
    t.strictSame([both?.changed, both?.source], [['title', 'body'], 'cli'])
    await store.write([put('a', {}, 'Other text.\n')], ada)
    t.strictSame((await read())[0]?.changed, ['body'])
    const [moved] = await store.write([{ key: key('b'), from: key('a'), put: {} }], ada)
    const [from, to] = [...(await read())].sort((one, other) => (one.key.id < other.key.id ? -1 : 1))
    t.match(from, { was: { status: 'published' }, is: undefined })
    t.match(to, { was: from?.was, is: { version: moved?.version, status: 'published' } }, 'what was moved was at its former key')
    await store.write([{ key: key('b'), remove: true }], ada)
    t.match(await read(), [{ was: { version: moved?.version, status: 'published', expires_at: TIME }, is: undefined }])
    await store.write([{ key: key('b'), put: { source: Buffer.from(post('Z', 'status: draft\n')) } }], ada, {
      action: 'restored',
    })
    t.match(await read(), [{ action: 'restored', was: undefined, is: { status: 'draft' } }])
    await store.write([{ key: key('b'), put: { source: Buffer.from(post('Y', 'status: published\n')) } }], ada, {
      action: 'rolled_back',
    })
    t.match(await read(), [{ was: { status: 'draft' }, is: { status: 'published' }, changed: ['status', 'title'] }])
  }),
)

t.test('writes that come together, and documents of one batch, each tell of their own step', (t) =>
  everyStore(t, {}, async (t, { store }) => {
    const read = await reader(store)
    const titles = ['One', 'Two', 'Three']
    const written = await Promise.all(titles.map((title) => store.write([put('a', { title })], ada)))
    const versions = written.map(([document]) => document?.version)
    t.same(
      (await read()).map(({ was, is }) => [was?.version, is?.version]),
      versions.map((version, nth) => [versions[nth - 1], version]),
    )
    await store.write([put('a', { status: 'draft' }), put('b', { title: 'B', status: 'draft' })], ada)
    t.match(
      [...(await read())].sort((one, other) => (one.key.id < other.key.id ? -1 : 1)),
      [
        { was: { version: versions[2] }, is: { status: 'draft' } },
        { was: undefined, is: { status: 'draft' } },
      ],
    )
    await store.write([{ key: keyOf('taxonomy/tags', 'news'), put: { set: { name: 'News' } } }], ada)
    await store.write([{ key: keyOf('taxonomy/tags', 'news'), put: { set: { name: 'Newest' } } }], ada)
    t.same(
      (await read()).map(({ changed }) => changed),
      [undefined, ['name']],
    )
  }),
)

t.test('an edit by hand says what was there and what differs, and nothing of who', async (t) => {
  for (const history of [false, true]) {
    const files = { 'content/posts/a.md': post('A', 'status: draft\n') }
    const { store, site, clock, close } = await openFiles({ files, history, watch: true })
    t.teardown(close)
    const read = await reader(store)
    const before = await store.get(key('a'))
    site.write('content/posts/a.md', post('A', 'status: published\n'))
    await store.reconcile()
    const after = await store.get(key('a'))
    t.match(await read(), [
      {
        was: { version: before?.version, status: 'draft' },
        is: { version: after?.version, status: 'published' },
        changed: ['status'],
        source: undefined,
        at: clock.now(),
      },
    ])
    site.write('content/posts/a.md', post('A', 'status: published\n').replace('Text', 'Words'))
    await store.reconcile()
    t.match(await read(), [{ changed: ['body'] }])
    rmSync(site.path('content/posts/a.md'))
    await store.reconcile()
    t.match(await read(), [{ removed: true, was: { status: 'published' }, is: undefined, changed: undefined }])
  }
})

t.test('a checkout and a command say it, too', async (t) => {
  const { store, site, types, close } = await openFiles({
    files: { 'content/posts/a.md': post('A') },
    history: true,
    watch: true,
  })
  t.teardown(close)
  const read = await reader(store)
  const command = await FilesStore.open({ ...filesOptions(site, types, new TestClock()), git: GIT })
  await command.write([put('a', { status: 'draft' })], ada, { action: 'unpublished' })
  await store.reconcile()
  const [change] = await read()
  t.match(change, { action: 'unpublished', source: 'cli', by: ada, is: { status: 'draft' }, changed: ['status'] })
  t.ok(change?.was)
  git(site.root, ['checkout', '-q', 'HEAD~1', '--', '.'])
  await store.reconcile()
  t.match(await read(), [{ was: { status: 'draft' }, is: { version: change?.was?.version }, changed: ['status'] }])
  await command.close()
})

t.test('states outlast a restart, and tell of edits made while nothing ran', async (t) => {
  for (const history of [false, true]) {
    const site = makeSite({
      'content/posts/a.md': post('A', 'status: draft\n'),
      'content/posts/b.md': post('B', 'status: draft\n'),
    })
    t.teardown(() => site.remove())
    if (history) makeRepository(site)
    const open = () =>
      FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), watch: true, ...(history && { git: GIT }) })
    const store = await open()
    const { next } = await store.changes(undefined, 0)
    await store.write([put('a', { status: 'published' })], ada, { source: 'api' })
    const told = (await store.changes(next, 10)).changes
    await store.close()
    site.write('content/posts/a.md', post('A', 'status: archived\n'))
    site.write('content/posts/b.md', post('B', 'status: published\n'))
    const again = await open()
    const [first, ...rest] = await (await reader(again, next))()
    t.strictSame([first], told, 'a change is told as before')
    t.match(
      [...rest].sort((one, other) => (one.key.id < other.key.id ? -1 : 1)),
      [
        { was: { status: 'published' }, is: { status: 'archived' } },
        { was: { status: 'draft' }, is: { status: 'published' } },
      ],
    )
    await again.close()
  }
})

t.test('lines of earlier releases are read, and lines of this one hold any text', (t) => {
  const version = 'a'.repeat(40)
  const lines = new LinesRead(0)
  const all = [`=\tmd:${version}\tposts/old`, '.', 'r\tone\t0', `+\tone\t0\tmd:${version}\tposts/old\tupdated\tAda <a@b>`]
  for (const line of all) t.ok(lines.take(line), line)
  t.strictSame(lines.all?.changes, [
    { key: key('old'), removed: false, action: 'updated', version, by: { name: 'Ada', email: 'a@b' } },
  ])
  const change: Changed = {
    key: key('new'),
    removed: false,
    action: 'external',
    version,
    is: { version, status: 'a\tb\n\u2028' },
    changed: ['x\ty'],
    at: 5,
  }
  t.ok(lines.take(changeLine({ change, text: 'posts/new', number: 1, run: 'one', fact: `md:${version}` }).slice(0, -1)))
  t.strictSame(lines.all?.changes[1], change)
  t.strictSame(lines.all?.told.get('posts/new')?.is, change.is)
  for (const text of [null, '', '[', '1', 'null']) t.same(readDetail(text), {})
  t.end()
})
