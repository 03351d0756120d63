import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from '#support/clock.ts'
import { git, isSound, makeRepository, statusOf } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const POST = 'content/posts/a.md'

interface Opened {
  readonly site: TestSite
  readonly store: FilesStore
  readonly bare: string
}

/** A site of one post whose remote is a bare repository, in a folder with nothing else in it. */
async function opened(t: Test): Promise<Opened> {
  const site = makeSite({ [POST]: 'Hello.\n' })
  makeRepository(site)
  const folder = mkdtempSync(join(tmpdir(), 'quire-trees-'))
  const bare = join(folder, 'bare')
  git(folder, ['init', '-q', '--bare', '-b', 'main', bare])
  git(site.root, ['remote', 'add', 'origin', bare])
  git(site.root, ['push', '-q', 'origin', 'main'])
  const store = await FilesStore.open({
    ...filesOptions(site, plainTypes(), new TestClock(Date.now())),
    snapshot: false,
    git: GIT,
  })
  t.teardown(async () => {
    await store.close()
    site.remove()
    rmSync(folder, { recursive: true, force: true })
  })
  return { site, store, bare }
}

/** Puts a file into the tree of the bare repository's branch, at names that no git would check out. */
function plant(bare: string, names: readonly (string | Buffer)[], entry?: string): void {
  const blob = git(bare, ['hash-object', '-w', '--stdin'], {}, 'evil\n')
  const [leaf = '', ...above] = names.toReversed()
  const line = (start: string, name: string | Buffer) =>
    Buffer.concat([Buffer.from(`${start}\t`), Buffer.from(name), Buffer.from('\0')])
  const made = (parts: Buffer[]) => git(bare, ['mktree', '-z', '--missing'], {}, Buffer.concat(parts))
  let inner = line(entry ?? `100755 blob ${blob}`, leaf)
  for (const name of above) inner = line(`040000 tree ${made([inner])}`, name)
  const before = Buffer.from(git(bare, ['ls-tree', '-z', 'main']))
  const commit = git(bare, ['commit-tree', made([before, inner]), '-p', 'main', '-m', 'Improve things'])
  git(bare, ['update-ref', 'refs/heads/main', commit])
}

const CASES: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  'a hook of the repository': ['.git', 'hooks', 'post-checkout'],
  'a file above the site': ['..', 'quire-planted'],
  'its settings by another name': ['GIT~1', 'config'],
  'a repository in a folder': ['new', '.git', 'config'],
  'above from below': ['new', '..', '..', 'quire-planted'],
  'the folder itself': ['new', '.', 'x.md'],
  'a name that is not in UTF-8': ['new', Buffer.from('\xe9.md', 'latin1')],
  'a name that is too long for a disk': ['new', `${'a'.repeat(255)}.md`],
  'a path that is too long for a disk': Array.from({ length: 30 }, () => 'a'.repeat(200)),
}

for (const [name, names] of Object.entries(CASES)) {
  t.test(`a sync takes no tree that git would not check out: ${name}`, async (t) => {
    const { site, store, bare } = await opened(t)
    plant(bare, names)
    const hooks = readdirSync(site.path('.git/hooks'))
    const tip = git(bare, ['rev-parse', 'main'])
    // As it comes, and merged with a commit of ours.
    for (const message of ['', 'Ours']) {
      if (message !== '') git(site.root, ['commit', '-q', '--allow-empty', '-m', message])
      const head = git(site.root, ['rev-parse', 'HEAD'])
      await t.rejects(store.sync({ byHand: true, prefer: 'theirs' }), { exit: 5, message: /^Commits bring "/ })
      t.equal(git(site.root, ['rev-parse', 'HEAD']), head, 'nothing is moved')
      t.strictSame(statusOf(site), [])
    }
    t.strictSame(readdirSync(site.path('.git/hooks')), hooks)
    t.notOk(existsSync(site.path('../quire-planted')))
    t.equal(git(bare, ['rev-parse', 'main']), tip, 'nothing is pushed')
  })
}

t.test('a submodule comes as its empty folder, as git makes it', async (t) => {
  const { site, store, bare } = await opened(t)
  plant(bare, ['new', 'sub'], `160000 commit ${'1'.repeat(40)}`)
  await store.sync({ byHand: true })
  t.ok(statSync(site.path('new/sub')).isDirectory())
  t.strictSame([statusOf(site), git(site.root, ['rev-parse', 'HEAD'])], [[], git(bare, ['rev-parse', 'main'])])
  t.ok(isSound(site))
})

const TURNED: Readonly<Record<string, readonly [kept: string, comes: string]>> = {
  'a folder where a file has been': ['content/posts/b.md', 'content/posts/b.md/c.md'],
  'a file where a folder has been': ['content/posts/b/c.md', 'content/posts/b'],
}

for (const [name, [kept, comes]] of Object.entries(TURNED)) {
  t.test(`a sync says that it does not bring ${name}`, async (t) => {
    const { site, store, bare } = await opened(t)
    const at = (path: string) => git(site.root, ['hash-object', '-w', '--stdin'], {}, `${path}\n`)
    site.write(kept, 'Kept.\n')
    git(site.root, ['add', '-A'])
    git(site.root, ['commit', '-q', '-m', 'Kept'])
    const head = git(site.root, ['rev-parse', 'HEAD'])
    git(site.root, ['update-index', '--force-remove', kept])
    git(site.root, ['update-index', '--add', '--cacheinfo', `100644,${at(comes)},${comes}`])
    const tip = git(site.root, ['commit-tree', git(site.root, ['write-tree']), '-p', head, '-m', 'Turned'])
    git(site.root, ['reset', '-q', '--mixed', head])
    git(site.root, ['push', '-q', bare, `${tip}:refs/heads/main`])
    // As it comes, and merged with a commit of ours.
    for (const message of ['', 'Ours']) {
      if (message !== '') git(site.root, ['commit', '-q', '--allow-empty', '-m', message])
      const before = git(site.root, ['rev-parse', 'HEAD'])
      await t.rejects(store.sync({ byHand: true }), { exit: 5, message: /^Commits bring a file where a folder has been, or/ })
      t.equal(git(site.root, ['rev-parse', 'HEAD']), before, 'nothing is moved')
      t.strictSame(statusOf(site), [])
    }
  })
}
