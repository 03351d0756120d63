import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Fact, Ledger } from '#core/ledger.ts'
import type { Json } from '#lib/json.ts'
import { FilesLedger } from '#stores/files/ledger/ledger.ts'
import { Database } from '#stores/postgres/database.ts'
import { PostgresLedger } from '#stores/postgres/ledger.ts'
import { TestClock } from '#support/clock.ts'
import { MemoryLedger } from '#support/model.ts'
import { testDatabase } from '#support/postgres.ts'
import { makeSite } from '#support/sites.ts'
import { eachStore } from '#support/stores.ts'

/** A ledger, and how to open the same facts once more, as another node does. */
interface Opened {
  readonly name: string
  readonly ledger: Ledger
  again(): Promise<Ledger>
}

async function openFiles(t: Test, clock: TestClock): Promise<Opened> {
  const site = makeSite()
  t.teardown(site.remove)
  const open = () => FilesLedger.open(site.path('.cms/ledger.log'), clock)
  return { name: 'files', ledger: await open(), again: open }
}

async function openPostgres(t: Test, clock: TestClock): Promise<Opened> {
  const url = await testDatabase(t)
  const open = async () => {
    const database = await Database.open(url)
    t.teardown(() => database.close())
    return new PostgresLedger(database, clock)
  }
  return { name: 'postgres', ledger: await open(), again: open }
}

async function openMemory(_: Test, clock: TestClock): Promise<Opened> {
  const ledger = new MemoryLedger(clock)
  return { name: 'memory', ledger, again: async () => ledger }
}

const OPENERS = [openFiles, openPostgres, openMemory]

function everyLedger(name: string, body: (t: Test, opened: Opened & { clock: TestClock }) => Promise<void>): void {
  t.test(name, async (t) => {
    for (const open of OPENERS) {
      const clock = new TestClock()
      const opened = await open(t, clock)
      await t.test(opened.name, async (t) => {
        t.teardown(() => opened.ledger.close())
        await body(t, { ...opened, clock })
      })
    }
  })
}

async function all(ledger: Ledger): Promise<Fact[]> {
  const facts: Fact[] = []
  for await (const fact of ledger.facts()) facts.push(fact)
  return facts.sort((a, b) => (a.name < b.name ? -1 : 1))
}

everyLedger('facts and their lives', async (t, { ledger, clock }) => {
  await ledger.put('a', { deep: [1] }, 1000)
  t.same(await ledger.peek('a'), { deep: [1] })
  const sums = await Promise.all([1, 2, 3].map((n) => ledger.add('n', n, 1000)))
  t.equal(new Set(sums).size, 3, 'each in a step of its own, in whatever order they come')
  t.equal(Math.max(...sums), 6)
  clock.advance(999)
  t.equal(await ledger.add('n', 1, 1000), 7)
  clock.advance(1)
  t.equal(await ledger.peek('n'), undefined, 'the life is not prolonged')
  t.equal(await ledger.take('a'), undefined, 'what is over is not taken')
  t.equal(await ledger.add('n', 1, 1000), 1)
  await ledger.put('b', null, 10)
  t.equal(await ledger.peek('b'), null, 'null is a value')
  await ledger.put('b', 'counts from nothing', 10)
  t.equal(await ledger.add('b', 2, 10), 2)
})

everyLedger('of a hundred at once, one takes it; and all are counted', async (t, { ledger, again }) => {
  const nodes = [ledger, await again()]
  await ledger.put('a', 'once', 1000)
  const taken = await Promise.all(Array.from({ length: 100 }, (_, i) => nodes[i % 2]?.take('a')))
  t.same(
    taken.filter((value) => value !== undefined),
    ['once'],
  )
  const sums = await Promise.all(Array.from({ length: 100 }, (_, i) => nodes[i % 2]?.add('n', 1, 1000)))
  t.same(
    sums.sort((a = 0, b = 0) => a - b),
    Array.from({ length: 100 }, (_, i) => i + 1),
  )
})

everyLedger('many counters in one step', async (t, { ledger, again, clock }) => {
  const other = await again()
  const counts = (names: string) => [...names].map((name, i) => ({ name, n: i + 0.5 }))
  t.same(await ledger.addAll(counts('xyz'), 1000), [0.5, 1.5, 2.5])
  clock.advance(600)
  t.same(await other.addAll(counts('azx'), 1000), [0.5, 4, 3], 'in the order asked for')
  clock.advance(400)
  t.same(
    (await all(ledger)).map(({ name, value }) => [name, value]),
    [['a', 0.5]],
    'each has the life it began with',
  )
  t.same(await ledger.addAll([], 1000), [])
  const both = Array.from({ length: 40 }, (_, i) =>
    [ledger, other][i % 2]?.addAll(i % 4 < 2 ? counts('pqrstuvw') : counts('pqrstuvw').reverse(), 1000),
  )
  await Promise.all(both)
  t.equal(await other.peek('w'), 300, 'in whatever order they are named')
})

everyLedger('every fact, to carry it elsewhere', async (t, { ledger, clock }) => {
  const now = clock.now()
  await ledger.put('short', 1, 10)
  await ledger.addAll(
    Array.from({ length: 1100 }, (_, i) => ({ name: `n${i}`, n: i })),
    5000,
  )
  await ledger.put('text', 'a\u0000"b', 7000)
  clock.advance(10)
  const facts = await all(ledger)
  t.equal(facts.length, 1101)
  t.match(facts.at(-1), { name: 'text', value: 'a\u0000"b', until: now + 7000 })
  t.match(
    facts.find(({ name }) => name === 'n1099'),
    { value: 1099, until: now + 5000 },
  )
})

t.test('any run of calls gives the same from every ledger', async (t) => {
  const clock = new TestClock()
  const opened = await Promise.all(OPENERS.map((open) => open(t, clock)))
  const name = fc.constantFrom('a', 'b', 'é')
  const ttl = fc.constantFrom(1, 50, 100)
  const small = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)
  const long = fc.tuple(small, fc.constantFrom('a"', 'é€')).map(([value, text]): Json => [value, text.repeat(3000)])
  const json = fc.oneof(small, long)
  type Step = (ledger: Ledger) => Promise<unknown>
  const step: fc.Arbitrary<Step | number> = fc.oneof(
    fc.tuple(name, json, ttl).map(
      ([name, value, ttl]): Step =>
        (ledger) =>
          ledger.put(name, value, ttl),
    ),
    fc.tuple(name, fc.integer(), ttl).map(
      ([name, n, ttl]): Step =>
        (ledger) =>
          ledger.add(name, n, ttl),
    ),
    name.map(
      (name): Step =>
        (ledger) =>
          ledger.take(name),
    ),
    name.map(
      (name): Step =>
        (ledger) =>
          ledger.peek(name),
    ),
    fc.constant<Step>(all),
    fc.constantFrom(1, 49, 100),
  )
  const property = fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
    clock.advance(100)
    for (const step of steps) {
      if (typeof step === 'number') clock.advance(step)
      else sameAnswers(await Promise.all(opened.map(({ ledger }) => step(ledger))))
    }
  })
  await t.resolves(fc.assert(property, { numRuns: 40 }))
})

function sameAnswers(answers: readonly unknown[]): void {
  const [files, postgres, memory] = answers
  assert.deepStrictEqual(files, memory)
  assert.deepStrictEqual(postgres, memory)
}

t.test('what has ended is removed from the table by and by', async (t) => {
  const database = await Database.open(await testDatabase(t))
  t.teardown(() => database.close())
  const clock = new TestClock()
  const ledger = new PostgresLedger(database, clock)
  const counts = Array.from({ length: 300 }, (_, i) => ({ name: `old${i}`, n: 1 }))
  await ledger.addAll(counts, 1000)
  await ledger.put('stays', 1, 5000)
  await ledger.close()
  clock.advance(1000)
  for (let i = 0; i < 100; i++) await ledger.add('new', 1, 60_000)
  await ledger.close()
  const { rows } = await ledgerNames(database)
  t.same(rows.map(({ name }) => name).sort(), ['new', 'stays'])
})

t.test('what ended an hour ago is found nowhere after the next write', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { ledger, clock, site } = opened
    await ledger.put('secret', 'nobody is to know', 1000)
    await ledger.put('stays', 1, 10 * 3_600_000)
    clock.advance(1000 + 3_600_000)
    await ledger.add('count', 1, 1000)
    await ledger.close()
    if (site) t.notMatch(readFileSync(site.path('.cms/ledger.log'), 'utf8'), 'nobody')
    if ('url' in opened) {
      const database = await Database.open(String(opened.url))
      t.teardown(() => database.close())
      t.same((await ledgerNames(database)).rows.map(({ name }) => name).sort(), ['count', 'stays'])
    }
    t.equal(await ledger.peek('stays'), 1)
    t.equal(await ledger.add('count', 1, 1000), 2)
  }),
)

function ledgerNames(database: Database): Promise<{ rows: { name: string }[] }> {
  return database.read(async (db) => ({ rows: await db.selectFrom('ledger').select('name').execute() }))
}
