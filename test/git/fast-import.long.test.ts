import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FastImport } from '#git/objects/fast-import.ts'
import type { CommitOrder } from '#git/objects/import-commands.ts'
import { keptPacks } from '#git/objects/kept-packs.ts'
import { openRepository } from '#git/repository.ts'
import { git, makeRepository } from '#support/git.ts'
import { makeSite } from '#support/sites.ts'

const ada = 'Ada <ada@example.org>'

function order(path: string, text: string): CommitOrder {
  const edits = [{ path, mode: '100644', bytes: Buffer.from(text) }]
  return { author: ada, committer: ada, seconds: 1_800_000_000, message: `Write ${path}`, edits }
}

async function scratch(t: Test) {
  const site = makeSite({ 'a.md': '# A\n' })
  makeRepository(site)
  const repository = await openRepository(site.root, true)
  if ('without' in repository) throw new Error(repository.without)
  const make = new FastImport(repository, false)
  t.teardown(async () => {
    await make.close()
    site.remove()
  })
  const at = (name: string) => git(site.root, ['rev-parse', name]).trim()
  /** Makes a commit on top of the branch, and moves the branch to it. */
  const commit = async (one: CommitOrder) => {
    const [made = ''] = await make.make(at('HEAD'), [one])
    git(site.root, ['update-ref', 'HEAD', made])
  }
  return { root: site.root, repository, make, commit, at }
}

for (const pruning of [
  ['repack', '-adq'],
  ['gc', '-q', '--prune=now'],
]) {
  t.test(`what a pack had is written again when git ${pruning.join(' ')} has taken the pack away`, async (t) => {
    const { root, commit, at } = await scratch(t)
    const base = at('HEAD')
    await commit(order('b.md', 'taken back\n'))
    git(root, ['gc', '-q'])
    git(root, ['reset', '-q', '--hard', base])
    git(root, ['update-ref', '-d', 'refs/cms/pending'])
    await commit(order('c.md', 'another\n'))
    git(root, ['update-ref', '-d', 'refs/cms/pending'])
    git(root, ['reflog', 'expire', '--expire=now', '--all'])
    git(root, pruning)
    await commit(order('b.md', 'taken back\n'))
    t.equal(git(root, ['show', 'HEAD:b.md']), 'taken back')
    git(root, ['-c', 'core.commitGraph=false', 'fsck', '--strict'])
  })
}

t.test('what is made is held also where another git has the ref locked, as while it packs refs', async (t) => {
  const { root, commit, make, at } = await scratch(t)
  await commit(order('b.md', 'first\n'))
  const lock = join(root, '.git/refs/cms/pending.lock')
  writeFileSync(lock, '')
  setTimeout(() => rmSync(lock), 600)
  const [made] = await make.make(at('HEAD'), [order('c.md', 'second\n')])
  t.equal(at('refs/cms/pending'), made)
  writeFileSync(lock, '')
  await t.rejects(make.make(at('HEAD'), [order('d.md', 'third\n')]), { message: /pending/ }, 'what nothing holds is not built on')
  rmSync(lock)
})

t.test('the ref of what was made goes with who made it, and no other', async (t) => {
  const { root, repository, make, commit, at } = await scratch(t)
  const base = at('HEAD')
  await commit(order('b.md', 'taken back\n'))
  await make.make(at('HEAD'), [order('c.md', 'dropped\n')])
  await make.close()
  const other = new FastImport(repository, false)
  t.teardown(() => other.close())
  const [waits] = await other.make(base, [order('d.md', 'waits\n')])
  await make.clear()
  t.equal(at('refs/cms/pending'), waits, 'what another has there')
  await other.clear()
  t.equal(git(root, ['for-each-ref', 'refs/cms']), '')
  git(root, ['reset', '-q', '--hard', base])
  git(root, ['reflog', 'expire', '--expire=now', '--all'])
  git(root, ['gc', '-q', '--prune=now'])
  t.notMatch(git(root, ['log', '-p', '--all']), /taken back|dropped|waits/)
})

t.test('a repository without the folder of packs, as copies have it, is written to', async (t) => {
  const { root, repository, commit } = await scratch(t)
  rmSync(join(root, '.git/objects/pack'), { recursive: true })
  t.same(keptPacks(repository), [])
  await commit(order('b.md', 'new\n'))
  t.equal(git(root, ['show', 'HEAD:b.md']), 'new')
})
