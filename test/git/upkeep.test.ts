import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { commitGraph } from '#git/commit-graph.ts'
import { Objects } from '#git/objects.ts'
import { openRepository, type Repository } from '#git/repository.ts'
import { Upkeep } from '#git/upkeep.ts'
import { git, isSound, makeRepository } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { openFiles } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }

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

const packsIn = ({ common }: Repository) =>
  readdirSync(join(common, 'objects/pack')).filter((name) => name.endsWith('.pack')).length

/** So many packs of a commit each, as so many writes leave them. */
function makePacks(site: TestSite, count: number): void {
  const commit = 'commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/main^0\n'
  site.write('.git/stream', `${commit}M 100644 inline content/posts/p.md\ndata 2\n#\n\n`)
  const pack = 'git -c fastimport.unpackLimit=0 -c core.fsync=none fast-import --quiet < .git/stream'
  git(site.root, ['-c', `alias.packs=!for n in $(seq ${count}); do ${pack}; done`, 'packs'])
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

t.test('many packs become few, under a reader and a writer', async (t) => {
  const { store, site, close } = await openFiles({ history: true, files: { 'content/posts/a.md': '# A\n' } })
  t.teardown(close)
  const { repository, upkeep } = await kept(t, site)
  const reader = new Objects(repository.top)
  t.teardown(() => reader.close())
  const first = git(site.root, ['rev-parse', 'HEAD'])
  t.ok(await reader.read(first))
  makePacks(site, 30)
  for (let n = 0; n < 11; n++) await store.write([{ key: keyOf('posts', `p${n}`), put: { body: `${n}\n` } }], ada)
  const middle = git(site.root, ['rev-parse', 'HEAD~20'])
  t.ok(await reader.read(middle))
  const before = packsIn(repository)
  t.ok(before >= 40)
  const work = upkeep.work()
  const writes: Promise<unknown>[] = []
  for (let n = 0; n < 12; n++) writes.push(store.write([{ key: keyOf('posts', `p${n}`), put: { body: 'meanwhile\n' } }], ada))
  await Promise.all([work, ...writes])
  t.equal(upkeep.state().upkeep_fault, null)
  t.ok(packsIn(repository) < before / 2)
  for (const commit of [first, middle])
    t.equal((await reader.read(`${commit}^{tree}`))?.type, 'tree', 'read by a process from before')
  t.equal((await reader.read('HEAD:content/posts/p3.md'))?.bytes.toString(), '---\n---\n\nmeanwhile\n')
  await store.write([{ key: keyOf('posts', 'after'), put: { body: 'after\n' } }], ada)
  t.ok(isSound(site))
  t.equal(git(site.root, ['rev-list', '--count', 'HEAD']), String(1 + 30 + 11 + 12 + 1))
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
