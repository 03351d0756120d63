import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { takeDeliveries } from '#stores/files/following/deliveries.ts'
import { scratchSite, start, until } from '#support/cli.ts'

t.test('a server waits for who makes the events of the site, and not for one that died', async (t) => {
  const root = scratchSite(t, { 'content/posts/first.md': '---\ntitle: First\n---\n' })
  const release = await takeDeliveries(join(root, '.cms'))
  t.ok(release)
  const running = start(['serve', '--port', '0'], { cwd: root })
  t.teardown(() => running.process.kill('SIGKILL'))
  const waits = join(root, '.cms/deliveries.lock.wanted')
  await until(
    async () => existsSync(waits),
    (isThere) => isThere,
  )
  t.equal(running.output.stdout, '')
  release?.()
  await running.says(/^Listening/)
  t.equal(await takeDeliveries(join(root, '.cms')), undefined, 'beside it, nobody makes them')
  running.process.kill('SIGKILL')
  await running.done
  const again = await takeDeliveries(join(root, '.cms'))
  t.ok(again)
  again?.()
})
