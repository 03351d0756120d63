import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Problem } from '#core/document.ts'
import { keyOf } from '#core/key.ts'
import { Conflict } from '#lib/errors.ts'
import { FilesJobs } from '#stores/files/jobs/jobs.ts'
import { openLedger } from '#stores/files/ledger/trusted-ledger.ts'
import type { FilesOptions } from '#stores/files/options.ts'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from '#support/clock.ts'
import { git, makeRepository, statusOf } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const EVIL = 'title: x\n'
const POST = 'content/posts/a.md'

interface Opened {
  readonly site: TestSite
  readonly store: FilesStore
}

/** A site of one post, in a repository, with the private folder at `privateDir`. */
async function opened(t: Test, privateDir = '.cms', site = makeSite({ [POST]: 'Hello.\n' })): Promise<Opened> {
  makeRepository(site)
  const options = { ...filesOptions(site, plainTypes(), new TestClock(Date.now())), privateDir: site.path(privateDir) }
  const store = await FilesStore.open({ ...options, snapshot: false, git: GIT })
  t.teardown(async () => {
    await store.close()
    site.remove()
  })
  return { site, store }
}

/** A clone of the site's remote, which it gets, in which somebody may commit anything. */
function stranger(t: Test, site: TestSite): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-stranger-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [bare, clone] = [join(folder, 'bare'), join(folder, 'clone')]
  git(folder, ['init', '-q', '--bare', '-b', 'main', bare])
  git(site.root, ['remote', 'add', 'origin', bare])
  git(site.root, ['push', '-q', '-u', 'origin', 'main'])
  git(folder, ['clone', '-q', bare, clone])
  return clone
}

/** Commits entries of the index as they are given, as no work tree need hold them, and pushes them. */
function pushEntries(clone: string, entries: readonly { mode: string; path: string; content?: string; id?: string }[]): void {
  for (const { mode, path, content = EVIL, id } of entries) {
    const object = id ?? git(clone, ['hash-object', '-w', '--stdin'], {}, content)
    git(clone, ['-c', 'core.protectNTFS=false', 'update-index', '--add', '--cacheinfo', `${mode},${object},${path}`])
  }
  git(clone, ['commit', '-q', '-m', 'Improve things'])
  git(clone, ['push', '-q', 'origin', 'main'])
}

const COMMIT = '1'.repeat(40)
const CASES: Readonly<Record<string, { privateDir?: string; path: string; mode?: string; id?: string; content?: string }>> = {
  'a token': { path: '.cms/tokens/x.yaml' },
  'a .gitignore': { path: '.cms/.gitignore', content: '!*\n' },
  'other case': { path: '.CMS/tokens/x.yaml' },
  'another form of Unicode': { privateDir: 'gehe\u00efm', path: 'gehei\u0308m/tokens/x.yaml' },
  'a file in its place': { path: '.cms' },
  'a link in its place': { path: '.cms', mode: '120000', content: 'content' },
  'a module in its place': { path: '.cms', mode: '160000', id: COMMIT },
  'a link on the way to it': { privateDir: 'var/private', path: 'var', mode: '120000', content: 'content' },
  'a link in it': { path: '.cms/tokens', mode: '120000', content: '../content' },
  'a module in it': { path: '.cms/tokens', mode: '160000', id: COMMIT },
  'characters that HFS+ overlooks': { path: '.c\u200cms/tokens/x.yaml' },
  'the short name of NTFS': { path: 'CMS~1/tokens/x.yaml' },
  'a stream of NTFS': { path: '.cms::$INDEX_ALLOCATION/tokens/x.yaml' },
  'a letter whose capital is the same': { path: '.cm\u017f/tokens/x.yaml' },
  'dots that Windows drops': { path: '.cms. ./tokens/x.yaml' },
}

for (const [name, { privateDir, path, mode = '100644', ...blob }] of Object.entries(CASES)) {
  t.test(`a sync takes nothing of the private folder: ${name}`, async (t) => {
    const { site, store } = await opened(t, privateDir)
    const clone = stranger(t, site)
    const before = git(site.root, ['rev-parse', 'HEAD'])
    pushEntries(clone, [{ mode, path, ...blob }])
    // As it comes, and merged with a commit of ours.
    for (const message of ['', 'Ours']) {
      if (message !== '') git(site.root, ['commit', '-q', '--allow-empty', '-m', message])
      const error = await store.sync({ byHand: true, prefer: 'theirs' }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      t.ok(error instanceof Conflict, String(error))
      t.match(error, { message: /Commits on origin\/main change the private folder/, conflict: { paths: [path] }, exit: 5 })
    }
    t.equal(git(site.root, ['rev-parse', 'HEAD~1']), before, 'nothing is moved')
    t.strictSame(statusOf(site), [])
    t.notOk(existsSync(site.path('.cms/tokens/x.yaml')))
  })
}

t.test('a sync takes no file through a link to the private folder', async (t) => {
  const { site, store } = await opened(t)
  const clone = stranger(t, site)
  pushEntries(clone, [{ mode: '120000', path: 'x', content: '.cms' }])
  await store.sync({ byHand: true })
  git(clone, ['rm', '-q', '--cached', 'x'])
  pushEntries(clone, [{ mode: '100644', path: 'x/tokens/x.yaml' }])
  await t.rejects(store.sync({ byHand: true }), {
    message: /^Commits bring a file where a folder has been, or a folder where a file has: "x"/,
  })
  t.notOk(existsSync(site.path('.cms/tokens/x.yaml')))
  git(clone, ['rm', '-q', '--cached', 'x/tokens/x.yaml'])
  symlinkSync('.cms', site.path('y'))
  pushEntries(clone, [{ mode: '100644', path: 'y/tokens/y.yaml' }])
  await t.rejects(store.sync({ byHand: true }), { message: /^A link or a file is where the folder/ })
  t.notOk(existsSync(site.path('.cms/tokens/y.yaml')))
})

t.test('a sync changes and removes no private file that git has here by mistake', async (t) => {
  const site = makeSite({ [POST]: 'Hello.\n', '.cms/users/ada.yaml': 'name: Ada\n' })
  const { store } = await opened(t, '.cms', site)
  const clone = stranger(t, site)
  git(clone, ['rm', '-q', '-r', '--cached', '.cms'])
  pushEntries(clone, [])
  await t.rejects(store.sync({ byHand: true }), { message: /change the private folder \(\.cms\/users\/ada\.yaml\)/ })
  t.equal(readFileSync(site.path('.cms/users/ada.yaml'), 'utf8'), 'name: Ada\n')
  // The way out: git forgets it here as well.
  git(site.root, ['rm', '-q', '-r', '--cached', '.cms'])
  git(site.root, ['commit', '-q', '-m', 'Private files are not for git'])
  await store.sync({ byHand: true })
  t.equal(readFileSync(site.path('.cms/users/ada.yaml'), 'utf8'), 'name: Ada\n')
  t.equal(git(site.root, ['ls-files', '.cms']), '')
})

const TOKEN = keyOf('.tokens', 'x')
const AT = '.cms/tokens/x.yaml'

/** Opens the site once more, as another process does. */
async function again(t: Test, site: TestSite, found: Problem[] = [], git: FilesOptions['git'] = GIT): Promise<FilesStore> {
  const options = { ...filesOptions(site, plainTypes(), new TestClock(Date.now())), snapshot: false, ...(git && { git }) }
  const store = await FilesStore.open({ ...options, onProblem: (problem) => found.push(problem) })
  t.teardown(() => store.close())
  return store
}

/** Waits until what is known of a private folder is looked at again. */
async function has(store: FilesStore, wanted: boolean): Promise<boolean> {
  const end = performance.now() + 10_000
  while (((await store.get(TOKEN)) !== undefined) !== wanted && performance.now() < end) await setImmediate()
  return (await store.get(TOKEN)) !== undefined
}

const BY_HAND: Readonly<Record<string, (site: TestSite) => void>> = {
  'git pull': (site) => git(site.root, ['pull', '-q']),
  'git pull --rebase': (site) => {
    git(site.root, ['commit', '-q', '--allow-empty', '-m', 'Ours'])
    git(site.root, ['pull', '-q', '--rebase'])
  },
  'git merge': (site) => {
    git(site.root, ['commit', '-q', '--allow-empty', '-m', 'Ours'])
    git(site.root, ['fetch', '-q'])
    git(site.root, ['merge', '-q', '--no-edit', 'origin/main'])
  },
  'git checkout': (site) => {
    git(site.root, ['fetch', '-q'])
    git(site.root, ['checkout', '-q', '--detach', 'origin/main'])
  },
  'an index of version 4': (site) => {
    git(site.root, ['update-index', '--index-version', '4'])
    git(site.root, ['pull', '-q'])
  },
  'a split index': (site) => {
    git(site.root, ['config', 'splitIndex.maxPercentChange', '100'])
    git(site.root, ['pull', '-q'])
    git(site.root, ['update-index', '--split-index'])
    git(site.root, ['update-index', '--force-write-index'])
  },
}

for (const [way, pull] of Object.entries(BY_HAND)) {
  t.test(`what git brought into the private folder does not count: ${way}`, async (t) => {
    const { site, store } = await opened(t)
    const clone = stranger(t, site)
    t.equal(await store.get(TOKEN), undefined)
    pushEntries(clone, [
      { mode: '100644', path: AT },
      { mode: '100644', path: '.cms/.gitignore', content: '!*\n' },
    ])
    pull(site)
    t.ok(existsSync(site.path(AT)), 'git has put it there')
    await store.reconcile()
    t.equal(await store.get(TOKEN), undefined)
    t.strictSame((await store.heads('.tokens', {})).items, [])
    t.match(await store.problems(), [{ file: '.cms/.gitignore' }, { file: AT, message: /^git tracks this private file/ }])
    for (const settings of [GIT, undefined]) {
      const found: Problem[] = []
      const other = await again(t, site, found, settings)
      t.equal(await other.get(TOKEN), undefined, 'nor after a restart')
      t.match(found, [{ file: '.cms/.gitignore' }, { file: AT, hint: /git rm -r --cached \.cms\/tokens\/x\.yaml/ }])
      t.equal(readFileSync(site.path('.cms/.gitignore'), 'utf8'), '*\n', 'git goes on ignoring what is private')
    }
    git(site.root, ['rm', '-q', '-r', '--cached', '.cms'])
    git(site.root, ['update-index', '--no-split-index'])
    t.ok(await has(store, true), 'the way out, for who committed it by mistake')
    t.strictSame(await store.problems(), [])
  })
}

t.test('a running site reports what git tracks of the private folder as it comes', async (t) => {
  const { site } = await opened(t)
  const found: Problem[] = []
  const store = await again(t, site, found)
  await store.get(TOKEN)
  site.write(AT, EVIL)
  t.ok(await has(store, true))
  t.strictSame(found, [])
  git(site.root, ['add', '-f', AT])
  t.notOk(await has(store, false))
  t.match(found, [{ file: AT }])
  t.equal(found.length, 1, 'once')
})

t.test('a link or a module in place of the private folder, or another name of it, makes nothing count', async (t) => {
  const { site, store } = await opened(t)
  site.write(AT, EVIL)
  t.ok(await has(store, true))
  const blob = git(site.root, ['hash-object', '-w', '--stdin'], {}, 'content')
  for (const [mode, id, path] of [
    ['120000', blob, '.cms'],
    ['160000', COMMIT, '.cms'],
    ['160000', COMMIT, '.cms/tokens'],
    ['100644', blob, '.CMS/tokens/x.yaml'],
    ['100644', blob, '.c\u200cms/tokens/x.yaml'],
    ['100644', blob, '.cm\u017f/tokens/x.yaml'],
    ['100644', blob, 'CMS~1/tokens/x.yaml'],
    ['100644', blob, 'CM1A2B~1/tokens/x.yaml'],
    ['100644', blob, '.cms. ./tokens/x.yaml'],
    ['100644', blob, '.cms::$INDEX_ALLOCATION/tokens/x.yaml'],
  ] as const) {
    git(site.root, ['-c', 'core.protectNTFS=false', 'update-index', '--add', '--cacheinfo', `${mode},${id},${path}`])
    t.notOk(await has(store, false), path)
    git(site.root, ['-c', 'core.protectNTFS=false', 'update-index', '--force-remove', path])
    t.ok(await has(store, true))
  }
})

t.test('while git is at work only what this process makes counts of what is new', async (t) => {
  const { site, store } = await opened(t)
  t.equal(await store.get(TOKEN), undefined)
  site.write('.git/index.lock', '')
  site.write(AT, EVIL)
  t.equal(await (await again(t, site)).get(TOKEN), undefined, 'git writes its index last')
  const own = keyOf('.tokens', 'own')
  await store.write([{ key: own, put: { set: { title: 'Own' } } }], { name: 'Ada', email: 'ada@example.org' })
  t.match((await store.get(own))?.fields, { title: 'Own' })
  await store.write([{ key: own, put: { set: { title: 'Mine' } } }], { name: 'Ada', email: 'ada@example.org' })
  t.match((await store.get(own))?.fields, { title: 'Mine' })
  rmSync(site.path('.git/index.lock'))
  t.ok(await has(store, true))
})

t.test('a job and a ledger that git tracks are not used', async (t) => {
  const { site, store } = await opened(t)
  const clock = new TestClock(Date.now())
  const open = () => new FilesJobs(site.path('.cms/jobs'), clock, { pause: 3, trust: store.trust })
  const jobs = open()
  await jobs.add({ name: 'mail', data: { to: 'evil' } })
  const ledger = await openLedger(site.path('.cms'), clock, store.trust)
  await ledger.put('session', 'evil', 60_000)
  git(site.root, ['add', '-f', '.cms/jobs', '.cms/ledger.log'])
  await jobs.add({ name: 'mail', data: { to: 'ada' } })
  const done: unknown[] = []
  await new Promise<void>((resolve) => {
    jobs.run({
      mail: {
        work: async ({ data }) => {
          done.push(data)
          resolve()
        },
        gaveUp: () => undefined,
      },
    })
  })
  await jobs.close()
  t.strictSame(done, [{ to: 'ada' }])
  await t.rejects(ledger.peek('session'), { message: /git tracks .*ledger\.log/, status: 503 })
  await t.rejects(ledger.put('session', 'more', 1), { message: /git tracks/ })
  const other = await openLedger(site.path('.cms'), clock, store.trust)
  await t.rejects(other.take('session'), { message: /git tracks/ })
  git(site.root, ['rm', '-q', '--cached', '.cms/ledger.log'])
  t.equal(await other.peek('session'), 'evil')
  await Promise.all([ledger.close(), other.close()])
})
