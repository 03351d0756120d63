import fc from 'fast-check'
import type { Json } from '#lib/json.ts'

/** A file of which each key's lines are known: `before` and `after` are what must stay when `key` is edited. */
export interface Written {
  syntax: string
  text: string
  key: string
  before: string
  after: string
}

const word = fc.constantFrom(
  'ada',
  'Grace Hopper',
  'news',
  'über',
  '日本',
  'a-b',
  'v18.17.0',
  'x: y',
  "it's",
  'say "hi"',
  '# no',
  '[x]',
  '',
)
const plain = fc.constantFrom(
  'ada',
  'Grace Hopper',
  'über',
  '日本語',
  'v18.17.0',
  'https://x.org/a#b',
  '2024-01-02',
  '12',
  '1.10',
  'true',
  '~',
)
const remark = fc.constantFrom('', '', ' # a remark', '   # one: more')
const single = word.map((text) => `'${text.replaceAll("'", "''")}'`)
const double = word.map((text) => JSON.stringify(text))
const scalar = fc.oneof(plain, single, double)
const flowScalar = fc.oneof(fc.constantFrom('a', 'b c', '12', 'true'), single, double)

const oneOf = (...values: string[][]): fc.Arbitrary<string[]> => fc.constantFrom(...values)
const remarks = oneOf([], [], ['# a remark'], [''], ['', '# title: no', ''])

/** The lines of one YAML value after `key:`, in one of the many ways people write them. */
const yamlValue: fc.Arbitrary<string[]> = fc.oneof(
  fc.tuple(scalar, remark).map(([text, note]) => [` ${text}${note}`]),
  oneOf(
    [''],
    [' # empty'],
    [' |', '  one', '', '    two'],
    [' >-', '  long', '  text'],
    [' |+', '  kept', ''],
    [' | # text', '   three'],
  ),
  fc.tuple(fc.array(flowScalar, { maxLength: 3 }), remark).map(([items, note]) => [` [${items.join(', ')}]${note}`]),
  fc.array(flowScalar, { minLength: 1, maxLength: 3 }).map((items) => [' [', ...items.map((item) => `    ${item},`), '  ]']),
  fc
    .tuple(fc.array(fc.tuple(scalar, remark), { minLength: 1, maxLength: 3 }), fc.constantFrom('', '  ', '    '), remark)
    .map(([items, pad, note]) => [note, ...items.map(([item, its]) => `${pad}- ${item}${its}`)]),
  fc.tuple(scalar, scalar, remark).map(([a, b, note]) => ['', `  inner: ${a}${note}`, '  deep:', `    most: ${b}`]),
  fc.tuple(flowScalar, remark).map(([a, note]) => [` { inner: ${a}, other: [1, 2] }${note}`]),
  fc.tuple(scalar, scalar).map(([a, b]) => ['', `  - name: ${a}`, '    url: /x', '  # between', `  - name: ${b}`]),
  oneOf(
    ['', '  - - a', '    - b', '  - [c, d]'],
    [' two', '  lines'],
    [' "two', '  quoted\\', '  lines"'],
    [" 'two", '', "  parts'"],
  ),
)

const tomlScalar = fc.oneof(double, fc.constantFrom("'a literal'", '12', '1.5', 'true', '2024-01-02', '2024-01-02T03:04:05Z'))
const tomlValue: fc.Arbitrary<string[]> = fc.oneof(
  fc.tuple(tomlScalar, remark).map(([text, note]) => [`${text}${note}`]),
  fc.array(double, { maxLength: 3 }).map((items) => [`[${items.join(', ')}]`]),
  fc.array(double, { minLength: 1, maxLength: 3 }).map((items) => ['[', ...items.map((item) => `  ${item}, # one`), ']']),
  oneOf(['"""', 'two "" lines', 'key = 1', '"""'], ["'''", 'raw', "'''"], ['{ a = 1, b = "x" }']),
)

const jsonValue: fc.Arbitrary<string[]> = fc.oneof(
  fc.oneof(double, fc.constantFrom('1', 'true', 'null', '{}', '[]', '{ "a": [1, 2] }')).map((text) => [text]),
  fc
    .array(double, { minLength: 1, maxLength: 3 })
    .map((items) => ['[', `    ${items.join(',\n    ')}`.split('\n'), '  ]'].flat()),
)

type Entries = { lead: string[]; key: string; lines: string[] }[]

function entries(value: fc.Arbitrary<string[]>, assign: string): fc.Arbitrary<Entries> {
  const names = fc.uniqueArray(fc.constantFrom('title', 'other', 'list', 'note', 'long_key', 'x-y', 'seo'), {
    minLength: 1,
    maxLength: 5,
  })
  return names.chain((keys) =>
    fc.tuple(
      ...keys.map((name) =>
        fc.tuple(remarks, value).map(([lead, lines]) => ({ lead, key: name, lines: joined(name + assign, lines) })),
      ),
    ),
  )
}

function joined(start: string, lines: string[]): string[] {
  return [start + (lines[0] ?? ''), ...lines.slice(1)]
}

const bodies = fc.constantFrom('', 'Body\n', '\nBody *text*\n\n---\n\nmore', 'no end', '\n\n  x\n')

function file(syntax: string, list: Entries, ends: { eol: string; bom: string; body: string; at: number }): Written {
  const { eol, bom, body, at } = ends
  const place = at % list.length
  const [open, close] = syntax === 'toml' ? ['+++', '+++'] : ['---', '---']
  const lines = (some: string[]) => some.map((line) => line + eol).join('')
  const before = list.slice(0, place).flatMap((entry) => [...entry.lead, ...entry.lines])
  const own = list[place] ?? { lead: [], key: '', lines: [] }
  const after = list.slice(place + 1).flatMap((entry) => [...entry.lead, ...entry.lines])
  const head = bom + lines([open, ...before, ...own.lead])
  const tail = lines([...after, close]) + body.replaceAll('\n', eol)
  return { syntax, key: own.key, before: head, after: tail, text: head + lines(own.lines) + tail }
}

function jsonFile(list: Entries, ends: { eol: string; bom: string; body: string; at: number }): Written {
  const { eol, bom, body, at } = ends
  const place = at % list.length
  const own = list[place] ?? { key: '', lines: [] }
  const text = list.map(({ lines }) => `  ${lines.join(eol)}`)
  const start = `${bom}---json${eol}{${eol}${text
    .slice(0, place)
    .map((entry) => `${entry},${eol}`)
    .join('')}`
  const end = `${text
    .slice(place + 1)
    .map((entry) => `,${eol}${entry}`)
    .join('')}${eol}}${eol}---${eol}${body.replaceAll('\n', eol)}`
  return { syntax: 'json', key: own.key, before: start, after: end, text: `${start}${text[place]}${end}` }
}

const ends = fc.record({
  eol: fc.constantFrom('\n', '\n', '\r\n', '\r'),
  bom: fc.constantFrom('', '', '\ufeff'),
  body: bodies,
  at: fc.nat(4),
})

/** Files in every style of front matter, with one key to be edited. */
export const written: fc.Arbitrary<Written> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(entries(yamlValue, ':'), ends).map(([list, its]) => file('yaml', list, its)) },
  fc.tuple(entries(tomlValue, ' = '), ends).map(([list, its]) => file('toml', list, its)),
  fc.tuple(entries(jsonValue, ''), ends).map(([list, its]) =>
    jsonFile(
      list.map((e) => ({ ...e, lines: joined(`"${e.key}": ${e.lines[0]?.slice(e.key.length)}`, ['', ...e.lines.slice(1)]) })),
      its,
    ),
  ),
)

const texts = fc.oneof(
  word,
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('two\nlines\n', ' lead\nx', 'a\n\n\nb', '- a', 'yes', '*x', '&y', '1e3', 'a\tb', 'trail '),
)

/** Values of every kind an API can send. */
export const newValue: fc.Arbitrary<Json> = fc.oneof(
  texts,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.array(texts, { maxLength: 4 }),
  fc.array(fc.record({ name: texts, url: fc.constant('/x') }), { maxLength: 3 }),
  fc.record({ inner: texts, deep: fc.record({ most: fc.array(texts, { maxLength: 2 }) }) }),
)
