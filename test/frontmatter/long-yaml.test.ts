import t from 'tap'
import { composeYaml } from '#frontmatter/yaml/compose.ts'
import { editYaml } from '#frontmatter/yaml/edit.ts'
import { readFast } from '#frontmatter/yaml/fast-yaml.ts'
import type { Json } from '#lib/json.ts'

const read = (text: string) => readFast(text) ?? {}

/** Values that make a file too long for the whole parser. */
const LONG: Record<string, Json> = {
  'texts in quotes': Array(300).fill(Array(20).fill('- #: x')),
  'Markdown with headings': Array(200).fill('# A\n\npara *x*: "y" # z\n\n## B\n'),
  'plain texts with a sign': Array(3_000).fill('C# and F#'),
}

for (const [name, value] of Object.entries(LONG)) {
  t.test(`a long entry of ${name} can be changed and removed`, async (t) => {
    const text = composeYaml({ title: 'T', x: value, last: 1 }, '\n') ?? ''
    const data = read(text)
    t.same(data.x, value)
    t.same(read(editYaml(text, data, new Map([['x', 1]]), '\n')), { title: 'T', x: 1, last: 1 })
    t.same(read(editYaml(text, data, new Map([['x', undefined]]), '\n')), { title: 'T', last: 1 })
  })
}

t.test('a remark in a long entry is not lost', async (t) => {
  const lines = Array(6_000).fill('  - "a # b"')
  for (const remark of ['  # why', '  - c # why', "  - 'c' # why"]) {
    const text = `title: T\nx:\n${[...lines, remark, ...lines].join('\n')}\n`
    const data = read(text)
    t.throws(() => editYaml(text, data, new Map([['x', 1]]), '\n'), remark)
    t.match(editYaml(text, data, new Map([['title', 'U']]), '\n'), remark)
  }
})
