import t from 'tap'
import { WorkerQueue } from '#lib/concurrency/worker-queue.ts'
import { moduleAddress } from '#lib/package.ts'

/** A thread that reads a text for the site's search: the smallest of those there are. */
const THREAD = moduleAddress('features/site/searching/stems-worker')
const QUESTION = { locale: 'en', text: { title: 'Lighthouse', tags: [], body: ['The keeper burns a lamp.'] } }

t.test('a thread with nothing to do keeps no process running', async (t) => {
  const queue = new WorkerQueue<typeof QUESTION, object>(THREAD, 15_000)
  t.teardown(() => queue.close())
  const before = running()
  const answer = queue.ask(QUESTION)
  t.not(running(), before, 'it does while it is asked')
  t.ok(await answer, 'is answered')
  t.equal(running(), before)
  t.ok(await queue.ask(QUESTION), 'and can be asked again')
  t.equal(running(), before)
})

/** Number of ports and threads that the event loop waits for. */
function running(): number {
  return process.getActiveResourcesInfo().filter((name) => /^(?:MessagePort|Worker)$/.test(name)).length
}
