import t from 'tap'
import { readData } from '#frontmatter/data.ts'
import { Fault } from '#frontmatter/fault.ts'

t.test('a file of data holds a list, a mapping or one value', async (t) => {
  t.strictSame(readData('- a\n- { b: 1 }\n', 'yaml'), ['a', { b: 1 }])
  t.strictSame(readData('# a note\na: 1\nb: [x]\n', 'yaml'), { a: 1, b: ['x'] })
  t.equal(readData('null', 'yaml'), null)
  t.equal(readData('just text', 'yaml'), 'just text')
  t.strictSame(readData('[1, {"a": null}]', 'json'), [1, { a: null }])
  t.strictSame(readData(' {"a": {"b": 1}} ', 'json'), { a: { b: 1 } })
  t.strictSame(readData('a = 1\n[[list]]\nb = "c"\n', 'toml'), { a: 1, list: [{ b: 'c' }] })
})

t.test('what is no data is refused with its place', async (t) => {
  for (const [text, language, offset] of [
    ['a: 1\na: 2\n', 'yaml', 5],
    ['a: *none\n', 'yaml', 3],
    ['__proto__: 1\n', 'yaml', 0],
    ['- a\n- __proto__: 1\n', 'yaml', 6],
    ['[1, 2', 'json', 5],
    ['{"constructor": 1}', 'json', 1],
    ['{"a": 1, "a": 2}', 'json', 9],
    ['1, "b": 2', 'json', 0],
    ['1} , {"b": 2', 'json', 3],
    ['', 'json', 0],
    ['a = \n', 'toml', 4],
    ['a: 1\n<<<<<<< HEAD\nb: 1\n', 'yaml', 5],
    [`a: ${'['.repeat(100)}`, 'yaml', 66],
    ['x'.repeat(2 * 1024 * 1024 + 1), 'yaml', 2 * 1024 * 1024],
  ] as const)
    t.equal(
      faultAt(() => readData(text, language)),
      offset,
      `${language} ${text.slice(0, 30)}`,
    )
})

function faultAt(read: () => unknown): number | undefined {
  try {
    read()
  } catch (error) {
    if (error instanceof Fault) return error.offset
    throw error
  }
  return undefined
}
