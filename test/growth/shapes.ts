/** A text that grows: the same in kind at any size. */
export interface Shape {
  readonly name: string
  /** A text of about so many characters. */
  of(size: number): string
}

export type Kind = 'markdown' | 'yaml' | 'toml' | 'json' | 'query' | 'template'

function repeated(name: string, unit: string, start = '', end = ''): Shape {
  return {
    name,
    of: (size) => start + unit.repeat(Math.max(1, Math.floor((size - start.length - end.length) / unit.length))) + end,
  }
}

/** Lines that differ in their number alone. */
function numbered(name: string, unit: (n: number) => string, start = '', end = ''): Shape {
  return {
    name,
    of: (size) => {
      const parts: string[] = [start]
      for (let n = 0, length = start.length + end.length; length < size; n++) {
        const part = unit(n)
        parts.push(part)
        length += part.length
      }
      return parts.join('') + end
    },
  }
}

/** Makes a shape with one text before the middle, and another one as often after it. */
function nested(name: string, open: string, close: string, middle = 'x'): Shape {
  return {
    name,
    of: (size) => {
      const times = Math.max(1, Math.floor(size / (open.length + close.length)))
      return open.repeat(times) + middle + close.repeat(times)
    },
  }
}

const PROSE = 'The quick brown fox jumps over the *lazy* dog, and `code` follows [a link](https://example.org/a).\n\n'

const MARKDOWN: readonly Shape[] = [
  repeated('prose', PROSE),
  repeated('one line', 'word '),
  repeated('one word', 'a'),
  repeated('lines of one paragraph', 'a line of words\n'),
  repeated('blank lines', '\n'),
  repeated('spaces', ' '),
  repeated('spaces and a line', `${' '.repeat(200)}x\n`),
  repeated('equal headings', '# a\n'),
  numbered('headings that take each other’s ids', (n) => `# a-${n}\n# a\n`),
  repeated('empty headings', '#\n'),
  repeated('heading of hashes', '#', '# '),
  repeated('heading of spaces', ' ', '# a', 'b #'),
  repeated('headings of spaces and a line separator', `# ${' '.repeat(900)}\u2028x\n`),
  repeated('stars', '*'),
  repeated('an address of stars', '*', 'http://a.b/', 'c'),
  repeated('stars and letters', '*a '),
  repeated('stars, letters and underscores', '*a_ '),
  repeated('double stars', '**a '),
  repeated('underscores', '_a'),
  nested('emphasis within emphasis', '*a **b ', '** *'),
  repeated('tildes', '~~a '),
  repeated('open links', '[a]('),
  repeated('open links with angles', '[a](<'),
  repeated('open brackets', '['),
  nested('brackets in brackets', '[', ']'),
  nested('brackets in brackets as a link', '[', ']', 'a](b'),
  repeated('images that do not end', '![a](b "'),
  repeated('closing brackets', ']'),
  repeated('links to nowhere', '[a][b] '),
  numbered('definitions', (n) => `[r${n}]: /a "t"\n`),
  numbered('definitions and links', (n) => `[r${n}]: /a\n\n[r${n}] `),
  repeated('definitions that do not end', '[a]: <b\n'),
  repeated('a title that does not end', '[a]: b "\n'),
  repeated('backticks', '`'),
  numbered('runs of backticks', (n) => `${'`'.repeat((n % 900) + 1)} `),
  repeated('backticks and letters', '`a``b '),
  repeated('angles', '<'),
  repeated('open tags', '<a '),
  repeated('open tags with attributes', '<a b="'),
  repeated('tags that do not end', '<a href="x" '),
  nested('tags in tags', '<b>', '</b>'),
  nested('blocks in blocks', '<div>', '</div>'),
  repeated('tags left open', '<div>'),
  repeated('tags closed only', '</div>'),
  repeated('raw paragraphs', '<p class="a" style="b">x</p>\n\n'),
  repeated('attributes', ' a="b"', '<p', '>x</p>'),
  repeated('pictures with srcset', 'a.png 1x, ', '<img srcset="', 'b.png 2x">'),
  repeated('srcset of spaces', ' ', '<img srcset="a', 'b">'),
  repeated('comments that do not end', '<!-- '),
  repeated('declarations', '<!A '),
  repeated('instructions', '<? '),
  repeated('character data', '<![CDATA['),
  repeated('scripts that do not end', '<script>'),
  repeated('entities', '&amp;'),
  repeated('ampersands', '&'),
  repeated('numbers that are no entities', '&#'),
  nested('quotes in quotes', '> ', ''),
  numbered('quotes ever deeper', (n) => `${'> '.repeat(n % 400)}a\n`),
  repeated('quotes', '> a\n'),
  repeated('lazy quotes', '> a\nb\n'),
  repeated('items', '- a\n'),
  nested('lists in lists', '- ', ''),
  numbered('lists ever deeper', (n) => `${'  '.repeat(n % 200)}- a\n`),
  repeated('loose items', '- a\n\n'),
  repeated('numbers', '1. a\n'),
  repeated('table', '| a | b |\n', '| a | b |\n| - | - |\n'),
  repeated('table of many columns', '|a', '', `\n${'|-'.repeat(1000)}\n`),
  {
    name: 'wide table with short rows',
    of: (size) => {
      const columns = Math.floor(Math.sqrt(size))
      return `${'|a'.repeat(columns)}\n${'|-'.repeat(columns)}\n${'a|\n'.repeat(Math.floor(size / 4))}`
    },
  },
  repeated('pipes', '|'),
  repeated('escapes', '\\*'),
  repeated('backslashes', '\\'),
  repeated('fences', '```\n'),
  repeated('a fence that does not end', 'code\n', '```js\n'),
  repeated('indented code', '    code\n'),
  repeated('rules', '---\n'),
  repeated('underlines', 'a\n===\n'),
  repeated('equals', '='),
  repeated('addresses', 'https://example.org/a '),
  repeated('one address', 'a', 'https://example.org/'),
  repeated('colons and slashes', 'a://'),
  repeated('mail addresses', 'mailto:a@b.c '),
  repeated('addresses with brackets', '('.repeat(20), 'https://example.org/'),
  repeated('ats', 'a@'),
  repeated('autolinks that do not end', '<http://a'),
  repeated('line ends of Windows', 'a\r\n'),
  repeated('tabs', '\t'),
  repeated('hard breaks', 'a  \n'),
  repeated('Chinese', '漢字'),
  repeated('Thai', 'ภาษาไทย'),
  repeated('emoji', '👩‍👩‍👧‍👦'),
  repeated('marks on one letter', '\u0301', 'e'),
  repeated('half of pairs', '\ud800'),
  repeated('module lines', 'import a from "b"\n\n'),
  repeated('attribute lists', '{#a '),
  repeated('template tags', '{{ '),
  repeated('footnotes', '[^a] '),
  repeated('apostrophes', "a'"),
]

const YAML: readonly Shape[] = [
  numbered('keys', (n) => `k${n}: value\n`),
  numbered('keys for the whole parser', (n) => `"k${n}": {a: 1}\n`),
  repeated('one text', 'word ', 'text: '),
  repeated('one text of many lines', 'word\n  ', 'text:\n  '),
  repeated('one quoted text', 'word ', 'text: "', '"\n'),
  repeated('escapes', '\\n', 'text: "', '"\n'),
  repeated('two quotes', "''", "text: '", "'\n"),
  repeated('literal', '  a line\n', 'text: |\n'),
  repeated('folded', '  a line\n', 'text: >\n'),
  repeated('list', '- a\n', 'tags:\n'),
  repeated('list of maps', '- a: 1\n', 'tags:\n'),
  repeated('list on a line', 'a, ', 'tags: [', 'b]\n'),
  repeated('list on a line for the whole parser', '{a: 1}, ', 'tags: [', 'b]\n'),
  repeated('commas', ',', 'tags: [', ']\n'),
  repeated('aliases', '*a,', 'x: &a 1\ny: [', '*a]\n'),
  repeated('aliases of nothing', '*a,', 'y: [', '*a]\n'),
  numbered('anchors', (n) => `k${n}: &a${n} 1\n`),
  numbered('anchors and aliases', (n) => `k${n}: &a${n} [1]\nl${n}: *a${n}\n`),
  numbered('anchors that hold each other', (n) => `k${n}: &a${n} [${n === 0 ? '1' : `*a${n - 1},*a${n - 1}`}]\n`),
  numbered('merges', (n) => `k${n}: {<<: *a, b: 1}\n`, 'x: &a {c: 1}\n'),
  repeated('merges of a list', '*a,', 'x: &a {c: 1}\ny:\n  <<: [', '*a]\n'),
  numbered('merges in a chain', (n) => `k${n}: &a${n}\n  ${n === 0 ? 'b: 1' : `<<: *a${n - 1}\n  b${n}: 1`}\n`),
  numbered('merges of a large map', (n) => (n < 400 ? `  b${n}: 1\n` : `k${n}: {<<: *a}\n`), 'x: &a\n'),
  numbered('quoted keys twice', (n) => `"k${n % 2}": 1\n`),
  repeated('remarks', '# a remark\n', 'a: 1\n'),
  repeated('remark', 'a ', '# ', '\na: 1\n'),
  repeated('blank lines', '\n', 'a: 1\n', 'b: 1\n'),
  repeated('blank lines with spaces', '  \n', 'a: 1\n', 'b: 1\n'),
  repeated('spaces after a value', ' ', 'a: 1', '\nb: 1\n'),
  repeated('spaces before a value', ' ', 'a:', '1\nb: {}\n'),
  repeated('spaces and a remark in a list', '\n# a', 'a:', '\n- b\n'),
  nested('brackets', '[', ']'),
  repeated('dashes', '- '),
  repeated('question marks', '? '),
  numbered('deeper and deeper', (n) => `${' '.repeat(n % 60)}a:\n`),
  repeated('colons', 'a: ', 'x: '),
  repeated('colons without spaces', 'a:', 'x: '),
  repeated('hashes', 'a#', 'x: '),
  repeated('tags', '- !!str a\n', 'x:\n'),
  repeated('unknown tags', '- !a b\n', 'x:\n'),
  repeated('documents', '--- a\n', 'x: 1\n'),
  repeated('directives', '%YAML 1.2\n'),
  repeated('digits', '1', 'x: '),
  repeated('digits and a letter', '1', 'x: ', 'a\n'),
  repeated('dates', '- 2026-01-02\n', 'x:\n'),
  repeated('underscores', '1_', 'x: '),
  repeated('an exponent', '9', 'x: 1e'),
  repeated('points', '1.', 'x: '),
  repeated('line ends of Windows', '- a\r\n', 'x:\r\n'),
  repeated('Chinese', '漢字', 'x: '),
  repeated('quotes that do not end', '"a', 'x: '),
  repeated('quoted keys on a line', '"a":1,', 'x: {', '"b":1}\n'),
  repeated('tags of a record', '- A Tag of Words\n', 'title: x\ntags:\n'),
  numbered('different tags', (n) => `- Tag ${n}\n`, 'title: x\ntags:\n'),
  numbered('different tags on a line', (n) => `tag${n},`, 'title: x\ntags: [', 'b]\n'),
  numbered('aliases of a record', (n) => `- /old/${n}\n`, 'title: x\naliases:\n'),
  repeated('a title', 'word ', 'title: '),
  repeated('a title of dashes', '-', 'title: a', 'b\nslug: a\n'),
  repeated('a date', '1', 'date: 2026-01-01T', '\n'),
  repeated('an odd status', 'a ', 'status: [', ']\n'),
  repeated('a block of spaces', ' ', 'a: 1\nx: |\n  x', 'x\n'),
]

const TOML: readonly Shape[] = [
  numbered('keys', (n) => `k${n} = "value"\n`),
  numbered('tables', (n) => `[t${n}]\na = 1\n`),
  numbered('lists of tables', (n) => `[[t]]\na = ${n}\n`),
  numbered('dotted keys', (n) => `a.b${n} = 1\n`),
  numbered('dotted keys of many parts', (n) => `a${n}.b.c.d.e.f.g.h = 1\n`),
  numbered('tables in a table', (n) => `[a.b${n}]\n`),
  repeated('one long key', 'a.', '', 'b = 1\n'),
  repeated('list', '1, ', 'a = [', '1]\n'),
  repeated('list over lines', '1,\n', 'a = [\n', ']\n'),
  repeated('list of tables on a line', '{a = 1}, ', 'a = [', '{a = 1}]\n'),
  repeated('text', 'word ', 'a = "', '"\n'),
  repeated('text of many lines', 'word\n', 'a = """\n', '"""\n'),
  repeated('escapes', '\\n', 'a = "', '"\n'),
  repeated('code points', '\\u0041', 'a = "', '"\n'),
  repeated('literal', 'word ', "a = '", "'\n"),
  repeated('remarks', '# a\n', 'a = 1\n'),
  repeated('hashes and a line separator', ' #', 'x = "', '\u2028"\n'),
  repeated('blank lines', '\n', 'a = 1\n', 'b = 2\n'),
  repeated('spaces', ' ', 'a =', '1\n'),
  repeated('digits', '1', 'a = '),
  repeated('digits and underscores', '1_', 'a = ', '1\n'),
  repeated('dates', '2026-01-02, ', 'a = [', '2026-01-03]\n'),
  nested('brackets', '[', ']'),
  repeated('open brackets', '[', 'a = '),
  repeated('open tables', '{a=', 'a = '),
  repeated('quotes', '"', 'a = "'),
  repeated('equals', '=', 'a = '),
  repeated('line ends of Windows', 'a\r\n', 'b = """\r\n', '"""\r\n'),
]

const JSONS: readonly Shape[] = [
  numbered('keys', (n) => `"k${n}": 1, `, '{', '"z": 1}'),
  numbered('objects', (n) => `"k${n}": {"a": [1]}, `, '{', '"z": 1}'),
  repeated('list', '1, ', '{"a": [', '1]}'),
  repeated('list of objects', '{"a": 1}, ', '{"a": [', '1]}'),
  repeated('list of empty lists', '[], ', '{"a": [', '1]}'),
  repeated('text', 'word ', '{"a": "', '"}'),
  repeated('escapes', '\\n', '{"a": "', '"}'),
  repeated('code points', '\\u0041', '{"a": "', '"}'),
  repeated('one key', 'a', '{"', '": 1}'),
  repeated('spaces', ' ', '{', '"a": 1}'),
  repeated('lines', '\n', '{', '"a": 1}'),
  repeated('spaces before an object', ' ', '{"k": 1,', '"a": {"c": 1}}'),
  repeated('digits', '1', '{"a": ', '}'),
  repeated('letters', 'a', '{"a": ', '}'),
  repeated('open brackets', '[', '{"a": '),
  repeated('open objects', '{"a":'),
  repeated('a text that does not end', 'a', '{"a": "'),
  repeated('backslashes', '\\', '{"a": "'),
  repeated('one key again and again', '"a": 1, ', '{', '"a": 1}'),
]

const QUERIES: readonly Shape[] = [
  repeated('words', 'word '),
  repeated('one word', 'a'),
  repeated('quotes', '"a" '),
  repeated('quotes that do not end', '"'),
  repeated('minus signs', '-a '),
  repeated('signs', '+-'),
  repeated('stars', '* '),
  repeated('Chinese', '漢字'),
  repeated('Thai', 'ภาษา'),
  repeated('emoji', '👩‍👩‍👧‍👦'),
  repeated('marks', '\u0301'),
  repeated('parameters', 'a=b&'),
  numbered('different parameters', (n) => `a${n}=b&`),
  repeated('percents', '%25'),
  repeated('percents that do not decode', '%'),
  repeated('plus signs', '+'),
  repeated('equals', '='),
  repeated('ands', '&'),
  repeated('commas', 'a,'),
  repeated('empty places', ','),
  repeated('minus and commas', '-a,'),
  repeated('brackets', 'filter['),
  repeated('closing brackets', ']['),
  repeated('digits', '1'),
  repeated('spaces', ' '),
  repeated('spaces between', ' ', 'a', 'b'),
  repeated('tildes', '~'),
  repeated('slashes', '/'),
  repeated('points', '../'),
]

/** All shapes by what they are a text of. */
export const SHAPES: Readonly<Record<Exclude<Kind, 'template'>, readonly Shape[]>> = {
  markdown: MARKDOWN,
  yaml: YAML,
  toml: TOML,
  json: JSONS,
  query: QUERIES,
}
