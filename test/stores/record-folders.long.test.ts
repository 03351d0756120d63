import { mkdirSync, rmSync, utimesSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { openRepository } from '#git/repository.ts'
import { type Replacement, Swap } from '#lib/files/swap.ts'
import { FilesSiteFiles } from '#stores/files/beside/site-files.ts'
import { TestClock } from '#support/clock.ts'
import { makeRepository } from '#support/git.ts'
import { makeSite } from '#support/sites.ts'
import { openFiles } from '#support/stores.ts'

const BY = { name: 'Ada', email: 'ada@example.org' }
const DRAFT = '---\ntitle: New\ndraft: true\n---\nWords.\n'

t.test('the folders of records are told by any ending, that of the content among them', async (t) => {
  const names = ['index.md', 'a/index.markdown', 'a/b/index.YAML', 'c/d/index.txt', 'e/other.md']
  const site = makeSite(Object.fromEntries(names.map((name) => [`content/${name}`, 'x'])))
  t.teardown(site.remove)
  mkdirSync(site.path('content/f/index.md'), { recursive: true })
  const files = new FilesSiteFiles({ root: site.root, content: 'content', privateDir: site.path('.cms') }, new TestClock())
  t.strictSame([...(await files.recordFolders(['', 'a', 'a/b', 'c', 'c/d', 'e', 'f', 'none']))], ['', 'a', 'a/b'])
})

async function inGit(t: Test) {
  const site = makeSite({ 'content/posts/old.png': 'x' })
  t.teardown(site.remove)
  makeRepository(site)
  const repository = await openRepository(site.root, true)
  if ('without' in repository) throw new Error(repository.without)
  const folders = { root: site.root, content: 'content', privateDir: site.path('.cms'), repository }
  return { site, files: new FilesSiteFiles(folders, new TestClock()) }
}

t.test('while git makes the files of a folder, its record is waited for', async (t) => {
  const { site, files } = await inGit(t)
  site.write('.git/index.lock', '')
  site.write('content/posts/new/a.png', 'x')
  const asked = files.recordFolders(['posts/new', 'posts'])
  await pause(30)
  site.write('content/posts/new/index.md', DRAFT)
  rmSync(site.path('.git/index.lock'))
  t.strictSame([...(await asked)], ['posts/new'])
})

t.test(
  'git that takes long holds up what it changes, and nothing else; a lock that was left over holds up nothing',
  async (t) => {
    const { site, files } = await inGit(t)
    site.write('.git/index.lock', '')
    site.write('content/posts/new/a.png', 'x')
    const begun = performance.now()
    t.strictSame([...(await files.recordFolders(['posts/deep', 'none']))], [])
    t.ok(performance.now() - begun < 2_000)
    await t.rejects(files.recordFolders(['posts/new']), { message: 'A git command is changing the files of the site.' })
    const then = (Date.now() - 3_600_000) / 1000
    utimesSync(site.path('.git/index.lock'), then, then)
    t.strictSame([...(await files.recordFolders(['posts/new']))], [])
  },
)

/** The names of files in the order in which they come, or go, of those whose path has a word in it. */
function watchSwaps(t: Test): (word: string) => string[] {
  const prepare = Swap.prepare
  const seen: Replacement[] = []
  Swap.prepare = (replacements) => {
    seen.push(...replacements)
    return prepare.call(Swap, replacements)
  }
  t.teardown(() => {
    Swap.prepare = prepare
  })
  return (word) => seen.flatMap(({ real }) => (real.includes(word) ? real.slice(real.lastIndexOf('/') + 1) : []))
}

t.test('a record comes before its files and goes after them', async (t) => {
  for (const history of [false, true]) {
    const beside = Object.fromEntries(['cat.png', 'deep/cat.png', 'zoo.png'].map((name) => [`content/posts/one/${name}`, 'x']))
    const opened = await openFiles({ files: { 'content/posts/one/index.md': DRAFT }, beside, history })
    t.teardown(() => opened.close())
    const orderIn = watchSwaps(t)
    await opened.store.write([{ key: keyOf('posts', 'new'), from: keyOf('posts', 'one'), put: {} }], BY)
    t.equal(orderIn('/posts/new/')[0], 'index.md')
    t.equal(orderIn('/posts/one/').length, 4)
    t.equal(orderIn('/posts/one/').at(-1), 'index.md')
  }
})
