import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Head } from '#core/document.ts'
import { keyOf } from '#core/key.ts'
import { fieldOf, orderHeads } from '#core/queries/comparison.ts'
import { matches, OPERATOR_NAMES, OPERATORS } from '#core/queries/operators.ts'
import type { Condition, Query, Sort } from '#core/queries/query.ts'
import { isLive, nextStatusChange, statusAt } from '#core/status.ts'
import type { Fields, Json } from '#lib/json.ts'
import { Browse } from '#stores/postgres/browsing/browse.ts'
import { columnsOf, factName, factsOf } from '#stores/postgres/browsing/facts.ts'
import { Database } from '#stores/postgres/database.ts'
import { testDatabase } from '#support/postgres.ts'
import { plainTypes } from '#support/types.ts'

/** Lists from the database are what `core/queries/comparison.ts` makes of the same heads one by one. */
const KIND = 'posts'
const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const FIELDS = ['title', 'tags', 'a', 'toString', 'n'.repeat(3000)]
const LONG = 'Long'.repeat(1000)
const NAMES = [...FIELDS, 'id', 'status', 'created_at', 'updated_at', 'published_at', 'expires_at']

const texts = fc.constantFrom(
  ...['', ' ', '0', '00', '1', '1.0', '-1', '1e2', '0x10', ' 7 ', 'Infinity', 'NaN', 'true', 'false', 'null'],
  ...[
    'a',
    'A',
    'á',
    'a\u0301',
    'ÄÖ',
    'ß',
    'İ',
    'z',
    '%',
    '_',
    'a%',
    '\\',
    "'",
    '{a,b}',
    '"',
    '\0',
    'a\0',
    '\u0001',
    '\u0001a',
    '\u{1f600}',
    '\uffff',
    '￼',
  ],
  ...[
    '2026',
    '2026-02-31',
    '2026-03-01',
    '2026-03-01T12:00:00.000Z',
    '2026-03-01T13:00:00+01:00',
    'March 1, 2026',
    '0001-01-01',
    'draft',
    'published',
  ],
  ...[LONG, 'x'.repeat(10_000), `${'x'.repeat(9_999)}y`, `${'é'.repeat(201)}`, `${'é'.repeat(200)}z`, '\u{1f600}'.repeat(201)],
)
const numbers = fc.constantFrom(0, -0, 1, 1.5, 2, 10, -1, 7, 100, 1e21, 1e300, 5e-324, 0.1, Number.MAX_SAFE_INTEGER)
const nested: fc.Arbitrary<Json> = fc.constantFrom<Json>({}, { a: 1 }, [], ['a'], [[]])
const scalar: fc.Arbitrary<Json> = fc.oneof(texts, texts, numbers, fc.boolean())
const item: fc.Arbitrary<Json> = fc.oneof({ weight: 8, arbitrary: scalar }, fc.constant(null), nested)
const value: fc.Arbitrary<Json> = fc.oneof({ weight: 3, arbitrary: item }, fc.array(item, { maxLength: 4 }))

const times = fc.constantFrom(-86_400_000, -1, 0, 1, 3_600_000).map((distance) => new Date(NOW + distance).toISOString())
const dates: fc.Arbitrary<Json> = fc.oneof({ weight: 4, arbitrary: times }, fc.constantFrom<Json>(null, 'soon', 3))
const statuses: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  'published',
  'published',
  'draft',
  'ÉTÉ',
  '',
  'scheduled',
  'odd\0',
  LONG,
  3,
  null,
)

const one = fc.constantFrom<Json>('ada', 'a', 'é', LONG, `${LONG}!`, '\0', null, 10, { a: 'ada' })
const authors: fc.Arbitrary<Json> = fc.oneof({ weight: 4, arbitrary: one }, fc.array(one, { maxLength: 3 }))

function fields(): fc.Arbitrary<Fields> {
  const own = Object.fromEntries(FIELDS.map((name) => [name, value]))
  const dated = { author: authors, status: statuses, published_at: dates, expires_at: dates, created_at: value }
  return fc.record({ ...own, ...dated }, { requiredKeys: [] }) as fc.Arbitrary<Fields>
}

const ids = fc
  .constantFrom('a', 'B', 'é', 'É~x', '10', '9', 'z~y', '2026', '\u{20000}', '豈')
  .chain((start) => fc.nat({ max: 200 }).map((n) => (n === 0 ? start : `${start}${n}`.normalize('NFC'))))
const head: fc.Arbitrary<Head> = fc
  .record({ id: ids, fields: fields(), createdAt: times, updatedAt: times }, { requiredKeys: ['id', 'fields'] })
  .map(({ id, ...rest }) => ({ ...rest, key: keyOf(KIND, id), version: 'v' }))

const comparisons = fc.constantFrom('text', 'number', 'instant', 'boolean', 'any')
/** The clock's own fields are compared as the types say; ids and statuses are texts. */
const named = fc.constantFrom(...NAMES).chain((field) => {
  const isText = field === 'id' || field === 'status'
  return fc.record({ field: fc.constant(field), as: isText ? fc.constantFrom('text', 'any') : comparisons })
}) as fc.Arbitrary<{ field: string; as: Sort['as'] }>
const wanted: fc.Arbitrary<Json> = fc.oneof({ weight: 4, arbitrary: scalar }, times, ids, fc.constant(null), nested)
const operators = fc.constantFrom(...OPERATOR_NAMES)
const condition: fc.Arbitrary<Condition> = fc
  .tuple(named, operators, wanted, fc.array(wanted, { maxLength: 3 }))
  .map(([name, op, one, several]) => ({ ...name, op, value: OPERATORS[op].takes === 'list' ? several : one }))
const sort: fc.Arbitrary<Sort> = fc.tuple(named, fc.boolean()).map(([name, descending]) => ({ ...name, descending }))
const query: fc.Arbitrary<Query> = fc.record(
  {
    where: fc.array(condition, { maxLength: 2 }),
    live: fc.boolean(),
    own: fc.constantFrom('ada', 'a', 'é', LONG, '\0', 'nobody'),
    sort: fc.array(sort, { maxLength: 3 }),
    offset: fc.nat({ max: 20 }),
    limit: fc.nat({ max: 80 }),
  },
  { requiredKeys: [] },
)

const types = plainTypes()
const shape = types.shape(KIND)
const statusOf = ({ fields: of }: Head) => statusAt(of, shape.statuses, NOW)

function select(heads: readonly Head[], { where = [], live, own, sort: by = [] }: Query): Head[] {
  return heads
    .filter(
      (one) => !live || isLive(one.fields, shape.statuses, NOW) || (own !== undefined && textsOf(one.fields.author).has(own)),
    )
    .filter((one) => where.every((each) => matches(fieldOf(one, each.field, statusOf(one)), each)))
    .sort(orderHeads(by, statusOf))
}

function countBy(heads: readonly Head[], by: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const one of heads) {
    for (const text of textsOf(fieldOf(one, by, statusOf(one)))) {
      const name = by === 'status' ? factName(text) : text
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  return counts
}

function textsOf(of: Json | undefined): Set<string> {
  const items = Array.isArray(of) ? of : [of]
  return new Set(items.filter((one) => one !== undefined && one !== null && typeof one !== 'object').map(String))
}

async function fill(database: Database, heads: readonly Head[], readable: boolean): Promise<void> {
  for (const one of heads) {
    const row = { kind: KIND, id: one.key.id, folded: one.key.id, file: one.key.id, bytes: Buffer.from(one.key.id), version: 'v' }
    const made = { head: '{}', shape: 's', readable, ...columnsOf(one), created_at: null, updated_at: null }
    await database.transaction(async (trx) => {
      const { doc } = await trx
        .insertInto('documents')
        .values({ ...row, ...made })
        .returning('doc')
        .executeTakeFirstOrThrow()
      const facts = factsOf(one).map((fact) => ({ doc, ...fact }))
      if (facts.length > 0) await trx.insertInto('facts').values(facts).execute()
    })
  }
}

t.test('lists, totals and counts are what comparing one by one gives', { timeout: 240_000 }, async (t) => {
  const database = await Database.open(await testDatabase(t))
  t.teardown(() => database.close())
  const seed = Date.now()
  const many = fc.uniqueArray(head, { minLength: 60, maxLength: 60, selector: ({ key }) => key.id })
  const heads = fc.sample(many, { seed, numRuns: 1 }).flat()
  await fill(database, heads.slice(0, 55), true)
  await fill(database, heads.slice(55), false)
  const readable = heads.slice(0, 55)
  const browse = new Browse(database, types, { now: () => NOW })

  const property = fc.asyncProperty(query, fc.option(fc.constantFrom(...NAMES), { freq: 1 }), async (asked, by) => {
    const expected = select(readable, asked)
    const { offset = 0, limit = expected.length } = asked
    const { rows, total } = await browse.page(KIND, asked, 'document')
    const shown = expected.slice(offset, offset + limit).map(({ key }) => key.id)
    deepStrictEqual([rows.map(({ bytes }) => bytes?.toString()), total], [shown, expected.length])
    if (by !== null) deepStrictEqual(await browse.count(KIND, asked, by), countBy(expected, by))
  })
  await t.resolves(fc.assert(property, { seed, numRuns: 1000 }))

  for (const now of [NOW - 90_000_000, NOW - 2, NOW, NOW + 1, NOW + 4_000_000]) {
    const turns = readable.flatMap(({ fields: of }) => nextStatusChange(of, shape.statuses, now) ?? [])
    t.equal(await browse.nextStatusChange(KIND, now), turns.length > 0 ? Math.min(...turns) : undefined)
  }
})
