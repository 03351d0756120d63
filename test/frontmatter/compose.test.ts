import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { composeYaml } from '#frontmatter/yaml/compose.ts'
import { spliceYaml } from '#frontmatter/yaml/splice.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'
import type { Fields } from '#lib/json.ts'

t.test('front matter made at once is what it is when each key is added by itself', async (t) => {
  const leaf = fc.oneof(
    fc.constantFrom(
      'ada',
      'Grace Hopper',
      'x: y',
      '- a',
      '# no',
      '[x]',
      '',
      ' a ',
      '12',
      '1e3',
      'true',
      'no',
      '2024-01-02',
      "it's",
      'say "hi"',
      'two\nlines\n',
      '日本',
    ),
    fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[\0\ud800-\udfff]/.test(text)),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 2 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b-c', 'd.e', '1'), tie('value'), { maxKeys: 3 }),
    ),
  }))
  const key = fc.constantFrom('title', 'tags', 'date', 'a_b', 'a.b', 'y', '0', 'née')
  let composed = 0
  fc.assert(
    fc.property(
      fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true }),
      fc.constantFrom('\n', '\r\n'),
      (fields, eol) => {
        const given: Fields = JSON.parse(JSON.stringify(fields))
        const text = composeYaml(given, eol)
        if (text === undefined) return
        composed++
        let one = ''
        const data: Fields = {}
        for (const [name, value] of Object.entries(given)) {
          one = spliceYaml(one, data, name, value, eol)
          data[name] = value
        }
        deepStrictEqual({ text, read: readYaml(text) }, { text: one, read: given })
      },
    ),
    { numRuns: 300 },
  )
  t.ok(composed > 30, 'what is common is made at once')
})
