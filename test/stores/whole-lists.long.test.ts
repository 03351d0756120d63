import { execFile } from 'node:child_process'
import { renameSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from '#support/clock.ts'
import { git, makeRepository } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const [FEW, MANY] = [600, 1_500]
const run = promisify(execFile)

/** Writes files of posts, 50 in each folder, below a folder of the site. */
function write(site: TestSite, folder: string, count: number, title: string): void {
  for (let n = 0; n < count; n++)
    site.write(`${folder}/f${n % (count / 50)}/${title}${n}.md`, `---\ntitle: ${title}\n---\nText.\n`)
}

/** Lists until there are so many posts; returns the totals that were answered, each once. */
async function totalsUntil(store: FilesStore, wanted: number): Promise<number[]> {
  const totals = new Set<number>()
  for (let last = 0; last !== wanted; await turn()) {
    const counts = await store.count('posts', {}, 'title')
    totals.add([...counts.values()].reduce((sum, count) => sum + count, 0))
    totals.add((await store.browse('posts', { limit: 20 })).total)
    last = (await store.heads('posts', { limit: 1 })).total
    totals.add(last)
  }
  return [...totals].sort((a, b) => a - b)
}

async function opened(t: Test, site: TestSite, isInGit: boolean): Promise<FilesStore> {
  const options = { ...filesOptions(site, plainTypes(), new TestClock()), watch: true }
  const store = await FilesStore.open(isInGit ? { ...options, git: GIT } : options)
  t.teardown(() => store.close())
  return store
}

t.test('a folder that is replaced is listed as it was or as it is', async (t) => {
  const site = makeSite({})
  t.teardown(() => site.remove())
  write(site, 'content/posts', FEW, 'A')
  write(site, 'aside', MANY, 'B')
  const store = await opened(t, site, false)
  await store.reconcile()
  renameSync(site.path('content/posts'), site.path('before'))
  renameSync(site.path('aside'), site.path('content/posts'))
  t.same(await totalsUntil(store, MANY), [FEW, MANY])
})

t.test('a branch that is switched to is listed whole, or not at all', async (t) => {
  const site = makeSite({})
  t.teardown(() => site.remove())
  write(site, 'content/posts', FEW, 'A')
  makeRepository(site)
  git(site.root, ['checkout', '-q', '-b', 'other'])
  write(site, 'content/posts', MANY - FEW, 'B')
  git(site.root, ['add', '-A'])
  git(site.root, ['commit', '-q', '-m', 'Other'])
  const store = await opened(t, site, true)
  await store.reconcile()
  for (const [branch, from, to] of [
    ['main', MANY, FEW],
    ['other', FEW, MANY],
  ] as const) {
    const [totals] = await Promise.all([totalsUntil(store, to), run('git', ['checkout', '-q', branch], { cwd: site.root })])
    t.same(new Set([...totals, from, to]), new Set([from, to]), branch)
  }
})
