import t from 'tap'
import { keyOf } from '#core/key.ts'
import { Objects } from '#git/objects/objects.ts'
import { Upkeep } from '#git/objects/upkeep.ts'
import { openRepository } from '#git/repository.ts'
import { git, isSound } from '#support/git.ts'
import { makePacks, packsIn } from '#support/packs.ts'
import { openFiles } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }

t.test('many packs become few, under a reader and a writer', async (t) => {
  const { store, site, close } = await openFiles({ history: true, files: { 'content/posts/a.md': '# A\n' } })
  t.teardown(close)
  const repository = await openRepository(site.root, true)
  if ('without' in repository) throw new Error(repository.without)
  const upkeep = new Upkeep(repository)
  t.teardown(() => upkeep.close())
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
