import { deepStrictEqual, strictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { readFast } from '#frontmatter/yaml/fast-yaml.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'
import { longTest } from '#support/long.ts'
import { written as files } from './written.ts'

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

longTest('the strict reader takes the common case and never differs from the whole parser', async (t) => {
  const head =
    "date: '2012-05-08T17:00:34.000Z'\ncategory: video # one\ntitle: \"A: b\"\nn: 12\nok: true\nno: ~\ntags: [a, 'b, c']\nlist:\n  - a\n  - 'b: c'\n"
  t.strictSame(readFast(head), readYaml(head))
  t.ok(readFast(head), 'taken')
  for (const text of ['11/04/2016', '6f2b0c1e', '0b1', '1_000', '12:30', '1.2.3', '2024-01-02 03:04', '5 ways', '3, 4', '100%']) {
    const line = `ms.date: ${text}\nlist:\n  - ${text}\n`
    t.strictSame(readFast(line), { 'ms.date': text, list: [text] }, text)
    t.strictSame(readFast(line), readYaml(line))
  }
  for (const text of ['1e3', '0x1f', '0o17', '1.', '1.5', '017', '1e', '12345678901234567890', '5 # x: y', '1: 2']) {
    const fast = readFast(`a: ${text}\n`)
    t.ok(fast === undefined || deepStrictEqual(fast, readYaml(`a: ${text}\n`)) === undefined, text)
  }
  const sure = (text: string) => {
    const fast = readFast(text)
    if (fast !== undefined) deepStrictEqual(fast, readYaml(text))
  }
  fc.assert(
    fc.property(files, (file) => file.syntax !== 'yaml' || file.text.includes('\r') || sure(file.text.split(/^---$/m)[1] ?? '')),
    { numRuns: 500 },
  )
  const piece = fc.constantFrom(
    ...'a|b|1|0|-|:|: | #|#| |  |\n|\n  |\n- |[|]|,|{|}|\'|"|\\|~|!|&|*|%|@|.|?|>|||\t|true|null|1.5|1e3|0x1|é|key: |\r\n|---|...|<<|=|2024-01-02|T03:04:05Z|.inf| \n|1/2/2020|6f2b|0b1|0o7|0o8|1_000|12:30|12:30:45|1.2.3|1,|,|1e|1e+|12e5x|00|017|4.|+|5 %|3d|\u00a0|\u2028|\ufeff'.split(
      '|',
    ),
  )
  const soup = fc.array(piece, { maxLength: 14 }).map((parts) => `k: ${parts.join('')}`)
  const lines = fc.array(
    fc.tuple(
      fc.constantFrom('a', 'b', 'c', '- d', '  e', '#', 'f', 'ms.date', 'a.', 'a..b', '.a', '<<.x'),
      fc.constantFrom(': ', ':', ' ', ''),
      fc.array(piece, { maxLength: 5 }),
    ),
    { maxLength: 5 },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        soup,
        lines.map((all) => all.map(([name, colon, rest]) => name + colon + rest.join('')).join('\n')),
      ),
      sure,
    ),
    { numRuns: 20000 },
  )
  t.pass('held')
})
