import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { HeadWatch } from '#git/head-watch.ts'
import { openRepository, type Repository } from '#git/repository.ts'
import { git, makeRepository } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'

/** A repository with a file that `main` and `other` have each its own of. */
function twoBranches(t: Test): TestSite {
  const site = makeSite({ 'a.md': 'a\n' })
  t.teardown(() => site.remove())
  makeRepository(site)
  git(site.root, ['checkout', '-q', '-b', 'other'])
  site.write('a.md', 'a of other\n')
  commitAll(site, 'Other')
  git(site.root, ['checkout', '-q', 'main'])
  return site
}

function commitAll(site: TestSite, message: string): void {
  git(site.root, ['add', '-A'])
  git(site.root, ['commit', '-q', '-m', message])
}

async function repositoryOf(root: string): Promise<Repository> {
  const found = await openRepository(root, true)
  if ('without' in found) throw new Error(found.without)
  return found
}

t.test('moves of HEAD are noticed, and each is told of once', async (t) => {
  const site = twoBranches(t)
  const moves: string[] = []
  let hear = () => {}
  // A watch alone keeps no process alive.
  const alive = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(alive))
  const watch = new HeadWatch({
    repository: await repositoryOf(site.root),
    isWriting: () => false,
    moved: ({ ref, commit }) => {
      moves.push(`${ref?.replace('refs/heads/', '') ?? 'detached'} ${commit?.slice(0, 7)}`)
      hear()
    },
  })
  t.teardown(() => watch.close())
  await watch.start()
  const after = async (...words: string[]) => {
    const heard = new Promise<void>((resolve) => {
      hear = resolve
    })
    git(site.root, words)
    await heard
    const [branch] = [git(site.root, ['branch', '--show-current'])]
    t.equal(
      moves.at(-1),
      `${branch || 'detached'} ${git(site.root, ['rev-parse', '--short=7', 'HEAD'])}`,
      `git ${words.join(' ')}`,
    )
  }
  await after('commit', '-q', '--allow-empty', '-m', 'By hand')
  await after('checkout', '-q', 'other')
  await after('checkout', '-q', '--detach')
  await after('checkout', '-q', '-b', 'deep/branch')
  await after('commit', '-q', '--allow-empty', '-m', 'On a branch in a folder')
  await after('reset', '-q', '--hard', 'HEAD~1')
  await after('commit', '-q', '--amend', '-m', 'Amended')
  await watch.look()
  t.equal(moves.length, 7)
  t.notOk(watch.standing?.operation)
})

t.test('without a hint a move is found by the next look', async (t) => {
  const site = twoBranches(t)
  const moves: unknown[] = []
  const repository = await repositoryOf(site.root)
  const watch = new HeadWatch({ repository, isWriting: () => false, moved: (now) => moves.push(now.ref) })
  await watch.start()
  t.teardown(() => watch.close())
  const commit = git(site.root, ['rev-parse', 'other'])
  writeFileSync(join(repository.dir, 'HEAD'), 'ref: refs/heads/other\n')
  await watch.look()
  t.same(moves, ['refs/heads/other'])
  t.match(watch.standing, { commit, operation: undefined })
})

t.test('our own commits are no moves, unless another came in between', async (t) => {
  const site = twoBranches(t)
  const moves: unknown[] = []
  const repository = await repositoryOf(site.root)
  const watch = new HeadWatch({ repository, isWriting: () => true, moved: (now) => moves.push(now.commit) })
  await watch.start()
  t.teardown(() => watch.close())
  const commit = () => {
    git(site.root, ['commit', '-q', '--allow-empty', '-m', 'x'])
    return git(site.root, ['rev-parse', 'HEAD'])
  }
  const base = git(site.root, ['rev-parse', 'HEAD'])
  const first = commit()
  watch.own(base, first)
  await watch.look()
  t.same(moves, [])
  const foreign = commit()
  const ours = commit()
  watch.own(foreign, ours)
  await watch.look()
  t.same(moves, [ours])
})

t.test('an operation in progress is known', async (t) => {
  const site = twoBranches(t)
  const repository = await repositoryOf(site.root)
  const watch = new HeadWatch({ repository, isWriting: () => false, moved: () => undefined })
  await watch.start()
  t.teardown(() => watch.close())
  site.write('a.md', 'a of main\n')
  commitAll(site, 'Main')
  t.throws(() => git(site.root, ['merge', '-q', 'other'], { GIT_MERGE_VERBOSITY: '0' }))
  await watch.look()
  t.equal(watch.standing?.operation, 'merge')
  git(site.root, ['merge', '--abort'])
  await watch.look()
  t.equal(watch.standing?.operation, undefined)
})

t.test('a repository that may not be read for a moment ends nothing, and moves are noticed after', async (t) => {
  const site = twoBranches(t)
  const alive = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(alive))
  let asked = 0
  const moved = new Promise<void>((resolve, reject) => {
    repositoryOf(site.root).then((repository) => {
      const isWriting = () => {
        asked++
        throw new Error('EACCES')
      }
      const watch = new HeadWatch({ repository, isWriting, moved: () => resolve() })
      t.teardown(() => watch.close())
      return watch.start().then(() => git(site.root, ['checkout', '-q', 'other']))
    }, reject)
  })
  await moved
  t.ok(asked > 0)
})
