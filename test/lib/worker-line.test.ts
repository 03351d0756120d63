import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { WorkerLine } from '#lib/concurrency/worker-line.ts'
import { NotAsked, Unanswered } from '#lib/concurrency/worker-queue.ts'
import { moduleAddress } from '#lib/package.ts'

/** A line whose thread runs this code for the questions of a message. */
function lineOf(t: Test, body: string): WorkerLine<unknown, unknown> {
  const file = join(t.testdir(), 'worker.mjs')
  const answers = moduleAddress('lib/concurrency/worker-answers')
  writeFileSync(
    file,
    `import { workerData } from 'node:worker_threads'\nimport { answerQuestions } from ${JSON.stringify(answers.href)}\nanswerQuestions((questions) => {${body}})\n`,
  )
  const line = new WorkerLine<unknown, unknown>(pathToFileURL(file), 7, {})
  t.teardown(() => line.close())
  return line
}

t.test('questions of one turn are one message, and each gets its own answer', async (t) => {
  const line = lineOf(t, 'return questions.map((one) => [one, questions.length, workerData])')
  const first = await Promise.all([1, 2, 3].map((one) => line.ask(one)))
  t.strictSame(
    first,
    [1, 2, 3].map((one) => [one, 3, 7]),
  )
  t.equal(line.begin(), true, 'it can be asked now')
  const turns = [line.ask('a')]
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  turns.push(line.ask('b'), line.ask('c'))
  t.strictSame(await Promise.all(turns), [
    ['a', 1, 7],
    ['b', 2, 7],
    ['c', 2, 7],
  ])
})

t.test('a thread that fails leaves nobody waiting, and the next question begins another', async (t) => {
  const line = lineOf(
    t,
    "if (questions.includes('end')) process.exit(1); if (questions.includes('throw')) throw new Error('no'); return questions",
  )
  for (const worst of ['end', 'throw']) {
    t.equal(await line.ask('a'), 'a')
    const asked = await Promise.allSettled(['b', worst, 'c'].map((one) => line.ask(one)))
    for (const one of asked) t.ok(one.status === 'rejected' && one.reason instanceof Unanswered)
    t.strictSame(await Promise.all(['d', 'e'].map((one) => line.ask(one))), ['d', 'e'])
  }
})

t.test('closed, it answers nothing more; what waits is told so', async (t) => {
  const line = lineOf(t, 'return questions')
  await line.ask('a')
  const waits = line.ask('b')
  const told = t.rejects(waits, new NotAsked('It was ended.'))
  await line.close()
  await told
  await t.rejects(line.ask('c'), new NotAsked('It was ended.'))
  t.equal(line.begin(), false)
})

t.test('too many at once are not asked', async (t) => {
  const line = lineOf(t, 'return questions')
  const asked = await Promise.allSettled(Array.from({ length: 1030 }, (_, n) => line.ask(n)))
  t.equal(asked.filter(({ status }) => status === 'fulfilled').length, 1024)
  t.strictSame(await Promise.all([line.ask('a')]), ['a'])
})
