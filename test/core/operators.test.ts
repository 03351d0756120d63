import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { folded } from '#core/queries/comparison.ts'
import { matches, OPERATOR_NAMES, OPERATORS } from '#core/queries/operators.ts'
import type { Condition } from '#core/queries/query.ts'
import { contentTypes } from '#core/types/types.ts'
import { filterOf } from '#features/records/reading/filters.ts'
import { filterParameters } from '#http/openapi/filters.ts'
import { longTest } from '#support/long.ts'

t.test('the guide names the operators there are, in their order', async (t) => {
  const row = readFileSync('docs/api.md', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('| `filter[field]=v`'))
  t.strictSame(/`filter\[field\]\[op\]=v` \| `([^`]+)`/.exec(row ?? '')?.[1]?.split(' '), OPERATOR_NAMES)
})

t.test('every operator is read from a query, and described', async (t) => {
  const type = contentTypes({ types: {}, taxonomies: {}, statuses: {}, timezone: 'UTC' }).get('posts')
  if (!type) throw new Error('no type')
  const { filter, ...byField } = filterParameters([['title', 'text']], false)
  for (const op of OPERATOR_NAMES) {
    const { takes } = OPERATORS[op]
    const value = takes === 'list' ? ['a', 'b'] : 'a,b'
    t.match(filterOf(type, `filter[title][${op}]`, 'a,b').condition, { field: 'title', op, value })
    t.match(filter?.description, new RegExp(`[:,r] ${op}[ ,.]`))
    t.match(byField['filter[title]'], { properties: { [op]: { type: 'string' } } })
  }
})

longTest('text is folded as Unicode has it', async (t) => {
  const character = fc.constantFrom(
    'é',
    'e\u0301',
    'ก',
    'ำ',
    'ภ',
    'ี',
    '漢',
    'が',
    'İ',
    'ß',
    '\ud834\udd65',
    '😀',
    '\ud800',
    '\ufe0f',
    'Ａ',
    'a',
    ' ',
  )
  const text = fc.oneof(
    fc.array(character).map((all) => all.join('')),
    fc.string({ unit: 'binary' }),
  )
  const whole = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  fc.assert(
    fc.property(text, (text) => folded(text) === whole(text)),
    { numRuns: 1000 },
  )
  t.equal(folded('Crème Brûlée'), 'creme brulee')
})

t.test('what a condition looks for is made ready once, not for each document', async (t) => {
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n))
  const conditions: readonly ((size: number) => Condition)[] = [
    (size) => ({ field: 'n', op: 'in', as: 'number', value: numbers(size) }),
    (size) => ({ field: 'n', op: 'in', as: 'instant', value: numbers(size).map(() => '2026-01-01') }),
    (size) => ({ field: 'n', op: 'contains', as: 'text', value: 'é'.repeat(size) }),
  ]
  for (const make of conditions) {
    const timeOf = (condition: Condition) => {
      const before = process.cpuUsage()
      for (let n = 0; n < 3000; n++) matches(`${n + 1_000_000} ä`, condition)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    }
    const [few, many] = [make(4), make(4000)]
    const least = (condition: Condition) => Math.min(...Array.from({ length: 4 }, () => timeOf(condition)))
    t.ok(least(many) < least(few) * 8 + 20, JSON.stringify(few))
  }
  t.ok(matches(3, { field: 'n', op: 'in', as: 'number', value: ['1', '3'] }))
  t.notOk(matches('x', { field: 'n', op: 'eq', as: 'number', value: 'y' }), 'what is no number equals nothing')
  t.ok(matches([], { field: 'n', op: 'eq', as: 'text', value: null }))
  t.ok(matches(['a'], { field: 'n', op: 'ne', as: 'text', value: null }))
})
