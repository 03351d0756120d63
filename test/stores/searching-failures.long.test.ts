import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import type { SearchQuery } from '#core/queries/search.ts'
import type { Change } from '#core/store.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { queryOf } from '#fulltext/query.ts'
import { buildSegment, type Draft } from '#fulltext/segments/build.ts'
import { Unavailable } from '#lib/errors.ts'
import { Follower } from '#stores/files/searching/follower.ts'
import type { IndexWorker } from '#stores/files/searching/index-worker.ts'
import { FilesSearch } from '#stores/files/searching/search.ts'
import { SegmentIndex } from '#stores/files/searching/segment-index.ts'
import { Thread } from '#stores/files/searching/thread.ts'
import { TestClock } from '#support/clock.ts'
import { MemoryStore } from '#support/model.ts'
import { plainTypes } from '#support/types.ts'
import { fixture, plainEnvironment } from './wreckage.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const english = new Analyser('en')

function memory() {
  const [clock, types] = [new TestClock(), plainTypes()]
  return { clock, types, store: new MemoryStore({ types, clock }) }
}

function ask(text: string): SearchQuery {
  const readable = new Map([['posts', 'all' as const]])
  return { clauses: queryOf(`${text} `, english), readable, offset: 0, limit: undefined }
}

function put(id: string, body: string): Change {
  return { key: keyOf('posts', id), put: { set: { title: id, slug: id, status: 'published' }, body } }
}

/** Has the nth call of a method from now on fail, once. */
function failing<N extends 'get' | 'changes'>(store: MemoryStore, name: N, nth: number): void {
  const method = store[name].bind(store) as (...args: unknown[]) => unknown
  let left = nth
  Object.assign(store, {
    [name]: async (...args: unknown[]) => {
      if (--left === 0) throw new Error('The disk is away.')
      return method(...args)
    },
  })
}

t.test('what was under way when the reading of others failed never takes the place of what is newer', async (t) => {
  const { store, types } = memory()
  const gates: (() => void)[] = []
  const build = async (drafts: readonly Draft[]) => {
    if (gates.length === 0) await new Promise<void>((resolve) => gates.push(resolve))
    return buildSegment(drafts, english)
  }
  const index = new SegmentIndex({ build, rest: () => undefined } as unknown as IndexWorker, types)
  const follower = new Follower(store, types, index)
  const long = 'lamp '.repeat(44_000)
  await store.write([...['a', 'b', 'c', 'd', 'e'].map((id) => put(id, long)), put('f', 'river')], ada)
  failing(store, 'get', 6)
  await t.rejects(follower.runs.run(), /away/)
  t.equal(gates.length, 1, 'the first is still being read')
  const [newer] = await store.write([put('a', 'amber')], ada)
  const following = follower.runs.run()
  for (let turn = 0; turn < 50; turn++) await setImmediate()
  for (const open of gates) open()
  await following
  for (let turn = 0; turn < 50; turn++) await setImmediate()
  t.equal(index.segments.factsOf('posts/a')?.version, newer?.version)
  t.equal(index.segments.size, 6)
})

t.test('changes are followed one time after another, whoever waits for them', async (t) => {
  const { store, types, clock } = memory()
  const changes = store.changes.bind(store)
  let now = 0
  let most = 0
  store.changes = async (cursor, limit) => {
    most = Math.max(most, ++now)
    await setImmediate()
    now--
    return changes(cursor, limit)
  }
  const search = new FilesSearch({ store, types, clock, locale: 'en' })
  t.teardown(() => search.close())
  await search.ready()
  for (let n = 0; n < 20; n++) {
    await store.write([put(`p${n}`, 'amber')], ada)
    const [one, other] = [search.ready(), search.ready()]
    const write = () => store.write([put(`p${n}`, 'river')], ada).then(() => search.find(ask('river')))
    await Promise.all([one.then(write), one.then(() => search.ready()), one.then(() => search.find(ask('amber'))), other])
  }
  t.equal(most, 1)
})

t.test('after a failure at the start, what was kept does not take the place of what was read since', async (t) => {
  const folder = join(t.testdir({ search: {} }), 'search')
  const { store, types, clock } = memory()
  const open = () => new FilesSearch({ store, types, clock, locale: 'en', cache: { folder, fingerprint: 'one' } })
  await store.write([put('a', 'lamp')], ada)
  const first = open()
  await first.ready()
  await first.find(ask('lamp'))
  await first.close()
  t.equal(readdirSync(folder).filter((name) => name.endsWith('.segment')).length, 1)
  await store.write([put('a', 'amber')], ada)
  failing(store, 'changes', 2)
  const second = open()
  t.teardown(() => second.close())
  await t.rejects(second.begin(), /away/)
  await second.ready()
  t.equal((await second.find(ask('amber'))).total, 1)
  t.equal((await second.find(ask('lamp'))).total, 0)
})

t.test('what can not be followed now keeps nothing from being found that was before', async (t) => {
  const { store, types, clock } = memory()
  const search = new FilesSearch({ store, types, clock, locale: 'en' })
  t.teardown(() => search.close())
  await store.write([put('a', 'lamp')], ada)
  await search.ready()
  await store.write([put('b', 'lamp')], ada)
  failing(store, 'changes', 1)
  t.equal((await search.find(ask('lamp'))).total, 1)
  t.equal((await search.find(ask('lamp'))).total, 2, 'and it is tried again')
})

t.test('a document that no index can be made of is not found, and keeps no other from being found', async (t) => {
  const { store, types } = memory()
  let bad: string | undefined
  const build = async (drafts: readonly Draft[]) => {
    if (drafts.some(({ facts }) => facts.key === bad)) throw new Error('It has no end.')
    return buildSegment(drafts, english)
  }
  const index = new SegmentIndex({ build, rest: () => undefined } as unknown as IndexWorker, types)
  const follower = new Follower(store, types, index)
  const ids = Array.from({ length: 9 }, (_, n) => `p${n}`)
  await store.write(
    ids.map((id) => put(id, 'lamp')),
    ada,
  )
  await follower.runs.run()
  await store.write(
    ids.map((id) => put(id, 'river')),
    ada,
  )
  bad = 'posts/p3'
  await follower.runs.run()
  t.strictSame(
    [...index.segments.keys()].sort(),
    ids.map((id) => `posts/${id}`).filter((key) => key !== bad),
  )
})

t.test('where the thread ends, nothing that was found is lost, and what was to be read is read by the next', async (t) => {
  const { store, types } = memory()
  let isAway = false
  const build = async (drafts: readonly Draft[]) => {
    if (isAway) throw new Unavailable('The search index can’t be made now.')
    return buildSegment(drafts, english)
  }
  const index = new SegmentIndex({ build, rest: () => undefined } as unknown as IndexWorker, types)
  const follower = new Follower(store, types, index)
  const [before] = await store.write([put('a', 'lamp'), put('b', 'lamp')], ada)
  await follower.runs.run()
  const [after] = await store.write([put('a', 'river')], ada)
  isAway = true
  await t.rejects(follower.runs.run(), /made now/)
  t.equal(index.segments.factsOf('posts/a')?.version, before?.version)
  isAway = false
  await follower.runs.run()
  t.equal(index.segments.factsOf('posts/a')?.version, after?.version)
})

t.test('a thread that ends while it works says so, and another goes on', async (t) => {
  const thread = new Thread('en')
  t.teardown(() => thread.close())
  const facts = { key: 'posts/a', version: '0'.repeat(40), kind: 'posts', status: 'published', begins: 0, ends: 1 }
  const drafts = [{ facts, text: { title: 'Lamp', tags: [], body: ['amber'] } }]
  const asked = thread.build(drafts)
  const ended = t.rejects(asked, /made now/)
  await thread.close()
  await ended
  t.equal((await thread.build(drafts)).size, 1)
})

t.test('a thread that is closed as its answer comes keeps the process running until it has ended', async (t) => {
  const [command = '', ...words] = fixture('closing')
  const { status, stderr } = spawnSync(command, words, { env: plainEnvironment(), encoding: 'utf8' })
  t.strictSame([status, stderr], [3, ''])
})

t.test('a segment that another process took away is kept anew', async (t) => {
  const folder = join(t.testdir({ search: {} }), 'search')
  const { store, types, clock } = memory()
  const open = () => new FilesSearch({ store, types, clock, locale: 'en', cache: { folder, fingerprint: 'one' } })
  const run = async (change: Change, meanwhile = () => {}) => {
    const search = open()
    await search.ready()
    await store.write([change], ada)
    meanwhile()
    await search.ready()
    await search.close()
  }
  await run(put('a', 'lamp'))
  await run(put('b', 'lamp'), () => {
    for (const name of readdirSync(folder)) if (name.endsWith('.segment')) rmSync(join(folder, name))
  })
  let reads = 0
  const get = store.get.bind(store)
  store.get = async (key) => {
    reads++
    return get(key)
  }
  const third = open()
  t.teardown(() => third.close())
  await third.ready()
  t.equal((await third.find(ask('lamp'))).total, 2)
  t.equal(reads, 0, 'all of it was kept')
})
