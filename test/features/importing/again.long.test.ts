import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import t from 'tap'
import { keyOf, MEDIA } from '#core/key.ts'
import { Fetching } from '#features/importing/fetching.ts'
import { openAt, repository } from '#support/by-hand.ts'
import { TestClock } from '#support/clock.ts'
import { exportOf, importInto, PIXEL } from '#support/importing.ts'
import { MemoryBlobs } from '#support/memory-blobs.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const ADA = { name: 'Ada', email: 'ada@example.org' }
const EXPORT = {
  'hugo.toml': 'title = "Old"\n',
  'content/posts/gone.md': 'Gone ![Cat](/cat.png).\n',
  'content/posts/moved.md': 'Moved.\n',
  'content/posts/stays.md': 'Stays ![Cat](/cat.png) ![Dog](https://pictures.example.org/dog.png).\n',
  'content/tags/old/_index.md': '---\ntitle: Old\n---\n',
  'static/cat.png': PIXEL,
}

t.test('what was removed or moved here since an import does not come back', async (t) => {
  const [before, after] = [EXPORT, { ...EXPORT, 'content/posts/gone.md': 'Gone, and another.\n' }].map((one) => exportOf(t, one))
  const fetching = new Fetching(async () => Readable.from([PIXEL]), 1024, new AbortController().signal)
  t.teardown(() => fetching.close())
  await eachStore(t, { history: true }, async (t, opened) => {
    const { store } = opened
    const import_ = (folder = '', dryRun = false) => importInto(opened, 'hugo', folder, { fetching, dryRun })
    t.match(await import_(before), { records: { posts: { created: 3 } }, media: { created: 2 } })
    const dog = keyOf(MEDIA, 'fetched~pictures.example.org~dog.png')
    const gone = [keyOf('posts', 'gone'), keyOf(MEDIA, 'cat.png'), keyOf('taxonomy/tags', 'old'), dog]
    await store.write(
      gone.map((key) => ({ key, remove: true })),
      ADA,
    )
    await store.write([{ key: keyOf('posts', 'elsewhere'), from: keyOf('posts', 'moved'), put: {} }], ADA)
    const { next } = await store.changes(undefined, 1000)
    for (const [folder, dryRun] of [
      [before, false],
      [after, true],
      [after, false],
    ] as const) {
      const report = await import_(folder, dryRun)
      t.match(report.records, { posts: { created: 0, updated: 0, same: 1, kept: 2 } })
      t.match(report.media, { created: 0, kept: 2 })
      t.match(report.documents, { 'taxonomy/tags': { created: 0, kept: 1 } })
      for (const name of ['cat.png', 'posts/gone.md', 'posts/moved.md', 'dog.png', 'tags/old/_index.md'])
        t.ok(
          report.kept.some((path) => path.endsWith(name)),
          `${name} is named`,
        )
    }
    t.equal((await store.changes(undefined, 1000)).next, next, 'nothing was written')
    for (const key of [...gone, keyOf('posts', 'moved')]) t.equal(await store.head(key), undefined)
  })
})

t.test('what nobody imported before comes, though there was something else in its place once', async (t) => {
  await eachStore(t, { history: true }, async (t, opened) => {
    const key = keyOf('posts', 'gone')
    await opened.store.write([{ key, put: { body: 'Mine.\n' } }], ADA)
    await opened.store.write([{ key, remove: true }], ADA)
    t.match(await importInto(opened, 'hugo', exportOf(t, EXPORT)), { records: { posts: { created: 3, kept: 0 } } })
  })
})

t.test('what was hidden by hand stays so, though nobody has committed that', async (t) => {
  const more = { ...EXPORT, 'content/posts/moved.md': 'Moved, and more.\n' }
  const site = repository(t)
  const importAll = async (files: typeof EXPORT) => {
    const store = await openAt(t, site.root)
    const clock = new TestClock()
    const blobs = new MemoryBlobs(clock)
    return importInto({ store, types: plainTypes(), blobs, clock }, 'hugo', exportOf(t, files))
  }
  await importAll(EXPORT)
  site.write('content/posts/moved.md', '---\nstatus: draft\n---\nMoved.\n')
  t.match(await importAll(more), { records: { posts: { updated: 0, kept: 1 } } })
  t.match(readFileSync(site.path('content/posts/moved.md'), 'utf8'), /status: draft/)
})
