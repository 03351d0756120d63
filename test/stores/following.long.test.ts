import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { keyOf, keyText } from '#core/key.ts'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from '#support/clock.ts'
import { git, makeRepository } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const post = (title: string) => `---\ntitle: ${title}\n---\nText.\n`

/** A site in a repository, with posts a, b, c on `main`, and on `other` a changed, c gone, d and deep/e new. */
function twoBranches(t: Test): TestSite {
  const site = makeSite(Object.fromEntries(['a', 'b', 'c'].map((id) => [`content/posts/${id}.md`, post(id)])))
  t.teardown(() => site.remove())
  makeRepository(site)
  git(site.root, ['checkout', '-q', '-b', 'other'])
  site.write('content/posts/a.md', post('a of other'))
  rmSync(site.path('content/posts/c.md'))
  site.write('content/posts/d.md', post('d'))
  site.write('content/posts/deep/e.md', post('e'))
  commitAll(site, 'Other')
  git(site.root, ['checkout', '-q', 'main'])
  return site
}

function commitAll(site: TestSite, message: string): void {
  git(site.root, ['add', '-A'])
  git(site.root, ['commit', '-q', '-m', message])
}

async function open(t: Test, root: string, watch = true): Promise<FilesStore> {
  const site = { root } as TestSite
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), watch, git: GIT })
  t.teardown(() => store.close())
  return store
}

async function versions(store: FilesStore): Promise<string[]> {
  const { items } = await store.heads('posts', {})
  return items.map((head) => `${keyText(head.key)} ${head.version}`)
}

/** Waits until the store has by itself what a fresh look at the disk finds; the test's own time limit ends what never is. */
async function agrees(t: Test, root: string, store: FilesStore, what: string): Promise<void> {
  const fresh = await open(t, root, false)
  const wanted = await versions(fresh)
  while (JSON.stringify(await versions(store)) !== JSON.stringify(wanted)) await new Promise((resolve) => setTimeout(resolve, 2))
  t.same(await versions(store), wanted, what)
}

t.test('what an author does with git is followed', async (t) => {
  const site = twoBranches(t)
  const store = await open(t, site.root)
  const run = async (...words: string[]) => {
    git(site.root, words)
    await agrees(t, site.root, store, `git ${words.join(' ')}`)
  }
  await run('checkout', '-q', 'other')
  t.equal((await store.get(keyOf('posts', 'deep~e')))?.fields.title, 'e')
  await run('checkout', '-q', 'main')
  t.equal(await store.get(keyOf('posts', 'deep~e')), undefined)
  site.write('content/posts/b.md', post('b, not committed'))
  site.write('content/posts/new.md', post('new'))
  await run('stash', '-q', '-u')
  await run('stash', 'pop', '-q')
  await run('reset', '-q', '--hard')
  await run('merge', '-q', 'other')
  await run('reset', '-q', '--hard', 'HEAD~1')
  await run('rebase', '-q', 'other')
})

t.test('a pull of a fast-forward is followed, and in a linked working tree as well', async (t) => {
  const site = twoBranches(t)
  const copy = makeSite()
  t.teardown(() => copy.remove())
  const clone = join(copy.root, 'clone')
  git(copy.root, ['clone', '-q', site.root, clone])
  const linked = join(copy.root, 'linked')
  git(site.root, ['worktree', 'add', '-q', linked, 'other'])
  const [cloned, beside] = [await open(t, clone), await open(t, linked)]
  site.write('content/posts/a.md', post('pulled'))
  commitAll(site, 'To be pulled')
  git(clone, ['pull', '-q', '--ff-only'])
  await agrees(t, clone, cloned, 'git pull')
  t.equal((await cloned.get(keyOf('posts', 'a')))?.fields.title, 'pulled')
  git(linked, ['reset', '-q', '--hard', 'main'])
  await agrees(t, linked, beside, 'git reset in a linked working tree')
  t.equal((await beside.get(keyOf('posts', 'a')))?.fields.title, 'pulled')
})

t.test('writes of a served site go on over a change of branch', async (t) => {
  const site = twoBranches(t)
  const store = await open(t, site.root)
  await store.write([{ key: keyOf('posts', 'b'), put: { set: { title: 'On main' } } }], ada)
  git(site.root, ['checkout', '-q', 'other'])
  await agrees(t, site.root, store, 'git checkout')
  await store.write([{ key: keyOf('posts', 'd'), put: { set: { title: 'On other' } } }], ada)
  t.equal(git(site.root, ['log', '-1', '--format=%an', 'other']), 'Ada')
  t.match(git(site.root, ['show', 'main:content/posts/b.md']), /On main/)
  t.match(git(site.root, ['show', 'other:content/posts/d.md']), /On other/)
  t.equal(git(site.root, ['status', '--porcelain']), '')
})
