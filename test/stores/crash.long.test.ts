import { chmodSync, cpSync, existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { systemClock } from '#lib/clock.ts'
import type { WriteStep } from '#stores/files/committing/git.ts'
import { FilesStore } from '#stores/files/store.ts'
import { until } from '#support/cli.ts'
import { git, isSound, makeRepository, statusOf } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { type Crash, crash, litterOf } from './wreckage.ts'

const BEFORE: readonly WriteStep[] = ['check', 'make', 'journal', 'lock', 'move']
const AFTER: readonly WriteStep[] = ['files', 'index', 'settle', 'done']

const ADA = { name: 'Ada', email: 'ada@example.org' }
const key = (id: string) => keyOf('posts', id)
const put = (id: string, title: string): Change => ({ key: key(id), put: { set: { title } } })
const post = (title: string) => `---\ntitle: ${title}\n---\nText.\n`

/**
 * One of each: an update, a new record in a new folder, one that goes, one that moves (into another new folder), and several at
 * once.
 */
const WRITES: readonly (readonly Change[])[] = [
  [put('updated', 'New')],
  [put('2026~11~created', 'New')],
  [{ key: key('deleted'), remove: true }],
  [{ key: key('there~moved'), put: { set: { title: 'New' } }, from: key('here') }],
  [put('one', 'New'), put('two', 'New'), { key: key('three'), remove: true }],
]

const SUBJECTS: readonly string[] = [
  'Update posts/updated',
  'Create posts/2026~11~created',
  'Delete posts/deleted',
  'Move posts/there~moved',
  'Update 3 records',
]

const FILES: Readonly<Record<string, string>> = {
  'content/posts/updated.md': post('Old'),
  'content/posts/deleted.md': post('Old'),
  'content/posts/here.md': post('Old'),
  'content/posts/one.md': post('Old'),
  'content/posts/three.md': post('Old'),
  'content/posts/other.md': post('Other'),
}

/** Titles by file, before the writes and after them. */
const OLD: Readonly<Record<string, string>> = {
  updated: 'Old',
  deleted: 'Old',
  here: 'Old',
  one: 'Old',
  three: 'Old',
  other: 'Other',
}
const NEW: Readonly<Record<string, string>> = {
  updated: 'New',
  '2026/11/created': 'New',
  'there/moved': 'New',
  one: 'New',
  two: 'New',
  other: 'Other',
}

const workplace = makeWorkplace()
t.teardown(workplace.remove)

/** A site in a repository, with an author's work under way in it: something staged, something not. */
function makeWorkplace(): TestSite {
  const site = makeSite(FILES)
  makeRepository(site)
  site.write('notes.txt', 'staged\n')
  git(site.root, ['add', 'notes.txt'])
  site.write('content/posts/other.md', `${post('Other')}Unsaved.\n`)
  return site
}

const WORK: readonly string[] = [' M content/posts/other.md', 'A  notes.txt']

/** A git that takes its time before it moves a branch. */
const SLOW = `#!/bin/sh
case "$*" in *update-ref*)
  while [ ! -e GO ]; do sleep 0.02; done
  GIT "$@"
  touch GOne
  exit ;;
esac
exec GIT "$@"
`

/** Commits what is staged of the notes, on top of the tip and without a look at the index: it is locked. */
function commitNotes(site: TestSite): void {
  const index = { GIT_INDEX_FILE: site.path('.git/beside') }
  git(site.root, ['read-tree', 'HEAD'], index)
  git(site.root, ['update-index', '--add', 'notes.txt'], index)
  const commit = git(site.root, ['commit-tree', git(site.root, ['write-tree'], index), '-p', 'HEAD', '-m', 'Notes'])
  git(site.root, ['update-ref', 'refs/heads/main', commit])
  rmSync(site.path('.git/beside'))
}

/** The same site, in a folder of its own. */
function copyOf(t: Test, site: TestSite): TestSite {
  const copy = makeSite()
  t.teardown(copy.remove)
  cpSync(site.root, copy.root, { recursive: true })
  return copy
}

function crashed(t: Test, how: Crash): TestSite {
  const site = copyOf(t, workplace)
  crash(site, how)
  return site
}

async function reopened<T>(site: TestSite, work: (store: FilesStore) => Promise<T>): Promise<T> {
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), systemClock), git: GIT })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function titles(store: FilesStore): Promise<Record<string, unknown>> {
  const { items } = await store.heads('posts', {})
  return Object.fromEntries(items.map(({ key, fields }) => [key.id.replaceAll('~', '/'), fields.title]))
}

function committedTitles(site: TestSite): Record<string, string> {
  const lines = git(site.root, ['grep', '^title: ', 'HEAD', '--', 'content/posts']).split('\n')
  return Object.fromEntries(lines.map((line) => /^HEAD:content\/posts\/(.*)\.md:title: (.*)$/.exec(line)?.slice(1) ?? [line, '']))
}

/**
 * Starts on what a crash left: what is served, committed and on the disk is `expected`, the author's work is as it was, and
 * nothing is left behind.
 */
async function holds(t: Test, site: TestSite, expected: Readonly<Record<string, string>>, work = WORK): Promise<void> {
  await reopened(site, async (store) => {
    t.strictSame(await titles(store), { ...expected }, 'served')
    t.strictSame(litterOf(site), [], 'nothing is left behind')
    t.strictSame(committedTitles(site), { ...expected }, 'committed')
    t.strictSame(statusOf(site), work, "only the author's work is uncommitted")
    await store.write([put('updated', 'Newer')], ADA)
    t.equal(git(site.root, ['show', 'HEAD:content/posts/updated.md']), post('Newer').trimEnd(), 'the next write works')
  })
  t.strictSame(statusOf(site), work)
  t.strictSame(litterOf(site), [])
  t.ok(isSound(site))
}

for (const at of BEFORE) {
  t.test(`killed before "${at}": the writes never were`, async (t) => {
    const site = crashed(t, { at, writes: WRITES })
    await holds(t, site, OLD)
    t.equal(git(site.root, ['rev-list', '--count', 'HEAD']), '2', 'the first commit and the next write')
  })
}

for (const at of AFTER) {
  t.test(`killed before "${at}": the writes are there`, async (t) => {
    const site = crashed(t, { at, writes: WRITES })
    await holds(t, site, NEW)
    const subjects = git(site.root, ['log', '--format=%s', '--reverse', 'HEAD~1']).split('\n')
    t.strictSame(subjects, ['Begin', ...SUBJECTS])
  })
}

t.test('a lone write that is cut short', async (t) => {
  const writes = WRITES.slice(0, 1)
  await holds(t, crashed(t, { at: 'move', writes }), OLD)
  await holds(t, crashed(t, { at: 'files', writes }), { ...OLD, updated: 'New' })
})

t.test('a journal that was being written is forgotten', async (t) => {
  const site = crashed(t, { at: 'journal', writes: WRITES })
  site.write('.git/.quire-0123456789ab.tmp', '{"ref":"refs/he')
  await holds(t, site, OLD)
})

t.test('what a power cut took of the files is there again', async (t) => {
  const before = crashed(t, { at: 'files', writes: WRITES })
  truncateSync(before.path('content/posts/updated.md'))
  before.write('content/posts/one.md', Buffer.alloc(40))
  before.write('content/posts/2026/11/created.md', '')
  await holds(t, before, NEW)
  const after = crashed(t, { at: 'settle', writes: WRITES })
  truncateSync(after.path('content/posts/updated.md'))
  after.write('content/posts/one.md', Buffer.alloc(40))
  rmSync(after.path('content/posts/2026'), { recursive: true })
  await holds(t, after, NEW)
})

t.test('a second crash, while the first is being mended, is mended too', async (t) => {
  const site = crashed(t, { at: 'files', writes: WRITES })
  crash(site, { at: 'check', writes: [[put('two', 'Other')]] })
  crash(site, { at: 'index', writes: [[put('updated', 'Second')]] })
  await holds(t, site, { ...NEW, updated: 'Second' })
})

t.test('what the author did to a file after the crash stays', async (t) => {
  const site = crashed(t, { at: 'files', writes: WRITES })
  site.write('content/posts/updated.md', post('Mine'))
  site.write('content/posts/two.md', post('Mine'))
  await reopened(site, async (store) => {
    t.strictSame(await titles(store), { ...NEW, updated: 'Mine', two: 'Mine' })
    t.strictSame(committedTitles(site), { ...NEW })
    const mine = [' M content/posts/two.md', ' M content/posts/updated.md', ...WORK]
    t.strictSame(statusOf(site).sort(), mine.sort(), 'an edit of the author, in no commit yet')
    await store.write([put('updated', 'Newer')], ADA)
    t.equal(git(site.root, ['show', 'HEAD~1:content/posts/updated.md']), post('Mine').trimEnd(), 'kept before the next write')
  })
  t.strictSame(litterOf(site), [])
})

t.test('what the author committed after the crash is not taken back', async (t) => {
  const beside = crashed(t, { at: 'files', writes: WRITES })
  commitNotes(beside)
  await holds(t, beside, NEW, WORK.slice(0, 1))
  const same = crashed(t, { at: 'settle', writes: WRITES })
  same.write('content/posts/updated.md', post('Mine'))
  git(same.root, ['commit', '-q', '-m', 'Mine', '--', 'content/posts/updated.md'])
  await holds(t, same, { ...NEW, updated: 'Mine' })
  const back = crashed(t, { at: 'files', writes: WRITES })
  rmSync(back.path('.git/index.lock'))
  git(back.root, ['commit', '-q', '-m', 'Back to what is staged, without a look at what that is'])
  await holds(t, back, OLD, WORK.slice(0, 1))
})

t.test('a branch that the author went to after the crash stays as it is', async (t) => {
  for (const to of [['other'], ['--detach', 'other']]) {
    const site = crashed(t, { at: 'files', writes: WRITES })
    rmSync(site.path('.git/index.lock'))
    git(site.root, ['branch', 'other', git(site.root, ['rev-list', '--max-parents=0', 'main'])])
    git(site.root, ['checkout', '-q', ...to])
    await reopened(site, async (store) => t.strictSame(await titles(store), { ...OLD }))
    t.strictSame(statusOf(site), WORK)
    t.strictSame(litterOf(site), [])
    git(site.root, ['checkout', '-q', 'main'])
    await holds(t, site, NEW)
  }
})

t.test('until the next start the locked index keeps the author from committing the old state', async (t) => {
  for (const at of ['files', 'index'] as const) {
    const site = crashed(t, { at, writes: WRITES })
    t.throws(() => git(site.root, ['commit', '-q', '-a', '-m', 'Mine']), /index\.lock/)
    await holds(t, site, NEW)
  }
})

t.test("another's lock on the index keeps no one from reading, and what is left to do is done once it is gone", async (t) => {
  const site = crashed(t, { at: 'files', writes: WRITES })
  site.write('.git/index.lock', '')
  await reopened(site, async (store) => {
    t.strictSame(await titles(store), { ...NEW })
    t.equal(readFileSync(site.path('.git/index.lock'), 'utf8'), '', 'it is not ours to remove')
    rmSync(site.path('.git/index.lock'))
    await store.write([put('updated', 'Newer')], ADA)
  })
  await holds(t, site, { ...NEW, updated: 'Newer' })
})

t.test('a branch left locked by a git of ours is unlocked; one locked by another is not', async (t) => {
  const site = crashed(t, { at: 'move', writes: WRITES })
  // A copy of the first would be made while the git that it left may still take its own files away.
  const other = crashed(t, { at: 'move', writes: WRITES })
  site.write('.git/refs/heads/main.lock', '')
  await holds(t, site, OLD)
  const foreign = `${git(other.root, ['rev-parse', 'HEAD'])}\n`
  other.write('.git/refs/heads/main.lock', foreign)
  await reopened(other, async (store) => t.strictSame(await titles(store), { ...OLD }))
  t.strictSame(litterOf(other), ['.git/refs/heads/main.lock'])
  t.equal(readFileSync(other.path('.git/refs/heads/main.lock'), 'utf8'), foreign)
})

t.test('a lock that a killed git left on the commits that wait is taken away, with nothing else left over', async (t) => {
  const site = copyOf(t, workplace)
  site.write('.git/refs/cms/pending.lock', '')
  await holds(t, site, OLD)
})

t.test('one that is alive has its lock on them as long as it needs it', async (t) => {
  const site = copyOf(t, workplace)
  const lock = '.git/refs/cms/pending.lock'
  site.write(lock, '')
  const opening = reopened(site, async (store) => t.strictSame(await titles(store), { ...OLD }))
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.ok(existsSync(site.path(lock)))
  rmSync(site.path(lock))
  await opening
})

t.test('a git that outlives its process can not move the branch behind the back of the next', async (t) => {
  const tools = makeSite()
  t.teardown(tools.remove)
  const [slow, go] = [tools.path('git'), tools.path('go')]
  const real = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'git'))
    .find((path) => existsSync(path))
  tools.write('git', SLOW.replaceAll('GO', go).replaceAll('GIT', real ?? 'git'))
  chmodSync(slow, 0o755)
  const site = crashed(t, {
    at: 'move',
    late: true,
    writes: WRITES,
    env: { PATH: `${tools.root}${delimiter}${process.env.PATH}` },
  })
  t.strictSame(committedTitles(site), { ...OLD }, 'the branch has not moved yet')
  await reopened(site, async (store) => t.strictSame(await titles(store), { ...OLD }))
  tools.write('go', '')
  await until(async () => existsSync(tools.path('gone')), Boolean)
  await holds(t, site, OLD)
})
