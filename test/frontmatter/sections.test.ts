import t from 'tap'
import { blockOf, sectionsOf } from '#frontmatter/yaml/sections.ts'

t.test('sections of any number of lines', async (t) => {
  const remarks = '#\n'.repeat(300_000)
  const values = '  b\n'.repeat(300_000)
  t.equal(sectionsOf(`a: 1\n${remarks}`)[0]?.text, `a: 1\n${remarks}`)
  const [section] = sectionsOf(`a:\n${values}`)
  t.equal(section && blockOf(section), values.replaceAll('  ', ''))
})

t.test('a block of which no line is indented is none', async (t) => {
  for (const text of ['a:\n', 'a:\n# only a remark\n', 'a:\n- b\n']) {
    const [section] = sectionsOf(text)
    t.equal(section && blockOf(section), undefined, JSON.stringify(text))
  }
})
