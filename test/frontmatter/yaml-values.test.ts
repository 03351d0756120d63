import { strictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { toJson } from '#frontmatter/to-json.ts'
import { parseTree, treeData } from '#frontmatter/yaml/yaml.ts'
import { longTest } from '#support/long.ts'

const VALUES = fc.constantFrom(
  ...[
    '1',
    'x',
    '*a',
    '*b',
    '&a 1',
    '&b x',
    '&a {c: 1}',
    '&b {c: 2, d: 3}',
    '[*a, *b]',
    '{<<: *a}',
    '{<<: [*a, *b], c: 9}',
    '~',
    '',
  ],
  ...[
    '{c: 0, <<: *b, d: 4}',
    '&a {<<: *b, e: 1}',
    '"<<"',
    '.nan',
    '{"<<": 1}',
    '{<<: {z: 1}}',
    '&a [1, {k: *b}]',
    '&b',
    '&a [*a]',
  ],
  ...['{&a q: 1, r: *a}', '!!str 1', '1e999', '{<<: [{a: 1}, {a: 2, b: 3}]}'],
)
const texts = fc.array(VALUES, { maxLength: 8 }).map((values) => values.map((value, n) => `k${n}: ${value}\n`).join(''))

longTest('aliases and merge keys are followed as the parser itself would', async () => {
  fc.assert(
    fc.property(texts, (text) => {
      const tree = parsed(text)
      if (!tree) return
      const [ours, theirs] = [attempt(() => treeData(tree)), attempt(() => toJson(tree.toJS({ maxAliasCount: 100 }), 0) ?? {})]
      strictEqual(JSON.stringify(ours), JSON.stringify(theirs), text)
    }),
    { numRuns: 2000 },
  )
})

t.test(
  'aliases that stand for too much, for nothing or for themselves, and a second document, are told with their place',
  async (t) => {
    const fault = (text: string) => {
      try {
        return treeData(parseTree(text))
      } catch (error) {
        const { message, offset, hint } = error as Error & { offset: number; hint: string }
        return { message, offset, hint }
      }
    }
    const bomb = Array.from({ length: 30 }, (_, n) => `k${n}: &a${n} [${n === 0 ? '1' : `*a${n - 1}, *a${n - 1}`}]\n`).join('')
    t.match(fault(bomb), { message: 'Aliases refer to too much.', hint: /^Write the values out/ })
    t.match(fault(`x: &a [1, 2]\ny: [${'*a, '.repeat(6000)}]`), { message: 'Aliases refer to too much.' })
    t.match(fault('a: 1\nb: *no'), { message: 'There is no anchor &no before this alias.', offset: 8 })
    t.match(fault('a: &a [*a]'), { message: 'The alias *a stands in what it refers to.', offset: 7 })
    t.match(fault('a: 1\n...\ntext\n'), {
      message: 'A second document of YAML begins here.',
      offset: 9,
      hint: /ends with a line of `---`/,
    })
    t.match(fault('a: {<<: 1}'), { message: 'Merge sources must be maps or map aliases.', offset: 8 })
    t.strictSame(
      fault(`x: &a 1\ny: [${'*a, '.repeat(500)}]`),
      { x: 1, y: Array(500).fill(1) },
      'many aliases to little are no bomb',
    )
  },
)

function parsed(text: string) {
  try {
    return parseTree(text)
  } catch {
    return undefined
  }
}

/** Returns the result, or only that it fails, without the message, which differs. */
function attempt(work: () => unknown): unknown {
  try {
    return work()
  } catch {
    return 'refused'
  }
}
