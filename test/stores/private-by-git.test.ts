import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Conflict } from '#lib/errors.ts'
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
  await t.rejects(store.sync({ byHand: true }), { message: /^A link or a file is where the folder/ })
  t.notOk(existsSync(site.path('.cms/tokens/x.yaml')))
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
