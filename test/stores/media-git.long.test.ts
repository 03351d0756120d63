import { createHash, randomBytes } from 'node:crypto'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { systemClock } from '#lib/clock.ts'
import { Conflict, Unavailable } from '#lib/errors.ts'
import { FilesBlobs } from '#stores/files/blobs/blobs.ts'
import type { WriteStep } from '#stores/files/committing/git.ts'
import type { GitSettings } from '#stores/files/committing/settings.ts'
import { FilesStore } from '#stores/files/store.ts'
import { blobOf, git, isSound, makeRepository, statusOf } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { BESIDE_MOST, filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { crash, litterOf } from './wreckage.ts'

const ADA = { name: 'Ada', email: 'ada@example.org' }
const key = (id: string) => keyOf('media', id)
/** Bytes that any conversion would change. */
const OLD = Buffer.from('old, with $Id$\r\nand lines\nof both kinds\r\n')
const NEW = Buffer.from('new, with $Id$\nand lines\r\nof both kinds\n')
const LARGE = randomBytes(BESIDE_MOST + 1)
const checksumOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

async function given(site: TestSite, id: string, bytes: Buffer): Promise<Change> {
  const content = (async function* () {
    yield bytes
  })()
  const blob = await new FilesBlobs(site.path('.cms/media'), systemClock).put(content, bytes.length)
  return { key: key(id), put: { set: { checksum: checksumOf(bytes) }, bytes: blob } }
}

async function opened<T>(site: TestSite, work: (store: FilesStore) => Promise<T>, settings: GitSettings = GIT): Promise<T> {
  const blobs = new FilesBlobs(site.path('.cms/media'), systemClock)
  const besideBytes = { most: BESIDE_MOST, bytesOf: blobs.bytesOf.bind(blobs) }
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), systemClock), git: settings, besideBytes })
  return work(store).finally(() => store.close())
}

function repository(t: Test, files: Readonly<Record<string, string | Buffer>> = {}): TestSite {
  const site = makeSite(files)
  t.teardown(site.remove)
  makeRepository(site)
  return site
}

/** The files that a commit changed, with what it did to them: `A content/media/a.jpg`. */
function changedIn(site: TestSite, commit: string): string[] {
  const lines = git(site.root, ['show', '--no-renames', '--name-status', '--format=', commit]).split('\n')
  return lines.map((line) => line.replace('\t', ' ')).sort()
}

const commits = (site: TestSite) => Number(git(site.root, ['rev-list', '--count', 'HEAD']))

t.test('bytes and sidecar are one commit', async (t) => {
  const site = repository(t, { 'content/posts/a.md': '# A\n' })
  await opened(site, async (store) => {
    await store.write([await given(site, '2026~a.csv', OLD)], ADA)
    t.same(changedIn(site, 'HEAD'), ['A content/media/2026/a.csv', 'A content/media/2026/a.csv.yaml'])
    t.equal(git(site.root, ['log', '-1', '--format=%an: %s']), 'Ada: Create media/2026~a.csv')
    t.same(blobOf(site, 'HEAD:content/media/2026/a.csv'), OLD)
    await store.write([await given(site, '2026~a.csv', OLD)], ADA)
    t.equal(commits(site), 2, 'the same again is no commit')
    await store.write([await given(site, '2026~a.csv', NEW)], ADA)
    t.same(changedIn(site, 'HEAD'), ['M content/media/2026/a.csv', 'M content/media/2026/a.csv.yaml'])
    await store.write([{ key: key('b.csv'), from: key('2026~a.csv'), put: {} }], ADA)
    const moved = ['A content/media/b.csv', 'A content/media/b.csv.yaml', 'D content/media/2026/a.csv']
    t.same(changedIn(site, 'HEAD'), [...moved, 'D content/media/2026/a.csv.yaml'])
    t.same(blobOf(site, 'HEAD:content/media/b.csv'), NEW)
    await store.write([await given(site, 'b.csv', LARGE)], ADA)
    t.same(changedIn(site, 'HEAD'), ['D content/media/b.csv', 'M content/media/b.csv.yaml'], 'what is large is not in git')
    await store.write([await given(site, 'b.csv', OLD)], ADA)
    t.same(changedIn(site, 'HEAD'), ['A content/media/b.csv', 'M content/media/b.csv.yaml'])
    await store.write([{ key: key('b.csv'), remove: true }], ADA)
    t.same(changedIn(site, 'HEAD'), ['D content/media/b.csv', 'D content/media/b.csv.yaml'])
    t.equal(commits(site), 7)
  })
  t.same(statusOf(site), [])
  t.same(litterOf(site), [])
  t.ok(isSound(site))
})

t.test('bytes of any number go through git, and no memory', async (t) => {
  const site = repository(t)
  const blobs = new FilesBlobs(site.path('.cms/media'), systemClock)
  const besideBytes = { most: 2 ** 30, bytesOf: blobs.bytesOf.bind(blobs) }
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), systemClock), git: GIT, besideBytes })
  t.teardown(() => store.close())
  const bytes = [randomBytes(3_000_000), randomBytes(256 * 1024), randomBytes(1_000_001), Buffer.of()]
  await Promise.all(bytes.map(async (one, n) => store.write([await given(site, `${n}.bin`, one)], ADA)))
  for (const [n, one] of bytes.entries()) {
    t.ok(blobOf(site, `HEAD:content/media/${n}.bin`).equals(one))
    t.ok(readFileSync(site.path(`content/media/${n}.bin`)).equals(one))
  }
  const gone = await given(site, 'gone.bin', randomBytes(2_000_000))
  const source = 'put' in gone ? await blobs.bytesOf(gone.put.bytes ?? { ref: '', size: 0 }) : undefined
  const { bytesOf } = besideBytes
  besideBytes.bytesOf = async (blob) => bytesOf(blob).finally(() => rmSync(source?.real ?? ''))
  await t.rejects(store.write([gone], ADA), new Unavailable('A file was removed meanwhile, so nothing was saved.', 1))
  besideBytes.bytesOf = bytesOf
  await t.rejects(store.write([gone], ADA), /not kept long enough/)
  await store.write([await given(site, 'gone.bin', NEW)], ADA)
  t.same(blobOf(site, 'HEAD:content/media/gone.bin'), NEW)
  t.equal(commits(site), 6)
  t.same(litterOf(site), [])
  t.ok(isSound(site))
})

t.test('where the bytes alone differ they are put, and the document is as it was', async (t) => {
  const site = repository(t, { 'content/media/a.csv': OLD, 'content/media/a.csv.yaml': `checksum: "${checksumOf(NEW)}"\n` })
  await opened(site, async (store) => {
    const before = await store.get(key('a.csv'))
    const [after] = await store.write([await given(site, 'a.csv', NEW)], ADA)
    t.equal(after?.version, before?.version)
    t.same(changedIn(site, 'HEAD'), ['M content/media/a.csv'])
    t.equal(git(site.root, ['log', '-1', '--format=%s']), 'Update media/a.csv')
    t.equal((await store.history(key('a.csv'), {}))?.total, 1, 'no revision')
  })
})

t.test('a file without a sidecar', async (t) => {
  const site = repository(t, { 'content/media/a.csv': OLD, 'content/media/b.csv': OLD, 'content/media/c.csv': OLD })
  await opened(site, async (store) => {
    await store.write([{ key: key('a.csv'), put: { set: { alt: 'A' } } }], ADA)
    t.same(changedIn(site, 'HEAD'), ['A content/media/a.csv.yaml'], 'stays when it gets one')
    t.same(readFileSync(site.path('content/media/a.csv')), OLD)
    const isNew = { ...(await given(site, 'b.csv', NEW)), expects: 'absent' } as Change
    await t.rejects(store.write([isNew], ADA), new Conflict('"b.csv" is there already.'))
    await t.rejects(
      store.write([{ key: key('b.csv'), from: key('a.csv'), put: {} }], ADA),
      new Conflict('"content/media/b.csv" is in the way.'),
    )
    t.same(readFileSync(site.path('content/media/b.csv')), OLD)
    await store.write([await given(site, 'b.csv', NEW)], ADA)
    t.same(changedIn(site, 'HEAD'), ['A content/media/b.csv.yaml', 'M content/media/b.csv'])
    site.write('content/media/d.csv/e', 'a folder is in the way')
    await t.rejects(store.write([await given(site, 'd.csv', NEW)], ADA), new Conflict('"content/media/d.csv" is in the way.'))
  })
})

t.test('bytes are never converted', async (t) => {
  const attributes = '*.csv text ident filter=upper\n*.jpg text=auto eol=crlf working-tree-encoding=UTF-16\n'
  const site = repository(t, { 'content/posts/a.md': '# A\n', 'content/media/.gitattributes': attributes })
  git(site.root, ['config', 'core.autocrlf', 'true'])
  git(site.root, ['config', 'filter.upper.clean', 'tr a-z A-Z'])
  git(site.root, ['config', 'filter.upper.smudge', 'tr A-Z a-z'])
  const same = async (store: FilesStore, id: string, bytes: Buffer) => {
    await store.write([await given(site, id, bytes)], ADA)
    t.same(readFileSync(site.path(`content/media/${id}`)), bytes)
    t.same(blobOf(site, `HEAD:content/media/${id}`), bytes)
  }
  await opened(site, async (store) => {
    await same(store, 'a.csv', OLD)
    await same(store, 'a.csv', NEW)
    await same(store, 'a.jpg', NEW)
  })
  const writes = [[await given(site, 'b.csv', OLD)], [await given(site, 'a.csv', OLD)]]
  crash(site, { at: 'files', writes })
  await opened(site, async () => {
    for (const file of ['a.csv', 'b.csv']) t.same(readFileSync(site.path(`content/media/${file}`)), OLD, 'after a crash, too')
  })
  t.ok(isSound(site))
})

t.test("an author's edit of the bytes that is in no commit", async (t) => {
  const files = { 'content/media/a.csv': OLD, 'content/media/a.csv.yaml': 'alt: A\n' }
  const mine = Buffer.from('mine')
  await t.test('is committed first', async (t) => {
    const site = repository(t, files)
    site.write('content/media/a.csv', mine)
    site.write('content/media/new.csv', mine)
    site.write('content/media/new.csv.yaml', 'alt: New\n')
    await opened(site, async (store) => {
      await store.write([await given(site, 'a.csv', NEW)], ADA)
      t.same(blobOf(site, 'HEAD~1:content/media/a.csv'), mine)
      t.equal(git(site.root, ['log', '-1', '--format=%s', 'HEAD~1']), 'Keep local edit of content/media/a.csv')
      t.same(blobOf(site, 'HEAD:content/media/a.csv'), NEW)
      await store.write([{ key: key('new.csv'), remove: true }], ADA)
      t.same(blobOf(site, 'HEAD~1:content/media/new.csv'), mine, 'what git did not know of, too')
    })
    t.same(statusOf(site), [])
  })
  await t.test('is left alone where it is to be', async (t) => {
    const site = repository(t, files)
    site.write('content/media/a.csv', mine)
    const refused = async (store: FilesStore, change: Change) =>
      t.rejects(store.write([change], ADA), /"content\/media\/a.csv" was edited in the folder and not committed/)
    const settings = { ...GIT, local_edits: 'refuse' } as const
    const work = async (store: FilesStore) => {
      await refused(store, await given(site, 'a.csv', NEW))
      await refused(store, { key: key('a.csv'), remove: true })
      await refused(store, { key: key('b.csv'), from: key('a.csv'), put: {} })
      await store.write([{ key: key('a.csv'), put: { set: { alt: 'B' } } }], ADA)
    }
    await opened(site, work, settings)
    t.same(readFileSync(site.path('content/media/a.csv')), mine)
    t.same(statusOf(site), [' M content/media/a.csv'])
  })
  await t.test('is not lost where another is staged', async (t) => {
    const site = repository(t, files)
    site.write('content/media/a.csv', mine)
    git(site.root, ['add', 'content/media/a.csv'])
    site.write('content/media/a.csv', 'mine, edited further')
    await opened(site, async (store) => {
      await t.rejects(store.write([await given(site, 'a.csv', NEW)], ADA), /was staged and then edited further/)
    })
    t.same(statusOf(site), ['MM content/media/a.csv'])
  })
})

const BEFORE: readonly WriteStep[] = ['check', 'make', 'journal', 'lock', 'move']
const AFTER: readonly WriteStep[] = ['files', 'index', 'settle', 'done']
const FILES = Object.fromEntries(
  ['changed', 'removed', 'moved', 'grown'].flatMap((name) => [
    [`content/media/${name}.csv`, OLD],
    [`content/media/${name}.csv.yaml`, `checksum: ${checksumOf(OLD)}\n`],
  ]),
)
/** The bytes of each document before and after the writes; those of a blob are not beside it. */
const THEN = { changed: OLD, removed: OLD, moved: OLD, grown: OLD }
const NOW = { new: NEW, changed: NEW, 'there/moved': OLD, grown: undefined }

t.test('a process killed in the middle of a write leaves all of it or none', async (t) => {
  const before = repository(t, FILES)
  const writes = [
    [await given(before, 'new.csv', NEW)],
    [await given(before, 'changed.csv', NEW)],
    [{ key: key('removed.csv'), remove: true }] as const,
    [{ key: key('there~moved.csv'), from: key('moved.csv'), put: {} }],
    [await given(before, 'grown.csv', LARGE)],
  ]
  for (const at of [...BEFORE, ...AFTER]) {
    const site = makeSite()
    t.teardown(site.remove)
    cpSync(before.root, site.root, { recursive: true })
    crash(site, { at, writes })
    const expected: Readonly<Record<string, Buffer | undefined>> = AFTER.includes(at) ? NOW : THEN
    await opened(site, async (store) => {
      const { items } = await store.heads('media', {})
      t.same(items.map(({ key: { id } }) => id.replace('~', '/').replace('.csv', '')).sort(), Object.keys(expected).sort(), at)
      for (const [name, bytes] of Object.entries(expected)) {
        const path = `content/media/${name}.csv`
        t.same(existsSync(site.path(path)) ? readFileSync(site.path(path)) : undefined, bytes, `${at}: ${name}`)
      }
      const names = git(site.root, ['ls-tree', '-r', '--name-only', 'HEAD', 'content/media']).split('\n')
      const beside = Object.entries(expected).flatMap(([name, bytes]) => (bytes ? [`content/media/${name}.csv`] : []))
      t.same(names, [...beside, ...Object.keys(expected).map((name) => `content/media/${name}.csv.yaml`)].sort(), at)
      t.same(statusOf(site), [], at)
      t.same(litterOf(site), [], at)
      await store.write([await given(site, 'next.csv', NEW)], ADA)
      t.same(blobOf(site, 'HEAD:content/media/next.csv'), NEW)
    })
    t.ok(isSound(site))
    rmSync(site.root, { recursive: true })
  }
})

t.test('a record that moves has its files at the old place or at the new one, wherever the process dies', async (t) => {
  const before = repository(t, { 'content/posts/trip/index.md': '# Trip\n', 'content/posts/trip/cat.jpg': OLD })
  before.write('content/posts/trip/pics/new.jpg', NEW)
  const writes = [[{ key: keyOf('posts', 'journey'), from: keyOf('posts', 'trip'), put: {} }]]
  for (const at of [...BEFORE, ...AFTER]) {
    const site = makeSite()
    t.teardown(site.remove)
    cpSync(before.root, site.root, { recursive: true })
    crash(site, { at, writes })
    const [is, was] = AFTER.includes(at) ? ['journey', 'trip'] : ['trip', 'journey']
    await opened(site, async (store) => {
      t.same(
        (await store.heads('posts', {})).items.map(({ key: { id } }) => id),
        [is],
        at,
      )
      t.same(readFileSync(site.path(`content/posts/${is}/cat.jpg`)), OLD, at)
      t.same(readFileSync(site.path(`content/posts/${is}/pics/new.jpg`)), NEW, at)
      for (const name of ['index.md', 'cat.jpg', 'pics/new.jpg'])
        t.notOk(existsSync(site.path(`content/posts/${was}/${name}`)), at)
      t.same(litterOf(site), [], at)
    })
    t.ok(isSound(site))
    rmSync(site.root, { recursive: true })
  }
})

t.test('a record that is removed has its files with it or is there whole, wherever the process dies', async (t) => {
  const before = repository(t, { 'content/posts/trip/index.md': '# Trip\n', 'content/posts/trip/cat.jpg': OLD })
  before.write('content/posts/trip/pics/new.jpg', NEW)
  const writes = [[{ key: keyOf('posts', 'trip'), remove: true as const }]]
  for (const at of [...BEFORE, ...AFTER]) {
    const site = makeSite()
    t.teardown(site.remove)
    cpSync(before.root, site.root, { recursive: true })
    crash(site, { at, writes })
    const isThere = BEFORE.includes(at)
    await opened(site, async (store) => {
      t.equal((await store.heads('posts', {})).items.length, isThere ? 1 : 0, at)
      for (const name of ['index.md', 'cat.jpg', 'pics/new.jpg'])
        t.equal(existsSync(site.path(`content/posts/trip/${name}`)), isThere, `${at}: ${name}`)
      t.same(litterOf(site), [], at)
    })
    t.same(statusOf(site), isThere ? ['?? content/posts/trip/pics/'] : [], at)
    if (!isThere) t.same(blobOf(site, 'HEAD~1:content/posts/trip/pics/new.jpg'), NEW, 'kept in the history')
    t.ok(isSound(site))
    rmSync(site.root, { recursive: true })
  }
})

t.test('a record one of whose files was edited stays where edits are to be left alone', async (t) => {
  const site = repository(t, { 'content/posts/trip/index.md': '# Trip\n', 'content/posts/trip/cat.jpg': OLD })
  site.write('content/posts/trip/new.jpg', NEW)
  const work = (store: FilesStore) =>
    t.rejects(
      store.write([{ key: keyOf('posts', 'trip'), remove: true }], ADA),
      /"content\/posts\/trip\/new.jpg" was edited in the folder and not committed/,
    )
  await opened(site, work, { ...GIT, local_edits: 'refuse' })
  for (const name of ['index.md', 'cat.jpg', 'new.jpg']) t.ok(existsSync(site.path(`content/posts/trip/${name}`)))
})

t.test('a record that comes back has its files or is not there, wherever the process dies', async (t) => {
  const before = repository(t, { 'content/posts/trip/index.md': '# Trip\n', 'content/posts/trip/cat.csv': OLD })
  await opened(before, (store) => store.write([{ key: keyOf('posts', 'trip'), remove: true }], ADA))
  const removedIn = git(before.root, ['rev-parse', 'HEAD'])
  const put = { file: 'posts/trip/index.md', set: { title: 'Trip' }, removedIn }
  for (const at of [...BEFORE, ...AFTER]) {
    const site = makeSite()
    t.teardown(site.remove)
    cpSync(before.root, site.root, { recursive: true })
    crash(site, { at, writes: [[{ key: keyOf('posts', 'trip'), put }]] })
    const isThere = AFTER.includes(at)
    await opened(site, async (store) => {
      t.equal((await store.heads('posts', {})).items.length, isThere ? 1 : 0, at)
      t.equal(existsSync(site.path('content/posts/trip/index.md')), isThere, at)
      t.equal(existsSync(site.path('content/posts/trip/cat.csv')), isThere, at)
      if (isThere) t.same(readFileSync(site.path('content/posts/trip/cat.csv')), OLD)
      t.same(litterOf(site), [], at)
    })
    t.same(statusOf(site), [], at)
    t.ok(isSound(site))
    rmSync(site.root, { recursive: true })
  }
})
