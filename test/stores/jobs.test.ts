import { mock } from 'node:test'
import t, { type Test } from 'tap'
import type { Lease } from '#core/jobs/job-runs.ts'
import { GRACE, type Job, type Jobs, LEASE, restAfter, TRIES, type Worker, type Workers } from '#core/jobs/jobs.ts'
import { FilesJobs } from '#stores/files/jobs/jobs.ts'
import { Database } from '#stores/postgres/database.ts'
import { PostgresJobs } from '#stores/postgres/jobs.ts'
import { TestClock } from '#support/clock.ts'
import { MemoryJobs, MemoryQueue } from '#support/memory-jobs.ts'
import { testDatabase } from '#support/postgres.ts'
import { makeSite } from '#support/sites.ts'

/** Opens the same jobs on one more node, which looks for some after each `pause` in milliseconds. */
type Node = (pause?: number) => Promise<Jobs>

async function onFiles(t: Test, clock: TestClock): Promise<Node> {
  const site = makeSite()
  t.teardown(site.remove)
  return async (pause = 3) => new FilesJobs(site.path('.cms/jobs'), clock, { pause })
}

async function onPostgres(t: Test, clock: TestClock): Promise<Node> {
  const url = await testDatabase(t)
  return async (pause = 3) => {
    const database = await Database.open(url)
    t.teardown(() => database.close())
    return new PostgresJobs(database, clock, pause)
  }
}

async function inMemory(_: Test, clock: TestClock): Promise<Node> {
  const queue = new MemoryQueue()
  return async (pause = 3) => new MemoryJobs(queue, clock, pause)
}

function everyStore(name: string, body: (t: Test, node: Node, clock: TestClock) => Promise<void>): void {
  t.test(name, async (t) => {
    for (const [store, nodes] of Object.entries({ files: onFiles, postgres: onPostgres, memory: inMemory })) {
      await t.test(store, async (t) => {
        const clock = new TestClock()
        const open = await nodes(t, clock)
        const opened: Jobs[] = []
        const node: Node = async (pause) => {
          const jobs = await open(pause)
          opened.push(jobs)
          return jobs
        }
        await body(t, node, clock)
        await Promise.all(opened.map((jobs) => jobs.close()))
      })
    }
  })
}

/** A worker that keeps what it is given, and a way to wait until it is so much in all. */
class Kept {
  readonly jobs: Job[] = []
  readonly #waiting = new Map<number, () => void>()

  readonly work = async (job: Job): Promise<void> => {
    this.jobs.push(job)
    this.#waiting.get(this.jobs.length)?.()
  }

  reach(count: number): Promise<void> {
    return new Promise((resolve) => (this.jobs.length >= count ? resolve() : this.#waiting.set(count, resolve)))
  }

  get names(): string[] {
    return this.jobs.map(({ name }) => name)
  }
}

const unwanted = (job: Job, error: unknown) => {
  throw new Error(`${job.name} was given up: ${error}`)
}

/** Workers of these jobs; by default none may be given up. */
function workers(work: Readonly<Record<string, Worker['work']>>, gaveUp: Worker['gaveUp'] = unwanted): Workers {
  return Object.fromEntries(Object.entries(work).map(([name, work]) => [name, { work, gaveUp }]))
}

everyStore('a job is done when it is due, with what it was given', async (t, node, clock) => {
  const jobs = await node()
  const data = { deep: [1, null, 'a\u0000é'] }
  await jobs.add({ name: 'later', data: 2 }, clock.now() + 1000)
  await jobs.add({ name: 'first', data })
  await jobs.add({ name: 'second', data: null })
  const kept = new Kept()
  const { work } = kept
  jobs.run(workers({ first: work, second: work, third: work, later: work }))
  await kept.reach(2)
  t.same(kept.jobs, [
    { name: 'first', data },
    { name: 'second', data: null },
  ])
  clock.advance(999)
  await jobs.add({ name: 'third', data: 1 })
  await kept.reach(3)
  clock.advance(1)
  await kept.reach(4)
  t.same(kept.names.slice(2), ['third', 'later'])
})

everyStore('of a hundred jobs and four workers on two nodes, each is done once', async (t, node) => {
  const nodes = [await node(), await node()]
  await Promise.all(Array.from({ length: 100 }, (_, i) => nodes[i % 2]?.add({ name: 'counted', data: i })))
  const kept = new Kept()
  for (const jobs of [...nodes, ...nodes]) jobs.run(workers({ counted: kept.work }))
  await kept.reach(100)
  await Promise.all(nodes.map((jobs) => jobs.close()))
  t.equal(new Set(kept.jobs.map(({ data }) => data)).size, 100)
  t.equal(kept.jobs.length, 100)
})

everyStore('jobs outlive who asked for them', async (t, node) => {
  const before = await node()
  await before.add({ name: 'kept', data: 1 })
  await before.close()
  const kept = new Kept()
  const after = await node()
  after.run(workers({ kept: kept.work }))
  await kept.reach(1)
  t.same(kept.names, ['kept'])
})

everyStore('what is added here is begun at once, and stopping waits for it', async (t, node) => {
  const jobs = await node(3_600_000)
  let finish = () => {}
  const began = new Promise<void>((resolve) => {
    const work = () =>
      new Promise<void>((done) => {
        finish = done
        resolve()
      })
    t.teardown(jobs.run(workers({ now: work })))
  })
  await jobs.add({ name: 'now', data: 1 })
  await began
  let isStopped = false
  const stopped = jobs.close().then(() => {
    isStopped = true
  })
  await jobs.add({ name: 'late', data: 1 })
  t.notOk(isStopped)
  finish()
  await stopped
  const kept = new Kept()
  const other = await node()
  other.run(workers({ late: kept.work }))
  await kept.reach(1)
  t.same(kept.names, ['late'])
})

everyStore('the job of a worker that is gone is done by another', async (t, node, clock) => {
  const [gone, other] = [await node(), await node()]
  let give = () => {}
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const hang = () =>
    new Promise<void>((resolve) => {
      give = resolve
      begin()
    })
  gone.run(workers({ orphan: hang }))
  await gone.add({ name: 'orphan', data: 1 })
  await begun
  const kept = new Kept()
  other.run(workers({ orphan: kept.work, young: kept.work }))
  clock.advance(LEASE - 1)
  await other.add({ name: 'young', data: 1 })
  await kept.reach(1)
  clock.advance(1)
  await kept.reach(2)
  t.same(kept.names, ['young', 'orphan'])
  give()
})

everyStore('what fails is tried again, ever later, and given up in the end', async (t, node, clock) => {
  const jobs = await node()
  const kept = new Kept()
  let tries = 0
  const work = async (job: Job) => {
    if (job.name !== 'hopeless') return kept.work(job)
    tries += 1
    throw new Error(`no ${tries}`)
  }
  const givenUp = new Promise((resolve) =>
    jobs.run(workers({ hopeless: work, other: work }, (job, error) => resolve([job, error]))),
  )
  const tried = async () => {
    const done = kept.jobs.length + 1
    await jobs.add({ name: 'other', data: 1 })
    await kept.reach(done)
    return tries
  }
  await jobs.add({ name: 'hopeless', data: 1 })
  t.equal(await tried(), 1)
  clock.advance(restAfter(1) - 1)
  t.equal(await tried(), 1, 'it rests')
  clock.advance(1)
  t.equal(await tried(), 2)
  clock.advance(restAfter(2))
  t.equal(await tried(), 3)
  for (let n = 3; n < TRIES; n++) {
    clock.advance(restAfter(n))
    await tried()
  }
  t.match(await givenUp, [{ name: 'hopeless', data: 1 }, { message: `no ${TRIES}` }])
  clock.advance(restAfter(TRIES) + LEASE)
  t.equal(await tried(), TRIES)
  t.same([restAfter(1), restAfter(2), restAfter(TRIES)], [5000, 10_000, 21_600_000])
})

everyStore('a job of a kind that nobody here does is left for who does it, as it was', async (t, node, clock) => {
  const [here, there] = [await node(), await node()]
  await here.add({ name: 'index', data: 1 })
  const kept = new Kept()
  here.run(workers({ mail: kept.work }))
  for (let passes = 1; passes <= TRIES + 1; passes++) {
    clock.advance(LEASE)
    await here.add({ name: 'mail', data: passes })
    await kept.reach(passes)
  }
  t.same(new Set(kept.names), new Set(['mail']))
  const failing = new Promise<Job>((resolve) => {
    const fail = async (job: Job) => {
      resolve(job)
      throw new Error('Once is not enough.')
    }
    there.run(workers({ index: fail }))
  })
  t.same(await failing, { name: 'index', data: 1 }, 'no try was counted')
})

t.test('jobs of an earlier release are done', async (t) => {
  const site = makeSite()
  t.teardown(site.remove)
  const name = `${'1'.padStart(16, '0')}.${'1'.padStart(16, '0')}-00000000-0000-4000-8000-000000000000.2.job`
  site.write(`.cms/jobs/${name}`, JSON.stringify({ name: 'mail', data: 'old' }))
  const jobs = new FilesJobs(site.path('.cms/jobs'), new TestClock(), { pause: 3 })
  const kept = new Kept()
  jobs.run(workers({ mail: kept.work }))
  await kept.reach(1)
  t.same(kept.jobs, [{ name: 'mail', data: 'old' }])
  await jobs.close()
})

t.test('a name that a file could not have is refused', async (t) => {
  const jobs = new MemoryJobs(new MemoryQueue(), new TestClock(), 3)
  for (const name of ['', '../x', 'a.b', 'A', 'x'.repeat(41)]) await t.rejects(jobs.add({ name, data: 1 }), TypeError)
})

t.test('who is long at work keeps the job', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const clock = new TestClock()
  let renewed = () => {}
  class Queue extends MemoryQueue {
    override async move(lease: Lease, until: number): Promise<Lease | undefined> {
      const moved = await super.move(lease, until)
      renewed()
      return moved
    }
  }
  const queue = new Queue()
  const [slow, other] = [new MemoryJobs(queue, clock, 3), new MemoryJobs(queue, clock, 3)]
  let finish = () => {}
  const begun = new Promise<void>((resolve) => {
    const work = () =>
      new Promise<void>((done) => {
        finish = done
        resolve()
      })
    slow.run(workers({ long: work }))
  })
  await slow.add({ name: 'long', data: 1 })
  await begun
  const kept = new Kept()
  other.run(workers({ short: kept.work }))
  for (let times = 1; times <= 5; times++) {
    clock.advance(LEASE - 1)
    const renewal = new Promise<void>((resolve) => {
      renewed = resolve
    })
    mock.timers.tick(LEASE / 3)
    await renewal
    await other.add({ name: 'short', data: times })
    await kept.reach(times)
  }
  t.same(new Set(kept.names), new Set(['short']))
  finish()
  await Promise.all([slow.close(), other.close()])
  t.equal(await queue.take(['long', 'short'], clock.now() + LEASE, 0), undefined, 'it is done')
})

t.test('who is long at work is told to end, some seconds after a stop', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const jobs = new MemoryJobs(new MemoryQueue(), new TestClock(), 3)
  let isTold = false
  const begun = new Promise<void>((resolve) => {
    const work = (_: Job, signal: AbortSignal) =>
      new Promise<void>((done) => {
        signal.onabort = () => {
          isTold = true
          done()
        }
        resolve()
      })
    jobs.run(workers({ long: work }))
  })
  await jobs.add({ name: 'long', data: 1 })
  await begun
  const closed = jobs.close()
  mock.timers.tick(GRACE - 1)
  t.notOk(isTold)
  mock.timers.tick(1)
  await closed
  t.ok(isTold)
})

t.test('a job that ends its process each time is given up, too', async (t) => {
  const queue = new MemoryQueue()
  queue.add({ name: 'deadly', data: 1 }, 0, 0)
  for (let tries = 0; tries < TRIES; tries++) await queue.take(['deadly'], tries, tries + 1)
  const jobs = new MemoryJobs(queue, new TestClock(), 3)
  const work = () => Promise.reject(new Error('It is not tried any more.'))
  const [job] = await new Promise<unknown[]>((resolve) => jobs.run(workers({ deadly: work }, (...told) => resolve(told))))
  t.same(job, { name: 'deadly', data: 1 })
  await jobs.close()
})

t.test('while the queue is away nothing is begun, and then all is', async (t) => {
  let isAway = true
  let asked = () => {}
  const away = new Promise<void>((resolve) => {
    asked = resolve
  })
  class Queue extends MemoryQueue {
    override async take(names: readonly string[], now: number, until: number): Promise<Lease | undefined> {
      asked()
      if (isAway) throw new Error('away')
      return super.take(names, now, until)
    }
  }
  const jobs = new MemoryJobs(new Queue(), new TestClock(), 3)
  const kept = new Kept()
  jobs.run(workers({ waits: kept.work }))
  await jobs.add({ name: 'waits', data: 1 })
  await away
  t.same(kept.jobs, [])
  isAway = false
  await kept.reach(1)
  await jobs.close()
})

everyStore('what waits is counted by name, with the time of the oldest, whoever has it', async (t, node, clock) => {
  const jobs = await node()
  t.strictSame(await jobs.waiting(), [])
  const begun = clock.now()
  await jobs.add({ name: 'mail', data: 1 })
  clock.advance(5_000)
  await jobs.add({ name: 'mail', data: 2 }, begun + 90_000)
  await jobs.add({ name: 'later', data: 3 }, begun + 60_000)
  const expected = [
    { name: 'later', count: 1, oldest: begun + 5_000 },
    { name: 'mail', count: 2, oldest: begun },
  ]
  t.strictSame(await (await node()).waiting(), expected)
  let taken = () => {}
  const isTaken = new Promise<void>((resolve) => {
    taken = resolve
  })
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const stop = jobs.run(
    workers({
      mail: async () => {
        taken()
        await ended
      },
    }),
  )
  await isTaken
  t.strictSame(await jobs.waiting(), expected, 'one that is under way waits, too')
  end()
  await stop()
  t.strictSame(await jobs.waiting(), [
    { name: 'later', count: 1, oldest: begun + 5_000 },
    { name: 'mail', count: 1, oldest: begun + 5_000 },
  ])
})

t.test('a job of an earlier release is counted from when it is due', async (t) => {
  const site = makeSite({
    '.cms/jobs/0000000000005000.0000000000000001-0b7c1f60-0f0a-4d1e-9a55-2f6f3d8f2a11.0.mail.job': '{"name":"mail","data":1}',
    '.cms/jobs/0000000000007000.0000000000000002-0b7c1f60-0f0a-4d1e-9a55-2f6f3d8f2a12.0.job': '{"name":"mail","data":2}',
    '.cms/jobs/notes.txt': 'By hand.',
  })
  t.teardown(site.remove)
  const jobs = new FilesJobs(site.path('.cms/jobs'), new TestClock())
  t.strictSame(await jobs.waiting(), [{ name: 'mail', count: 2, oldest: 5_000 }])
})

t.test('so it is in a database', async (t) => {
  const database = await Database.open(await testDatabase(t))
  t.teardown(() => database.close())
  await database.run((db) => db.insertInto('jobs').values({ name: 'mail', data: '1', due: 5_000, added: null }).execute())
  t.strictSame(await new PostgresJobs(database, new TestClock()).waiting(), [{ name: 'mail', count: 1, oldest: 5_000 }])
})
