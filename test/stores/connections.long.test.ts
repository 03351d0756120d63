import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { Stale, Unavailable } from '#lib/errors.ts'
import { PostgresAuditLog } from '#stores/postgres/audit-log.ts'
import { PostgresBlobs } from '#stores/postgres/blobs.ts'
import { PostgresLedger } from '#stores/postgres/ledger.ts'
import { PostgresStore } from '#stores/postgres/store.ts'
import { TestApp } from '#support/app.ts'
import { until } from '#support/cli.ts'
import { TestClock } from '#support/clock.ts'
import { MemorySiteFiles } from '#support/memory-site-files.ts'
import { ask, testDatabase } from '#support/postgres.ts'
import { SearchModel } from '#support/search-model.ts'
import { Server } from '#support/server.ts'
import { plainTypes } from '#support/types.ts'
import { type Loss, Wire } from '#support/wire.ts'

const ADA = { name: 'Ada', email: 'ada@example.org' }

t.jobs = 2

async function openStore(t: Test, url: string, watch = false) {
  const [types, clock] = [plainTypes(), new TestClock()]
  const store = await PostgresStore.open({ url, types, clock, watch, secret: 'x'.repeat(32) })
  t.teardown(() => store.close())
  return {
    name: 'postgres' as const,
    store,
    types,
    clock,
    ledger: new PostgresLedger(store.database, clock),
    search: new SearchModel({ store, types, clock, locale: 'en' }),
    blobs: new PostgresBlobs(store.database, clock),
    siteFiles: new MemorySiteFiles(),
    audit: new PostgresAuditLog(store.database),
    close: async () => {},
  }
}

const put = (store: PostgresStore, id: string, set: { title: string }) =>
  store.write([{ key: keyOf('posts', id), put: { set } }], ADA)
const titles = async (store: PostgresStore) => (await store.heads('posts', {})).items.map(({ fields }) => fields.title)
const revisions = async (store: PostgresStore, id: string) => (await store.history(keyOf('posts', id), {}))?.total

t.test('a write whose answer is lost is done or not, and whoever asked for it is told which', async (t) => {
  const url = await testDatabase(t)
  const wire = await Wire.open(t, url)
  const [{ store }, { store: other }] = [await openStore(t, wire.url), await openStore(t, url)]
  const losses: [Loss, boolean][] = [
    ['unsent', false],
    ['sent', false],
    ['answered', false],
  ]
  for (const [loss, isShut] of [...losses, ...losses.map(([loss]): [Loss, boolean] => [loss, true])]) {
    const id = `${loss}-${isShut}`
    await put(store, id, { title: 'before' })
    wire.lose(loss, isShut)
    const refused = wire.refused()
    const written = put(store, id, { title: id }).then(
      () => true,
      (error: unknown) => (error instanceof Unavailable && error.retryAfter === 2 ? false : Promise.reject(error)),
    )
    if (isShut) {
      await refused
      wire.open()
    }
    const isKept = (await titles(other)).includes(id)
    const says = await written
    const nowKept = (await titles(other)).includes(id)
    t.equal(says, nowKept, id)
    if (loss === 'answered') t.ok(isKept || says)
    if (loss === 'unsent') t.notOk(says)
    t.equal(await revisions(other, id), says ? 2 : 1, 'not twice')
    await put(store, id, { title: `${id} after` })
    t.equal(await revisions(store, id), says ? 3 : 2)
  }
  t.equal(wire.lost, 6)
})

t.test('connections are given back, whatever comes of what was asked with them', async (t) => {
  const wire = await Wire.open(t, await testDatabase(t))
  const { store } = await openStore(t, wire.url)
  const key = keyOf('posts', 'a')
  await put(store, 'a', { title: 'A' })
  for (let nth = 0; nth < 15; nth++) {
    wire.lose(nth % 2 ? 'answered' : 'unsent')
    await put(store, 'a', { title: `A ${nth}` }).catch(() => undefined)
  }
  t.equal(wire.lost, 15)
  const refused = Array.from({ length: 1000 }, () => store.write([{ key, put: { set: { n: 1 } }, expects: 'f'.repeat(40) }], ADA))
  const ends = await Promise.allSettled(refused)
  t.ok(ends.every((end) => end.status === 'rejected' && end.reason instanceof Stale))
  const { database } = store
  const broken = Array.from({ length: 50 }, () => database.writing((trx) => sql`select 1 / 0`.execute(trx)))
  t.ok((await Promise.allSettled(broken)).every(({ status }) => status === 'rejected'))
  const reads = Array.from({ length: 40 }, () => database.read((db) => sql`select pg_sleep(0)`.execute(db)))
  await Promise.all(reads)
  t.match(database.connections, { waiting: 0 })
  t.ok(database.connections.open <= 10)
  await put(store, 'a', { title: 'B' })
})

t.test('a database that is gone without a word is not waited for', async (t) => {
  const wire = await Wire.open(t, await testDatabase(t))
  const { store } = await openStore(t, wire.url)
  await put(store, 'a', { title: 'A' })
  const cut = wire.hang()
  const from = performance.now()
  const reads = Promise.all([titles(store), store.get(keyOf('posts', 'a'))])
  await cut
  t.ok(performance.now() - from < 15_000)
  wire.open()
  t.match(await reads, [['A'], { fields: { title: 'A' } }], 'and is asked again')
  await put(store, 'a', { title: 'B' })
  t.match(store.database.connections, { waiting: 0 })
})

t.test('of a hundred changes with one If-Match over two nodes one is done', async (t) => {
  const url = await testDatabase(t)
  const [first, second] = [await openStore(t, url), await openStore(t, url)]
  const [{ store }, one, two] = [first, new TestApp(first), new TestApp(second)]
  const authorization = `Bearer ${await one.token()}`
  await put(store, 'a', { title: 'A' })
  const { headers: made } = await one.bare('GET /api/cms/posts/a', { headers: { authorization } })
  const headers = { authorization, 'if-match': made.etag ?? '' }
  const changes = Array.from({ length: 100 }, (_, nth) =>
    (nth % 2 ? one : two).bare('PUT /api/cms/posts/a', { headers, body: { title: `A ${nth}` } }),
  )
  const statuses = (await Promise.all(changes)).map(({ status }) => status)
  t.equal(statuses.filter((status) => status === 200).length, 1)
  t.equal(statuses.filter((status) => status === 412).length, 99)
  const [here, there] = await Promise.all(
    [one, two].map((app) => app.bare('GET /api/cms/posts/a', { headers: { authorization } })),
  )
  t.equal(here?.text, there?.text)

  const { id } = (await one.features.tokens.list()).find(({ name }) => name === 'admin') ?? { id: '' }
  t.equal((await two.bare('GET /api/cms/posts', { headers: { authorization } })).status, 200)
  await one.features.tokens.revoke(id)
  const from = performance.now()
  await until(
    () => two.bare('GET /api/cms/posts', { headers: { authorization } }),
    ({ status }) => status === 401,
  )
  t.ok(performance.now() - from < 5000, 'a token is revoked everywhere soon, however busy the machine is')
})

t.test('what is under way when a store is closed is told that the server is being stopped', async (t) => {
  const url = await testDatabase(t)
  const store = await PostgresStore.open({
    url,
    types: plainTypes(),
    clock: new TestClock(),
    watch: false,
    secret: 'x'.repeat(32),
  })
  await put(store, 'a', { title: 'A' })
  const closing = store.close()
  const asked = [
    store.database.read((db) => sql`select 1`.execute(db)),
    store.get(keyOf('posts', 'b')),
    put(store, 'c', { title: 'C' }),
  ]
  for (const outcome of await Promise.allSettled(asked))
    t.ok(outcome.status === 'rejected' && outcome.reason instanceof Unavailable, String(outcome.status))
  await closing
})

t.test('every node is told within a second, also when what it listens on was cut', async (t) => {
  const url = await testDatabase(t)
  const [{ store: one }, { store: two }] = [await openStore(t, url), await openStore(t, url, true)]
  let told = () => {}
  const news = () =>
    new Promise<number>((resolve) => {
      const from = performance.now()
      told = () => resolve(performance.now() - from)
    })
  two.subscribe(() => told())
  const heard = news()
  await put(one, 'a', { title: 'A' })
  t.ok((await heard) < 1000)
  t.strictSame(await titles(two), ['A'])
  const cut = sql<{ cut: boolean }>`select pg_terminate_backend(pid) as cut from pg_stat_activity
    where query like 'listen %' and query like ${`%${(await channel(one)).replace('quire_', '')}%`} and pid <> pg_backend_pid()`
  const { next } = await two.changes(undefined, 10)
  for (let nth = 0; nth < 3; nth++) {
    const { rows } = await one.database.read((db) => cut.execute(db))
    t.strictSame(rows, [{ cut: true }], 'the connection that it listens on was cut')
    const heardAgain = news()
    await put(one, `b${nth}`, { title: 'B' })
    t.ok((await heardAgain) < 1000, 'heard meanwhile')
    await until(
      async () => (await two.health()).details.listening,
      (listening) => listening === true,
    )
  }
  const { changes, reset } = await two.changes(next, 10)
  t.strictSame([changes.map(({ key }) => key.id), reset], [['b0', 'b1', 'b2'], false])
})

async function channel(store: PostgresStore): Promise<string> {
  const { rows } = await store.database.read((db) => sql<{ name: string }>`select name from site`.execute(db))
  return `quire_${rows[0]?.name.replaceAll('-', '') ?? ''}`
}

t.test('what a crash took back is not mistaken for what was written next under its number', async (t) => {
  // Nothing is on the disk before it is asked for: so a crash takes back the number of a transaction as well.
  const server = await Server.start(process.pid, ['wal_writer_delay=10s', 'autovacuum=off'])
  t.teardown(() => server.remove())
  const wire = await Wire.open(t, server.url)
  const [{ store }, { store: other }] = [await openStore(t, wire.url), await openStore(t, server.url)]
  await put(other, 'a', { title: 'A' })
  await ask(server.url, 'checkpoint')
  wire.lose('held', true)
  const refused = wire.refused()
  const written = put(store, 'a', { title: 'lost' })
  written.catch(() => undefined)
  await wire.held()
  const { rows } = await other.database.read((db) =>
    sql<{ xid: string }>`select backend_xid::text as xid from pg_stat_activity where state = 'idle in transaction'`.execute(db),
  )
  const transaction = rows[0]?.xid ?? ''
  const outcomeOf = async (xid: string) =>
    (await other.database.read((db) => sql<{ is: string }>`select pg_xact_status(${xid}::xid8) as is`.execute(db))).rows[0]?.is
  await server.stop('immediate')
  await server.start()
  await refused
  for (let nth = 0; nth < 5; nth++) await put(other, 'a', { title: `next ${nth}` })
  wire.open()
  t.strictSame(await outcomeOf(transaction), 'committed', 'another has its number')
  await t.rejects(written, { status: 503, message: /before this was saved/ })
  t.equal(await revisions(other, 'a'), 6)
})
