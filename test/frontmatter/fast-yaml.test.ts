import { strictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { readFast } from '#frontmatter/yaml/fast-yaml.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'

const KEYS = fc.constantFrom('a', 'b c', 'd.e', '"f"', "'g: h'", '10', 'true')
const VALUES = fc.constantFrom(
  ...['', '# r', 'x', 'x # r', 'x y', 'it’s', '1', '-2.5', '007', '-0', './p', '-p', '"q\\n"', '"\\x41"', "'s'", '~', 'a: b'],
  ...['[a, {b: c}]', '{a: 1, "b": [2]} # r', '{"b":1}', '{a: , b: 1}', '[a, ]', '[a: b]', '[https://x.org/a, b]', '[[], {}]'],
)
const HEADERS = fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '|2', '| # r')
const LINES = fc.constantFrom(
  ...[
    ['t'],
    ['t', '', 'u v'],
    ['t', ' in'],
    ['', 't'],
    ['t: 1', '- x', '# no'],
    ['t', '', ''],
    ['a\tb', '\tc'],
    ['t', '     '],
    [],
  ],
)

type Tree = string | { text: [header: string, lines: string[]] } | { map: [string, Tree][] } | { list: Tree[] }

const { map } = fc.letrec<{ tree: Tree; map: { map: [string, Tree][] } }>((tie) => ({
  map: fc
    .uniqueArray(fc.tuple(KEYS, tie('tree')), { selector: ([key]) => key, minLength: 1, maxLength: 4 })
    .map((pairs) => ({ map: pairs })),
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    VALUES,
    fc.tuple(HEADERS, LINES).map((text) => ({ text })),
    tie('map'),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((list) => ({ list })),
  ),
}))

const styles = fc.record({
  step: fc.constantFrom(1, 2, 3, 4),
  dash: fc.constantFrom(0, 0, 1, 2),
  gap: fc.constantFrom(' ', ' ', '   '),
  eol: fc.constantFrom('\n', '\n', '\r\n'),
  noise: fc.array(fc.constantFrom('', '', '', '# r', '   # r', '  ', '\n'), { minLength: 5, maxLength: 5 }),
})
type Style = typeof styles extends fc.Arbitrary<infer S> ? S : never

/** Writes a tree as people do; `first` is what stands before it on its first line. */
function write(node: Tree, column: number, style: Style, lines: string[], first: string): void {
  const between = () => {
    const noise = style.noise[lines.length % style.noise.length]
    if (noise) lines.push(noise)
  }
  if (typeof node === 'string') lines.push(node === '' ? first : `${first.trimEnd()} ${node}`)
  else if ('text' in node) {
    const [header, texts] = node.text
    lines.push(`${first.trimEnd()} ${header}`)
    for (const text of texts) lines.push(text === '' ? '' : ' '.repeat(column + style.step) + text)
  } else if ('map' in node) {
    node.map.forEach(([key, value], n) => {
      if (n > 0) between()
      const lead = `${n === 0 && first !== '' ? first : ' '.repeat(column)}${key}:`
      const isBelow = typeof value === 'object' && !('text' in value)
      if (isBelow) {
        lines.push(lead)
        between()
        write(value, column + ('list' in value ? style.dash : style.step), style, lines, '')
      } else write(value, column, style, lines, lead)
    })
  } else {
    node.list.forEach((item, n) => {
      if (n > 0) between()
      const lead = `${n === 0 && first !== '' ? first : ' '.repeat(column)}-${style.gap}`
      const isBelow = typeof item === 'object' && !('text' in item)
      write(item, isBelow ? lead.length : column, style, lines, lead)
    })
  }
}

const written = fc.tuple(map, styles, fc.boolean()).map(([tree, style, isEnded]) => {
  const lines: string[] = []
  write(tree, 0, style, lines, '')
  return lines.join(style.eol) + (isEnded ? style.eol : '')
})

const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''))
/** Lines that seldom fit together. */
const loose = fc
  .array(
    joined(
      fc.constantFrom('', '', '', ' ', '  ', '  ', '    ', '- ', '  - ', '- - ', '  -', '\t'),
      fc.constantFrom(
        'a: ',
        'b: ',
        'c:',
        'd:',
        '"q": ',
        "'s' : ",
        'e : ',
        'k:v: ',
        'x #y: ',
        '? ',
        '<<: ',
        '{a: 1}: ',
        '',
        '',
        '',
      ),
      fc.oneof(
        VALUES,
        HEADERS,
        fc.constantFrom('"a', '- x', '---', '...', '\tx', 'x\t', '&a 1', '*a', '!!str x', '\u00a0', '<<', 'x:'),
      ),
      fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n', '\n  \n', '\n    # r\n', ' \n'),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((lines) => lines.join(''))

let taken = 0

function agrees(text: string): void {
  const fast = readFast(text)
  if (fast === undefined) return
  taken++
  strictEqual(JSON.stringify(fast), JSON.stringify(readYaml(text)), text)
}

t.test('what the strict reader takes of nested data and long texts is what the whole parser reads', async (t) => {
  fc.assert(fc.property(written, agrees), { numRuns: 5000 })
  t.ok(taken > 500, `${taken} of 5,000 taken`)
  fc.assert(fc.property(loose, agrees), { numRuns: 10_000 })
})

t.test('large data of the usual kinds need no whole parser', async (t) => {
  const texts = [
    'toc:\n  - title: A\n    href: a.md\n    items:\n    - title: B\n      href: ../b.md\n  - title: C\n',
    'body: |\n  # Text\n\n  with `code: {}` and - dashes\n',
    'note: >-\n  long\n  text\nn: -1.5\n',
    'menu:\n- {name: A, url: "/a", weight: 10}\n# between\n- {name: B, url: "/b", tags: [x, y]}\n',
    '"quoted key": "a\\nb"\r\nother key: ./x\r\n',
  ]
  for (const text of texts) t.same(readFast(text), readYaml(text))
})
