import { sql } from 'kysely'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { Cache } from '#lib/cache.ts'
import { addressOf } from '#stores/postgres/address.ts'
import { Database } from '#stores/postgres/database.ts'
import { Answers } from '#stores/postgres/documents/answers.ts'
import { deriveAnew } from '#stores/postgres/documents/derivation.ts'
import { Rows } from '#stores/postgres/documents/rows.ts'
import { Shapes } from '#stores/postgres/documents/shapes.ts'
import { Freshness } from '#stores/postgres/following/freshness.ts'
import { Sealing } from '#stores/postgres/sealing.ts'
import { PostgresStore } from '#stores/postgres/store.ts'
import { PostgresDestination } from '#stores/postgres/transfer/destination.ts'
import { PostgresOrigin } from '#stores/postgres/transfer/origin.ts'
import { TestClock } from '#support/clock.ts'
import { testDatabase } from '#support/postgres.ts'
import { openPostgres } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const ADA = { name: 'Ada', email: 'ada@example.org' }
const DAY = 86_400_000
const [one, other] = [keyOf('posts', 'one'), keyOf('posts', 'other')]

t.test('what is asked for once is done once, in one group as well, and anew after a day', async (t) => {
  const { store, clock, close } = await openPostgres({})
  t.teardown(close)
  const write = (title: string) => store.write([{ key: one, put: { set: { title } } }], ADA, { once: 'asked' })
  const both = await Promise.all([write('first'), write('second')])
  t.strictSame(
    both.map(([made]) => made?.fields.title),
    ['first', 'first'],
  )
  t.equal((await store.history(one, {}))?.total, 1)
  clock.advance(DAY)
  await write('a day later')
  t.equal((await write('again'))[0]?.fields.title, 'a day later')
  t.equal((await store.history(one, {}))?.total, 2)
})

t.test('what a move made is told of with when the record came to be', async (t) => {
  const { store, clock, close } = await openPostgres({})
  t.teardown(close)
  const [made] = await store.write([{ key: one, put: { body: 'Text.' } }], ADA)
  clock.advance(1000)
  const [moved] = await store.write([{ key: other, from: one, put: {} }], ADA, { once: 'moved' })
  const [told] = (await store.written('moved')) ?? []
  t.match(told, { key: other, createdAt: made?.createdAt, updatedAt: moved?.updatedAt })
})

t.test('an id that is too long for an index is refused, and with it nothing that came at the same time', async (t) => {
  const { store, close } = await openPostgres({})
  t.teardown(close)
  const long = keyOf('posts', Array.from({ length: 60 }, (_, nth) => `part-${nth}-${'x'.repeat(40)}`).join('~'))
  const writes = [one, long, other].map((key) => store.write([{ key, put: { body: 'Text.' } }], ADA))
  const [first, refused, last] = await Promise.allSettled(writes)
  t.strictSame([first?.status, last?.status], ['fulfilled', 'fulfilled'])
  t.match(refused, { status: 'rejected', reason: { status: 422, message: /1500 bytes/ } })
})

t.test('what the database does not take of one batch is no failure of those in its group', async (t) => {
  const { store, close } = await openPostgres({})
  t.teardown(close)
  await store.database.run((db) => sql`alter table documents add constraint odd check (id <> 'odd')`.execute(db))
  t.teardown(() => store.database.run((db) => sql`alter table documents drop constraint odd`.execute(db)))
  const writes = [one, keyOf('posts', 'odd'), other].map((key) => store.write([{ key, put: { body: 'Text.' } }], ADA))
  const found = await Promise.allSettled(writes)
  t.strictSame(
    found.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  t.equal((await store.changes(undefined, 10)).next.split('.')[1], '2', 'each once')
})

t.test('a kind that comes while the kinds are looked up is not forgotten', async (t) => {
  const { freshness, answers } = await keeping()
  await answers.kinds(asOf(0), async () => {
    freshness.wrote(landed(1, 1), [keyOf('notes', 'a')])
    return ['posts']
  })
  t.strictSame(await answers.kinds(asOf(1), async () => ['notes', 'posts']), ['notes', 'posts'])
})

t.test('what was read before its document changed is never kept, however much changed at once', async (t) => {
  const { freshness } = await keeping()
  const cache = new Cache<string>({ most: 10 })
  const read = (sequence: number) => {
    freshness.keep(cache, 'posts/one', `as of ${sequence}`, { of: 'posts/one', asOf: asOf(sequence) })
    return cache.get('posts/one', freshness.stateOf('posts/one'))
  }
  t.equal(read(0), 'as of 0')
  freshness.wrote(landed(1, 50_002), [one, ...Array.from({ length: 50_001 }, (_, nth) => keyOf('posts', `p${nth}`))])
  t.equal(read(0), undefined)
  const { sequence } = await freshness.now()
  t.equal(read(sequence), `as of ${sequence}`)
})

t.test('of answers only so many bytes are kept', async (t) => {
  const { answers } = await keeping()
  let asked = 0
  const ask = (question: string) =>
    answers.of('posts', [question], asOf(0), async () => {
      asked++
      return { value: {}, bytes: 30 * 1024 * 1024 }
    })
  for (const question of ['a', 'b', 'c', 'c']) await ask(question)
  t.equal(asked, 3)
  await ask('a')
  t.equal(asked, 4, 'the oldest was let go')
})

t.test('documents are read anew once each, whatever another node makes of them meanwhile', async (t) => {
  const { store, close } = await openPostgres({ files: { 'content/posts/one.md': 'Text.', 'content/posts/other.md': 'Text.' } })
  t.teardown(close)
  let named = 0
  class Turning extends Shapes {
    override nameOf(): string {
      return String(++named)
    }
  }
  await deriveAnew(store.database, new Rows(new Turning(plainTypes()), new Sealing('x'.repeat(32))))
  t.equal((await store.changes(undefined, 10)).next.split('.')[1], '4')
})

t.test('what an address says a session begins with is added to what Quire says, and does not take its place', async (t) => {
  const url = new URL(await testDatabase(t))
  url.searchParams.set('options', '-c work_mem=8MB -c search_path=public')
  const database = await Database.open(url.href)
  t.teardown(() => database.close())
  const { rows } = await database.read((db) =>
    sql`select current_schema() as schema, current_setting('work_mem') as work, current_setting('lock_timeout') as lock`.execute(
      db,
    ),
  )
  t.strictSame(rows, [{ schema: addressOf(url.href).schema, work: '8MB', lock: '8s' }])
})

t.test('many processes may open an empty schema at once, and write to it at once', async (t) => {
  const url = await testDatabase(t)
  const databases = await Promise.all(Array.from({ length: 8 }, () => Database.open(url)))
  await Promise.all(databases.map((database) => database.close()))
  const options = { url, types: plainTypes(), clock: new TestClock(), watch: false, secret: 'x'.repeat(32) }
  const stores = [await PostgresStore.open(options), await PostgresStore.open(options)]
  t.teardown(() => Promise.all(stores.map((store) => store.close())))
  for (let round = 0; round < 5; round++) {
    await Promise.all(
      stores.map((store, nth) => store.write([{ key: keyOf('posts', `${nth}-${round}`), put: { body: 'Text.' } }], ADA)),
    )
  }
  for (const store of stores) {
    t.equal((await store.heads('posts', {})).total, 10)
    t.equal((await store.changes(undefined, 10)).next.split('.')[1], '10')
  }
})

t.test('a cursor after which changes were let go is answered with a reset', async (t) => {
  const { store, close } = await openPostgres({})
  t.teardown(close)
  const cursors = [(await store.changes(undefined, 10)).next]
  for (const key of [one, other]) {
    await store.write([{ key, put: { body: 'Text.' } }], ADA)
    cursors.push((await store.changes(undefined, 10)).next)
  }
  await store.database.run((db) => sql`delete from changes where place <= 1`.execute(db))
  const found = await Promise.all(cursors.map((cursor) => store.changes(cursor, 10)))
  t.strictSame(
    found.map(({ reset, changes }) => [reset, changes.length]),
    [
      [true, 0],
      [false, 1],
      [false, 0],
    ],
  )
  t.equal(found[0]?.next, cursors[2])
})

t.test('texts that lists go by are in code point order, whatever the order of the database is', async (t) => {
  const { store, close } = await openPostgres({})
  t.teardown(close)
  const { rows } = await store.database.read((db) =>
    sql<{ name: string }>`
      select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = ${store.database.schema}::regnamespace and c.relkind = 'r' and a.attnum > 0
        and a.atttypid = 'text'::regtype and a.attcollation <> '"C"'::regcollation
        and (c.relname = 'facts' or a.attname = any('{kind,id,folded,status,created_at,updated_at}'::text[]))
      order by 1`.execute(db),
  )
  t.strictSame(rows, [])
})

t.test('where a site was moved away, or one arrives, those who have it open write no more, and read on', async (t) => {
  const { store, close } = await openPostgres({ files: { 'content/posts/one.md': 'Text.' } })
  t.teardown(close)
  const write = () => store.write([{ key: one, put: { body: 'More.' } }], ADA)
  const mark = (moved: string | null, arriving: string | null) =>
    store.database.run((db) => sql`update site set moved_to = ${moved}, arriving = ${arriving}`.execute(db))
  await mark('the folder content', null)
  await t.rejects(write(), { status: 503, message: /moved to the folder content/ })
  await mark(null, '{"fingerprint":"a","writes":0}')
  await t.rejects(write(), { status: 503, message: /is being moved into/ })
  t.equal((await store.get(one))?.body, 'Text.')
  await mark(null, null)
  await write()
  t.equal((await store.get(one))?.body, 'More.')
})

t.test(
  'what others wrote is found out, whatever this node has written since, and all is let go where that can not be told',
  async (t) => {
    const { tell, freshness, changed } = await following()
    freshness.wrote(landed(2, 1), [one])
    t.strictSame(changed(), [], 'what came before is not known yet')
    tell([{ place: 2 }], [told(1, 'other'), told(2, 'one')])
    t.equal((await freshness.now()).sequence, 2)
    t.strictSame(changed(), ['posts/one', 'posts/other'])
    tell([{ place: 9 }], [told(8, 'other'), told(9, 'one')])
    await freshness.now()
    t.strictSame(changed(), ALL, 'some of the changes were let go, or are too many')
    tell([{ place: 5 }], [])
    await freshness.now()
    t.strictSame(changed(), ALL, 'the database was set back')
    tell([{ name: 'another', place: 5, stamp: 'a' }], [])
    await freshness.now()
    t.strictSame(changed(), ALL, 'it is another one')
    tell(
      [{ name: 'another', place: 6, stamp: 'b' }],
      [
        { ...told(5, 'other'), stamp: 'a' },
        { ...told(6, 'one'), stamp: 'b' },
      ],
    )
    await freshness.now()
    t.strictSame(changed(), ['posts/one'])
    tell([{ name: 'another', place: 6, stamp: 'c' }], [{ ...told(6, 'other'), stamp: 'c' }])
    await freshness.now()
    t.strictSame(changed(), ALL, 'it was set back, and went on to the same sequence')
    tell(
      [{ name: 'another', place: 7, stamp: 'e' }],
      [
        { ...told(6, 'other'), stamp: 'd' },
        { ...told(7, 'one'), stamp: 'e' },
      ],
    )
    await freshness.now()
    t.strictSame(changed(), ALL, 'it was set back, and went on to a later one')
    freshness.wrote({ before: { sequence: 7, stamp: 'f' }, after: { sequence: 8, stamp: 'g' } }, [one])
    t.strictSame(changed(), [], 'its own write came after others that it does not know')
  },
)

t.test('a site that was written to while it was carried away is not left, and two can not carry into one database', async (t) => {
  const options = {
    url: await testDatabase(t),
    types: plainTypes(),
    clock: new TestClock(),
    watch: false,
    secret: 'x'.repeat(32),
  }
  const [one, other] = [await PostgresDestination.open(options), await PostgresDestination.open(options)]
  t.teardown(() => Promise.all([one.close(), other.close()]))
  t.strictSame([await one.begin('a site'), await other.begin('a site')], [0, 0])
  const said = { number: undefined, action: undefined, request: undefined, from: undefined }
  const write = { at: 1, by: ADA, message: 'Write', ...said, revisions: [revision] }
  await one.takeWrites([write])
  await t.rejects(other.takeWrites([write]), { status: 409, message: /Another process/ })
  await one.finish()
  const origin = await PostgresOrigin.open(options)
  t.teardown(() => origin.close())
  const store = await PostgresStore.open(options)
  t.teardown(() => store.close())
  await store.write([{ key: keyOf('posts', 'late'), put: { body: 'Text.' } }], ADA)
  await t.rejects(origin.leave('elsewhere'), { status: 409, message: /written to meanwhile/ })
  await store.write([{ key: keyOf('posts', 'later'), put: { body: 'Text.' } }], ADA)
})

const revision = {
  ...{ key: one, file: 'posts/one.md', bytes: Buffer.from('Text.'), number: 1, at: '2026-01-01T00:00:00.000Z' },
  ...{ action: 'created' as const, from: undefined, isEnd: false },
}

const ALL = ['posts/one', 'posts/other', 'posts/third']

const told = (place: number, id: string) => ({ place, stamp: null, kind: 'posts', id })

/** What a node knew that has seen one database. */
const asOf = (sequence: number) => ({ database: 1, sequence })

/** The ends of the feed around a write of so many changes. */
const landed = (first: number, count: number) => ({
  before: { sequence: first - 1, stamp: null },
  after: { sequence: first - 1 + count, stamp: null },
})

/** A freshness, what its database answers to its next questions, and which states are others since it was last asked. */
async function following() {
  const answers: object[][] = [[{ place: 0 }], []]
  const read = async () => ({ rows: (answers.shift() ?? []).map((row) => ({ name: 'site', stamp: null, ...row })) })
  const freshness = new Freshness({ read } as unknown as Database)
  await freshness.now()
  const states = () => ALL.map((name) => [name, freshness.stateOf(name)] as const)
  let before = new Map(states())
  const tell = (...next: object[][]) => void answers.push(...next)
  const changed = () => {
    const names = states().flatMap(([name, state]) => (state === before.get(name) ? [] : name))
    before = new Map(states())
    return names
  }
  return { tell, freshness, changed }
}

/** Makes the in-memory state beside a database in which nothing was written yet. */
async function keeping() {
  const read = async () => ({ rows: [{ name: 'site', stamp: null, place: written }] })
  let written = 0
  const freshness = new Freshness({ read } as unknown as Database)
  await freshness.now()
  const wrote = freshness.wrote.bind(freshness)
  freshness.wrote = (first, keys) => {
    written += keys.length
    wrote(first, keys)
  }
  const nextStatusChange = async () => undefined
  const answers = new Answers({ freshness, shapes: new Shapes(plainTypes()), clock: new TestClock(), nextStatusChange })
  return { freshness, answers }
}
