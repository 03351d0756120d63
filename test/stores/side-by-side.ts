import fc from 'fast-check'
import type { Document, Head } from '#core/document.ts'
import { type Key, keyOf } from '#core/key.ts'
import { OPERATOR_NAMES, OPERATORS } from '#core/queries/operators.ts'
import type { Comparison, Condition, Query, Sort } from '#core/queries/query.ts'
import type { Change, Store } from '#core/store.ts'
import type { OpenedStore } from '#support/stores.ts'

/** One step of a run: writes, a record brought back to one of its revisions, or time that passes. */
export type Step =
  | { readonly do: 'write'; readonly changes: readonly Change[] }
  | { readonly do: 'expect'; readonly id: string; readonly isRight: boolean; readonly set: Record<string, never> }
  | { readonly do: 'roll back'; readonly id: string; readonly back: number }
  | { readonly do: 'wait'; readonly ms: number }

const ada = { name: 'Ada', email: 'ada@example.org' }
const IDS = ['a', 'b', 'c~d', 'A', 'e', 'ä f', 'f~g~h', 'long'] as const
/** Fields, and what they can be compared as: some as nothing else, others as a configuration declares them. */
const AS: readonly (readonly [string, readonly Comparison[]])[] = [
  ...['title', 'slug', 'status', 'id'].map((name): [string, Comparison[]] => [name, ['text']]),
  ...['published_at', 'expires_at', 'updated_at'].map((name): [string, Comparison[]] => [name, ['instant']]),
  ...['views', 'odd', 'tags'].map((name): [string, Comparison[]] => [name, ['text', 'number', 'instant', 'boolean', 'any']]),
]
const fieldAs = fc.constantFrom(...AS.flatMap(([field, all]) => all.map((as) => ({ field, as }))))

const idOf = fc.constantFrom(...IDS)
const keys = idOf.map((id) => keyOf('posts', id))
const scalar = fc.oneof(
  fc.constantFrom(
    'x',
    'y',
    'é',
    'E',
    'ß',
    '10',
    '9',
    ' 3 ',
    'true',
    '2026-01-15',
    '\u{1F600}',
    '\uff5e',
    '%_\\',
    'Élan vital',
    '',
  ),
  fc.integer({ min: -5, max: 12 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -3, max: 3 }).map((n) => Math.round(n * 4) / 4 + 0),
  fc.boolean(),
)
const value = fc.oneof(scalar, fc.constant(null), fc.array(scalar, { maxLength: 3 }), fc.constant({ deep: 'x' }))
const date = fc.constantFrom('2026-01-15T11:00:00Z', '2026-01-15T12:30:00Z', '2026-01-15T13:00:00Z', '2026-01-16T00:00:00Z', null)
const set = fc.record(
  {
    title: fc.constantFrom('x', 'y', 'ß', 'Élan', 'elan', '10'),
    views: value,
    odd: value,
    status: fc.constantFrom('draft', 'published', 'archived', 'in_review', null),
    published_at: date,
    expires_at: date,
    tags: fc.constantFrom(null, ['x'], ['x', 'y'], ['news', 'é']),
    slug: fc.constantFrom('s1', 's2'),
    author: fc.constantFrom('ada', 'bo', 'Ada', 10, null, ['ada', 'bo'], { deep: 'ada' }),
  },
  { requiredKeys: [] },
)
const change = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ key: keys, put: fc.record({ set, body: fc.constantFrom('one\n', 'two\n\nthree\n', '# H\n') }) }),
  },
  { weight: 2, arbitrary: fc.record({ key: keys, put: fc.record({ set }), expects: fc.constant('absent' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ key: keys, put: fc.record({ set }), unique: fc.constant([{ field: 'slug', value: 's1' }]) }),
  },
  { weight: 1, arbitrary: fc.record({ key: keys, put: fc.constant({}), from: keys }) },
  { weight: 1, arbitrary: fc.record({ key: keys, remove: fc.constant(true as const) }) },
)

/** Some changes; among several none is a move, of which one write holds one. */
const batch = (least: number, most: number) =>
  fc
    .array(change, { minLength: least, maxLength: most })
    .map((changes) => changes.filter((one) => changes.length === 1 || !('from' in one)) as readonly Change[])

/** Any step. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), changes: batch(1, 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('write' as const), changes: batch(2, 4) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('expect' as const), id: idOf, isRight: fc.boolean(), set: fc.constant({}) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('roll back' as const), id: idOf, back: fc.nat({ max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 60_000, max: 3_000_000 }) }) },
)

const condition: fc.Arbitrary<Condition> = fc
  .record({ by: fieldAs, op: fc.constantFrom(...OPERATOR_NAMES), value: fc.oneof(scalar, fc.constant(null), date) })
  .map(({ by, op, value }) => ({ ...by, op, value: OPERATORS[op].takes === 'list' ? [value, 'x', 's1'] : value }))
const sort: fc.Arbitrary<Sort> = fc
  .record({ by: fieldAs, descending: fc.boolean() })
  .map(({ by, descending }) => ({ ...by, descending }))

/** Any question for a list. */
export const query: fc.Arbitrary<Query> = fc.record(
  {
    where: fc.array(condition, { maxLength: 2 }),
    live: fc.boolean(),
    own: fc.constantFrom('ada', 'bo', '10', 'nobody'),
    sort: fc.array(sort, { maxLength: 2 }),
    offset: fc.nat({ max: 4 }),
    limit: fc.nat({ max: 5 }),
  },
  { requiredKeys: [] },
)

/** The properties to compare: histories need stores that keep one, dates need stores that date documents at once. */
export interface Compared {
  readonly histories: boolean
  readonly dates: boolean
}

/** Does a step, and gives all that can be seen of what came of it. */
export async function taken({ store, clock }: OpenedStore, step: Step, { dates }: Compared): Promise<unknown> {
  if (step.do === 'wait') return void clock.advance(step.ms)
  // So that no two writes are of one moment: files number those of one apart.
  clock.advance(1)
  const changes = await changesOf(store, step)
  return store.write(changes, ada, { message: 'A step' }).then(
    (documents) => documents.map((document) => plain(document, dates)),
    (error: Error) => error.constructor.name,
  )
}

async function changesOf(store: Store, step: Exclude<Step, { do: 'wait' }>): Promise<readonly Change[]> {
  if (step.do === 'write') return step.changes
  const key = keyOf('posts', step.id)
  if (step.do === 'expect') {
    const version = step.isRight ? ((await store.get(key))?.version ?? '0'.repeat(40)) : '1'.repeat(40)
    return [{ key, put: { set: { views: 7 } }, expects: version }]
  }
  const { items } = (await store.history(key, {})) ?? { items: [] }
  const revision = items[step.back]
  const then = revision && (await store.at(key, revision.number))
  return then?.source ? [{ key, put: { source: then.source, ...(then.file && { file: then.file }) } }] : []
}

/** All that can be asked of a store that a run has brought somewhere. */
export async function seen({ store }: OpenedStore, asked: readonly Query[], { histories, dates }: Compared): Promise<unknown> {
  const queries = dates ? asked : asked.map(undatedQuery)
  const lists = await Promise.all(queries.map((one) => store.browse('posts', one)))
  const heads = await Promise.all(queries.map((one) => store.heads('posts', one)))
  const counts = await Promise.all(
    ['status', 'tags', 'views', 'odd'].map(async (field) => [...(await store.count('posts', queries[0] ?? {}, field))].sort()),
  )
  return {
    lists: lists.map(({ items, total }) => [items.map((document) => plain(document, dates)), total]),
    heads: heads.map(({ items, total }) => [items.map((head) => plainHead(head, dates)), total]),
    counts,
    problems: await store.problems(),
    ...(histories && { pasts: await Promise.all(IDS.map((id) => past(store, keyOf('posts', id), dates))) }),
  }
}

/** A record's history, and what it was in each revision. */
async function past(store: Store, key: Key, dates: boolean): Promise<unknown> {
  const { items, total } = (await store.history(key, {})) ?? { items: [], total: 0 }
  const was = await Promise.all(items.map(({ number }) => store.at(key, number)))
  const told = items.map(({ action, at, by, message, version, number }, n) => ({
    ...{ action, at, by, message, version, number },
    was: was[n] && plain(was[n], dates),
    file: was[n]?.file,
  }))
  return { key, total, told }
}

/** Returns the content of a document, in whatever order its parts were put together. */
function plain(document: Document, dates: boolean): object {
  return { ...plainHead(document, dates), body: document.body, source: String(document.source) }
}

function plainHead({ key, fields, version, createdAt, updatedAt, problem }: Head, dates: boolean): object {
  return { key, fields, version, problem, ...(dates && { createdAt, updatedAt }) }
}

function undatedQuery({ where, sort, ...query }: Query): Query {
  const isDated = ({ field }: { readonly field: string }) => field === 'updated_at'
  return { ...query, where: where?.filter((one) => !isDated(one)) ?? [], sort: sort?.filter((one) => !isDated(one)) ?? [] }
}
