import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { keyOf, keyText } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { queryOf } from '#fulltext/query.ts'
import { editionName } from '#stores/postgres/searching/edition.ts'
import { Reader } from '#stores/postgres/searching/reader.ts'
import { readingOf } from '#stores/postgres/searching/reading.ts'
import { PostgresSearch } from '#stores/postgres/searching/search.ts'
import { PostgresStore } from '#stores/postgres/store.ts'
import { PostgresDestination } from '#stores/postgres/transfer/destination.ts'
import { until } from '#support/cli.ts'
import { TestClock } from '#support/clock.ts'
import { testDatabase } from '#support/postgres.ts'
import { SearchModel } from '#support/search-model.ts'
import { plainTypes } from '#support/types.ts'

const ADA = { name: 'Ada', email: 'ada@example.org' }
const SECRET = 'x'.repeat(32)
const english = new Analyser('en')
const clock = new TestClock()

interface Node {
  readonly store: PostgresStore
  readonly search: PostgresSearch
  close(): Promise<void>
}

async function open(t: Test, url: string, { watch = false, locale = 'en', types = plainTypes() } = {}): Promise<Node> {
  const store = await PostgresStore.open({ url, types, clock, watch, secret: SECRET })
  const { database, rows } = store
  const search = new PostgresSearch({ store, database, rows, types, clock, locale })
  const close = async () => {
    await search.close()
    await store.close()
  }
  t.teardown(close)
  return { store, search, close }
}

async function found({ search }: Pick<Node, 'search'>, text: string): Promise<string[]> {
  const readable = new Map([['posts', 'all' as const]])
  const { hits } = await search.find({ clauses: queryOf(text, english), readable, offset: 0, limit: 100 })
  return hits.map(({ key }) => keyText(key)).sort()
}

const put = (id: string, title: string, body = ''): Change => ({ key: keyOf('posts', id), put: { set: { title }, body } })

async function formsIn({ store }: Node): Promise<string[]> {
  const { rows } = await store.database.read((db) =>
    sql<{ form: string }>`select distinct form from search_forms order by form`.execute(db),
  )
  return rows.map(({ form }) => form)
}

t.test('what one node writes another finds, without being asked for it', async (t) => {
  const url = await testDatabase(t)
  const [one, other] = [await open(t, url, { watch: true }), await open(t, url, { watch: true })]
  await Promise.all([one.search.ready(), other.search.ready()])
  const before = other.search.revision
  await one.store.write([put('a', 'Zebra')], ADA)
  await until(
    async () => other.search.revision,
    (revision) => revision > before,
  )
  await until(
    () => found(other, 'zebra '),
    (keys) => keys.length > 0,
  )
  t.strictSame(await found(one, 'zebra '), ['posts/a'])
  await Promise.all(
    Array.from({ length: 20 }, (_, nth) => (nth % 2 ? one : other).store.write([put(`n${nth}`, `Lion ${nth}`)], ADA)),
  )
  await Promise.all([one.search.ready(), other.search.ready()])
  t.equal((await found(one, 'lion ')).length, 20)
  t.equal((await found(other, 'lio')).length, 20)
})

t.test('what was written while nothing searched is found by the next that does', async (t) => {
  const url = await testDatabase(t)
  const one = await open(t, url)
  await one.store.write([put('a', 'Zebra')], ADA)
  await one.search.ready()
  await one.close()
  const without = await PostgresStore.open({ url, types: plainTypes(), clock, watch: false, secret: SECRET })
  await without.write([put('b', 'Zebra'), { key: keyOf('posts', 'a'), remove: true }], ADA)
  await without.close()
  t.strictSame(await found(await open(t, url), 'zebra '), ['posts/b'])
})

t.test('an index is made in parts, and gone on with by another where the one that made it died', async (t) => {
  const url = await testDatabase(t)
  const { store, search, close } = await open(t, url)
  await store.write(
    Array.from({ length: 450 }, (_, nth) => put(`p${nth}`, `Lion ${nth}`)),
    ADA,
  )
  // The first part begins it, the second has the first 200 documents.
  const broken = search.ready().catch((error: unknown) => error)
  await close()
  await broken
  const other = await open(t, url)
  await other.search.ready()
  t.equal((await found(other, 'lion ')).length, 100)
  const { total } = await other.search.find({
    clauses: queryOf('lion ', english),
    readable: new Map([['posts', 'all']]),
    offset: 0,
    limit: 1,
  })
  t.equal(total, 450)
})

t.test('where changes were let go all is read anew, and what was removed is gone', async (t) => {
  const url = await testDatabase(t)
  const { store, search, close } = await open(t, url)
  await store.write([put('a', 'Zebra quagga'), put('b', 'Lion')], ADA)
  await search.ready()
  await close()
  const without = await PostgresStore.open({ url, types: plainTypes(), clock, watch: false, secret: SECRET })
  await without.write([put('c', 'Zebra'), { key: keyOf('posts', 'a'), remove: true }], ADA)
  await without.database.run((db) => sql`delete from changes where place < (select max(place) from changes)`.execute(db))
  await without.close()
  const other = await open(t, url)
  await other.search.ready()
  t.strictSame([await found(other, 'zebra '), await found(other, 'lion ')], [['posts/c'], ['posts/b']])
  t.strictSame(await formsIn(other), ['lion', 'zebra'])
})

t.test('an index that is further than its site, as of a database put back to an earlier state, is made anew', async (t) => {
  const { store, search } = await open(t, await testDatabase(t))
  await store.write([put('a', 'Zebra')], ADA)
  await search.ready()
  await store.database.run((db) => sql`update search_editions set place = place + 100`.execute(db))
  await store.write([put('b', 'Zebra')], ADA)
  await search.ready()
  t.strictSame(await found({ search }, 'zebra '), ['posts/a', 'posts/b'])
})

t.test('another language or other types have an index of their own, and the one there was stays whole', async (t) => {
  const url = await testDatabase(t)
  const one = await open(t, url)
  await one.store.write([put('a', 'Häuser', 'The zebra')], ADA)
  t.strictSame(await found(one, 'the zebra '), ['posts/a'])
  const german = await open(t, url, { locale: 'de' })
  await german.search.ready()
  const clauses = queryOf('haus ', new Analyser('de'))
  const { hits } = await german.search.find({ clauses, readable: new Map([['posts', 'all']]), offset: 0, limit: 1 })
  t.strictSame(
    hits.map(({ key }) => key.id),
    ['a'],
  )
  t.strictSame(await found(one, 'zeb'), ['posts/a'])
  const types = plainTypes({ posts: { fields: { note: { type: 'text' } } } })
  const declared = await open(t, url, { types })
  await declared.store.write([{ key: keyOf('posts', 'a'), put: { set: { note: 'Quince' } } }], ADA)
  await declared.search.ready()
  t.strictSame(await found(declared, 'quince '), ['posts/a'])
  const { rows } = await one.store.database.read((db) => sql`select edition from search_editions`.execute(db))
  t.equal(rows.length, 3)
})

t.test('a word that no document has any more is no word to begin or to mistake', async (t) => {
  const node = await open(t, await testDatabase(t))
  await node.store.write([put('a', 'Zebra'), put('b', 'Zebras')], ADA)
  await node.search.ready()
  t.strictSame(await formsIn(node), ['zebra', 'zebras'])
  await node.store.write([put('a', 'Lion')], ADA)
  await node.search.ready()
  t.strictSame(await formsIn(node), ['lion', 'zebras'])
  await node.store.write([{ key: keyOf('posts', 'b'), remove: true }], ADA)
  await node.search.ready()
  t.strictSame(await formsIn(node), ['lion'])
  t.strictSame(await found(node, 'zeb'), [])
})

t.test('thousands of new words are found as beginnings and mistakes', async (t) => {
  const node = await open(t, await testDatabase(t))
  const many = (letter: string) => Array.from({ length: 2_500 }, (_, nth) => `${letter}${nth.toString(36)}q`).join(' ')
  for (const letter of ['g', 'h', 'k']) {
    await node.store.write([put(letter, 'Words', many(letter))], ADA)
    await node.search.ready()
    t.strictSame(await found(node, `${letter}1`), [`posts/${letter}`])
  }
  t.strictSame(await found(node, 'words '), ['posts/g', 'posts/h', 'posts/k'])
})

t.test('a text with more words than a row can hold is found by the first of them', async (t) => {
  const node = await open(t, await testDatabase(t))
  const body = Array.from({ length: 20_000 }, (_, nth) => `w${nth}${'z'.repeat(50)}`).join(' ')
  await node.store.write([put('a', 'Zebra', body), put('b', 'Zebra')], ADA)
  await node.search.ready()
  t.strictSame(await found(node, 'zebra '), ['posts/a', 'posts/b'])
  t.strictSame(await found(node, `w0${'z'.repeat(50)} `), ['posts/a'])
})

t.test('an index of a database that a site is carried into is made of what came', async (t) => {
  const url = await testDatabase(t)
  const before = await open(t, url)
  await before.search.ready()
  await before.close()
  const options = { url, types: plainTypes(), clock, watch: false, secret: SECRET }
  const destination = await PostgresDestination.open(options)
  await destination.begin('a site')
  const document = { key: keyOf('posts', 'a'), file: 'posts/a.md', bytes: Buffer.from('---\ntitle: Zebra\n---\n') }
  await destination.takeDocuments(
    (async function* () {
      yield document
    })(),
  )
  await destination.finish()
  await destination.close()
  t.strictSame(await found(await open(t, url), 'zebra '), ['posts/a'])
})

t.test('an index that can not be made yet is said to be unavailable', async (t) => {
  const url = await testDatabase(t)
  const node = await open(t, url)
  await node.store.write([put('a', 'Zebra')], ADA)
  await node.search.ready()
  await node.store.database.run((db) => sql`update search_editions set whole = false, scanned = 0`.execute(db))
  await node.search.close()
  const refused = await found(node, 'zebra ').catch((error: unknown) => error)
  t.match(refused, { label: 'Unavailable', retryAfter: 5 })
})

// What would bring a search to a stand still that took it for a pattern, or that had no bounds.
const HOSTILE = [
  ...['abcdefghij~9', '*', 'a', 'aa', 'a'.repeat(256), '(a+)+$ '.repeat(36), '"'.repeat(200), '+ - + -', "'; drop table x; --"],
  ...[
    '<script>',
    '\ud800',
    '😀'.repeat(100),
    '漢'.repeat(250),
    `"${'漢'.repeat(250)}"`,
    '-a -b',
    '"a the b the c"',
    'ab '.repeat(80),
  ],
  ...[
    '%%%',
    '\\'.repeat(99),
    "''''",
    `"a\\b'c"`,
    'bazzz '.repeat(8),
    ':*',
    '!a & b | (c',
    "'a':*",
    '\u0001\u0002',
    '"x\u0001y z"',
  ],
]

t.test('no query takes the database long, nor brings it out of step', async (t) => {
  const types = plainTypes()
  const node = await open(t, await testDatabase(t), { types })
  const words = (nth: number, count: number) =>
    Array.from({ length: count }, (_, at) => `ba${((nth * at) % 997).toString(36)}`).join(' ')
  await node.store.write(
    Array.from({ length: 1_000 }, (_, nth) => put(`p${nth}`, words(nth + 1, 4), `${words(nth + 7, 200)} 漢字 a b's`)),
    ADA,
  )
  await node.search.ready()
  const times: number[] = []
  for (const text of [...HOSTILE, ...HOSTILE]) {
    const from = performance.now()
    await found(node, text)
    times.push(performance.now() - from)
  }
  times.sort((a, b) => a - b)
  t.comment(
    `hostile queries at 1,000 documents: half within ${times[times.length >> 1]?.toFixed(1)} ms, all within ${times.at(-1)?.toFixed(1)} ms`,
  )
  t.ok((times.at(-1) ?? 0) < 500, 'on a machine that does much else meanwhile')
  const model = new SearchModel({ store: node.store, types, clock, locale: 'en' })
  for (const text of ['漢', '"a the b', "'a':*"])
    t.strictSame(await found(node, text), await found({ search: model } as never, text), text)
})

t.test('a long document is read in a thread, as it is at once', async (t) => {
  const reader = new Reader(english, 'en')
  t.teardown(() => reader.close())
  const type = plainTypes().get('posts')
  if (!type) throw new Error('There is no such type.')
  const documentOf = (body: string) => ({
    key: keyOf('posts', 'a'),
    version: '',
    fields: { title: 'Lions', tags: ['zoo'] },
    body,
  })
  for (const [body, isLong] of [
    ['A *short* text.', false],
    [`${'A *long* text. '.repeat(5_000)}Zebras.`, true],
  ] as const) {
    const reading = reader.read(type, documentOf(body))
    t.equal(reading instanceof Promise, isLong)
    t.strictSame(await reading, readingOf(type, documentOf(body), english))
  }
  const hurried = new Reader(english, 'en', 1)
  t.teardown(() => hurried.close())
  const long = documentOf('word '.repeat(200_000))
  const reading = await hurried.read(type, long)
  t.strictSame([...reading.stems], [['lions', 'lion']], 'of one that takes too long the title alone is found')
  const node = await open(t, await testDatabase(t))
  await node.store.write([put('a', 'Lions', `${'A *long* text. '.repeat(5_000)}Zebras.`)], ADA)
  await node.search.ready()
  t.strictSame(await found(node, 'zebra '), ['posts/a'])
})

t.test('an index is of what is declared within fields, too', async (t) => {
  const named = (type: 'text' | 'select') => {
    const part = type === 'text' ? { type } : { type, options: ['a'] }
    const row = { type: 'object', fields: { name: part } } as const
    return editionName(english, plainTypes({ posts: { fields: { rows: { type: 'list', of: row } } } }))
  }
  t.equal(named('text'), named('text'))
  t.not(named('text'), named('select'), 'the words of a text are found, and those of a select are not')
})
