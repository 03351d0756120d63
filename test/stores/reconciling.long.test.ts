import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { Tree } from '#stores/files/disk/tree.ts'
import { Reconciler } from '#stores/files/following/reconcile.ts'
import type { FileRegistry } from '#stores/files/registry/file-registry.ts'
import { makeSite } from '#support/sites.ts'

t.test('a look that fails ends neither the server nor the following', async (t) => {
  const site = makeSite({ 'content/posts/a.md': 'A\n' })
  let isBroken = true
  const waiting = new Set(['content'])
  const putOff = {
    get size() {
      return waiting.size
    },
    take: () => {
      const taken = new Set(waiting)
      waiting.clear()
      return taken
    },
  }
  const look = () => {
    if (isBroken) throw new Error('The disk does not answer.')
    return []
  }
  const folders = { paths: () => [], privatePaths: () => [] }
  const registry = { look, lookAtAny: look, putOff, folders } as unknown as FileRegistry
  const tree = new Tree(site.root, 'content', site.path('.cms'))
  const reconciler = new Reconciler({ tree, registry, repository: undefined, told: [] })
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  t.teardown(async () => {
    process.off('unhandledRejection', note)
    await reconciler.close()
    site.remove()
  })
  reconciler.start()
  await t.rejects(reconciler.reconcile(), /does not answer/, 'who waits for it is told')
  const both = [reconciler.reconcile(), reconciler.reconcile()]
  t.same(
    (await Promise.allSettled(both)).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  waiting.add('content')
  reconciler.lookAgain()
  while (!reconciler.state().watching.includes('does not answer')) await turn()
  isBroken = false
  await Promise.all([reconciler.reconcile(), reconciler.reconcile()])
  t.match(reconciler.state(), { watching: 'on', reconciled_at: String })
  t.same(unhandled, [])
})
