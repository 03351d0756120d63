import { readFileSync } from 'node:fs'
import t from 'tap'
import { OPERATOR_NAMES, OPERATORS } from '#core/operators.ts'
import { contentTypes } from '#core/types.ts'
import { filterOf } from '#features/records/filters.ts'
import { filterParameters } from '#http/openapi/filters.ts'

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
