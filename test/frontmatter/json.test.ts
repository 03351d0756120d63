import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { readJson } from '#frontmatter/json/json.ts'

t.test('JSON is read alike with places and without', async (t) => {
  const outcome = (text: string, locate: boolean) => {
    try {
      return readJson(text, locate).data
    } catch (error) {
      return { ...(error as Error), message: (error as Error).message }
    }
  }
  const odd = fc.constantFrom(
    '{"a": 1, "a": 2}',
    '{"a": 1e999}',
    '{"__proto__": 1}',
    '{"a": ":", "b": "\\":"}',
    '[1]',
    '',
    ' ',
    '{"a": 1,}',
  )
  const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const texts = fc.oneof(
    odd,
    fc.json(),
    fc.json().map((json) => `{"a": ${json}, "b:": [${json}]}`),
    fc.nat(70).map(deep),
  )
  fc.assert(fc.property(texts, (text) => deepStrictEqual(outcome(text, false), outcome(text, true))))
  t.pass('held')
})
