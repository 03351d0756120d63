import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { CatchUp } from '#lib/concurrency/catch-up.ts'

/** Work that ends when it is told to, and counts how often it was begun. */
function held() {
  const ends: (() => void)[] = []
  let begun = 0
  const work = () => {
    begun++
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  return { work, end: () => ends.shift()?.(), begun: () => begun }
}

t.test('who asks while a run is under way shares the next one', async (t) => {
  const { work, end, begun } = held()
  const runs = new CatchUp(work)
  const first = runs.run()
  const [second, third] = [runs.run(), runs.run()]
  end()
  await first
  await setImmediate()
  t.equal(begun(), 2)
  end()
  await Promise.all([second, third])
  t.equal(begun(), 2)
})

t.test('where there was no hint nothing is done', async (t) => {
  let begun = 0
  const runs = new CatchUp(async () => void begun++)
  await runs.upToHints()
  await runs.upToHints()
  t.same([begun, runs.isBehind], [1, false])
  runs.hint()
  t.ok(runs.isBehind)
  await runs.upToHints()
  t.equal(begun, 2)
})

t.test('work that fails is behind', async (t) => {
  let isAway = true
  const runs = new CatchUp(async () => {
    if (isAway) throw new Error('It is away.')
  })
  await t.rejects(runs.run(), /away/)
  t.ok(runs.isBehind)
  isAway = false
  await runs.upToHints()
  t.notOk(runs.isBehind)
})

t.test('after a hint the work is done soon, and again after a failure', { timeout: 20_000 }, async (t) => {
  const done: (() => void)[] = []
  let begun = 0
  const runs = new CatchUp(async () => {
    if (++begun === 1) throw new Error('It is away.')
    for (const tell of done) tell()
  })
  const succeeded = new Promise<void>((resolve) => done.push(resolve))
  const stay = setInterval(() => undefined, 1000)
  for (let n = 0; n < 10; n++) runs.soon()
  await succeeded
  clearInterval(stay)
  t.equal(begun, 2)
  await runs.close()
  runs.soon()
  await runs.run()
  t.equal(begun, 2, 'closed, it does nothing')
})
