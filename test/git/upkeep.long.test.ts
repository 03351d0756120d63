import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { commitGraph } from '#git/objects/commit-graph.ts'
import { Upkeep } from '#git/objects/upkeep.ts'
import { openRepository, type Repository } from '#git/repository.ts'
import { git, makeRepository } from '#support/git.ts'
import { makePacks, packsIn } from '#support/packs.ts'
import { makeSite, type TestSite } from '#support/sites.ts'

async function kept(t: Test, site: TestSite): Promise<{ repository: Repository; upkeep: Upkeep }> {
  const repository = await openRepository(site.root, true)
  if ('without' in repository) throw new Error(repository.without)
  const upkeep = new Upkeep(repository)
  t.teardown(() => upkeep.close())
  return { repository, upkeep }
}

async function scratch(t: Test): Promise<{ site: TestSite; repository: Repository; upkeep: Upkeep }> {
  const site = makeSite({ 'content/posts/a.md': '# A\n' })
  t.teardown(() => site.remove())
  makeRepository(site)
  return { site, ...(await kept(t, site)) }
}

t.test('the graph of commits is written, with the paths they touched, and grows', async (t) => {
  const { site, repository, upkeep } = await scratch(t)
  t.equal(commitGraph(repository), 'none')
  upkeep.start()
  await upkeep.work()
  t.match(upkeep.state(), { commit_graph: 'whole', upkeep_fault: null })
  const chain = () => readFileSync(site.path('.git/objects/info/commit-graphs/commit-graph-chain'), 'utf8')
  const first = chain()
  git(site.root, ['commit', '-q', '--allow-empty', '-m', 'By hand'])
  upkeep.committed(99)
  await upkeep.work()
  t.equal(chain(), first, 'not at every commit')
  upkeep.committed(1)
  await upkeep.work()
  t.not(chain(), first)
  git(site.root, ['commit-graph', 'verify'])
})

t.test('a graph without paths is made anew', async (t) => {
  const { site, repository, upkeep } = await scratch(t)
  git(site.root, ['commit-graph', 'write', '--reachable'])
  t.equal(commitGraph(repository), 'without')
  upkeep.start()
  await upkeep.work()
  t.equal(commitGraph(repository), 'whole')
})

t.test('what the repository wants left alone is left alone', async (t) => {
  const settings = [
    ['core.commitGraph', 'false', 'none', 'few'],
    ['gc.auto', '0', 'whole', 'many'],
    ['remote.origin.promisor', 'true', 'none', 'many'],
  ] as const
  for (const [name, value, graph, packs] of settings) {
    const { site, repository, upkeep } = await scratch(t)
    makePacks(site, 42)
    git(site.root, ['config', name, value])
    upkeep.start()
    await upkeep.work()
    t.equal(upkeep.state().upkeep_fault, null)
    t.equal(commitGraph(repository), graph, name)
    t.equal(packsIn(repository) < 10 ? 'few' : 'many', packs, name)
  }
})

t.test('packs are left alone where a repository borrows from another', async (t) => {
  const { site, repository, upkeep } = await scratch(t)
  makePacks(site, 42)
  const lender = makeSite()
  t.teardown(() => lender.remove())
  makeRepository(lender)
  writeFileSync(site.path('.git/objects/info/alternates'), `${lender.path('.git/objects')}\n`)
  await upkeep.work()
  t.equal(packsIn(repository), 42)
})

t.test('a failure is only told of', async (t) => {
  const { site, upkeep } = await scratch(t)
  site.write('.git/objects/info/commit-graphs/commit-graph-chain.lock', '')
  upkeep.start()
  await upkeep.work()
  t.match(upkeep.state().upkeep_fault, /commit-graph-chain\.lock/)
  t.ok(existsSync(site.path('.git/objects/info/commit-graphs/commit-graph-chain.lock')), 'the lock of another is not taken away')
})
