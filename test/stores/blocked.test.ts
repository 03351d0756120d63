import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { keyText } from '#core/key.ts'
import { FileLock } from '#stores/files/disk/lock.ts'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from '#support/clock.ts'
import { longTest } from '#support/long.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILES = 2_000
const CHANGES = 20_000

/** Changes files so many times without a turn for anyone else: more than the system keeps for a watcher. */
function changeMany(site: TestSite): void {
  for (let n = 0; n < CHANGES; n++) {
    const path = fileOf(site, (n * 7) % FILES)
    if (n % 11 === 0) rmSync(path, { force: true })
    else if (n % 13 === 0) writeFileSync(site.path(`content/posts/new-${n}.md`), `# New ${n}`)
    else if (n % 17 === 0) renameInto(site, path, n)
    else writeFileSync(path, `# ${n}`)
  }
}

function fileOf(site: TestSite, n: number): string {
  return site.path(`content/posts/${n % 50}/post-${n}.md`)
}

function renameInto(site: TestSite, path: string, n: number): void {
  mkdirSync(site.path(`content/posts/later-${n % 100}`), { recursive: true })
  writeFileSync(path, `# Moved ${n}`)
  renameSync(path, site.path(`content/posts/later-${n % 100}/post-${n}.md`))
}

/** Returns the content of a store: the version of each record. */
async function held(store: FilesStore): Promise<Map<string, string>> {
  const { items } = await store.heads('posts', {})
  return new Map(items.map((head) => [keyText(head.key), head.version]))
}

longTest('a process that was held up while 20,000 changes were made misses none', async (t) => {
  const site = makeSite()
  t.teardown(() => site.remove())
  for (let n = 0; n < FILES; n++) site.write(`content/posts/${n % 50}/post-${n}.md`, `# ${n}`)
  const options = filesOptions(site, plainTypes(), new TestClock())
  const store = await FilesStore.open({ ...options, watch: true })
  t.teardown(() => store.close())
  const before = await held(store)
  const { next } = await store.changes(undefined, 1)
  changeMany(site)
  await store.reconcile()
  const fresh = await FilesStore.open(options)
  const truth = await held(fresh)
  await fresh.close()
  t.same(await held(store), truth, 'it holds what is there')
  const { changes, reset } = await store.changes(next, CHANGES * 2)
  t.notOk(reset)
  const told = new Set(changes.map(({ key }) => keyText(key)))
  const differing = [...new Set([...before.keys(), ...truth.keys()])].filter((key) => before.get(key) !== truth.get(key))
  t.ok(differing.length > FILES)
  t.same(
    differing.filter((key) => !told.has(key)),
    [],
    'who follows its feed is told of each record that differs',
  )
})

t.test('a lock that was away with its folder while it was given back is taken again', async (t) => {
  const site = makeSite({ '.cms/x': '' })
  t.teardown(() => site.remove())
  const locks = [1, 2].map(() => new FileLock(site.path('.cms/write.lock'), { patience: 300 }))
  const [one, other] = locks as [FileLock, FileLock]
  symlinkSync(site.root, `${site.root}-too`)
  t.teardown(() => rmSync(`${site.root}-too`))
  const release = await one.acquire()
  await t.rejects(other.acquire(), { message: /is being written to/ })
  t.equal(new FileLock(`${site.root}-too/.cms/write.lock`).state(), 'held', 'by another path, too')
  renameSync(site.path('.cms'), site.path('away'))
  release()
  renameSync(site.path('away'), site.path('.cms'))
  t.equal(one.state(), 'left')
  const again = await other.acquire()
  t.equal(one.state(), 'held')
  again()
  t.equal(one.state(), 'free')
})
