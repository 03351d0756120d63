import { ok, strictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import type { Clause } from '#fulltext/clauses.ts'
import { queryOf } from '#fulltext/query.ts'
import { longTest } from '#support/long.ts'

const english = new Analyser('en')
const SIGNS = { optional: '', required: '+', prohibited: '-' }

/** A clause in short: sign, form, `*` for a beginning, mistakes. */
function brief(clause: Clause): string {
  if ('phrase' in clause) return `${SIGNS[clause.presence]}"${clause.phrase.map(({ form }) => form).join(' ')}"`
  return `${SIGNS[clause.presence]}${clause.form}${clause.isBeginning ? '*' : ''}~${clause.edits}`
}

t.test('a query is read as people mean it', async (t) => {
  const queries: readonly (readonly [string, ...string[]])[] = [
    ['hello wor', 'hello~1', 'wor*~1'],
    ['hello world ', 'hello~1', 'world~1'],
    ['the quick "brown fox"', 'quick~1', '+"brown fox"'],
    ['“brown fox” „brown fox“ «brown fox»', '+"brown fox"', '+"brown fox"', '+"brown fox"'],
    ['"end of the world"', '+"end of the world"'],
    ['"the end"', '+"the end"'],
    ['"to be or not to be"', '+"to be or not to be"'],
    ['"the" "of" a'],
    ['the of'],
    ['"of the" '.repeat(20), ...Array.from({ length: 8 }, () => '+"of the"')],
    [`"${'ก'.repeat(40)} ข"`, `+"${Array.from({ length: 32 }, () => 'กก').join(' ')}"`, '+ข*~0'],
    ['one "two three', 'one~1', '+"two three"'],
    ['-lazy -"big dog" +cat ', '-lazy~0', '-"big dog"', '+cat~1'],
    ['-foo-bar npm --save - + ', '-"foo bar"', 'npm~1', 'save~1'],
    ['foo:bar a~x * ^ baz*', 'foo~1', 'bar~1', 'x~0', 'baz*~1'],
    ["don't ", 'dont~1'],
    ['encyclopedia x1 ab ', 'encyclopedia~2', 'x1~0', 'ab~0'],
    ['theatre the', 'theatre~1'],
    ['b c d f g h j k l m n', 'b~0', 'c~0', 'd~0', 'f~0', 'g~0', 'h~0', 'j~0', 'k~0'],
    ['東京都', '+"東京 京都"'],
    ['東京', '+東京~0'],
    ['猫', '+猫*~0'],
    ['"2024年"', '+2024~0', '+年*~0'],
    ['-"2024年"', '-"2024 年"'],
    ['"京都 大学"', '+"京都 都 大学"'],
    ['iPhone用ケース foo', 'iphone~1', '+"用ケ ケー ース"', 'foo*~1'],
    ['한국어 ', '한국어~0'],
    ['Straße ', 'strasse~1'],
    [''],
  ]
  for (const [text, ...clauses] of queries) t.strictSame(queryOf(text, english).map(brief), clauses, text)
})

longTest('whatever is typed, a query is small and keeps what clauses promise', async (t) => {
  const piece = fc.constantFrom(
    'the',
    'of',
    'horse',
    '"',
    '“',
    '-',
    '+',
    ' ',
    '*',
    '~9',
    '東京都',
    '猫',
    'ก',
    '\ud800',
    '😀',
    'é',
    '2',
    ':',
    '\n',
  )
  const text = fc.oneof(
    fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', maxLength: 400 }),
  )
  const property = fc.property(text, (text) => {
    const clauses = queryOf(text, english)
    ok(clauses.length <= 9, `${clauses.length} clauses`)
    for (const clause of clauses) {
      const words = 'phrase' in clause ? clause.phrase : [clause]
      ok('phrase' in clause || clause.stem !== '')
      ok(!('phrase' in clause) || (words.length >= 2 && words.length <= 32))
    }
    strictEqual(
      clauses.slice(0, -1).filter((clause) => 'isBeginning' in clause && clause.isBeginning && clause.edits > 0).length,
      0,
    )
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 3000 }))
  t.ok(queryOf('a'.repeat(100_000), english).length === 1)
  t.strictSame(
    queryOf(`${'x '.repeat(200)}late`, english).map(brief),
    Array.from({ length: 8 }, () => 'x~0'),
  )
})

t.test('any stretch of a text without spaces is found', async (t) => {
  const letters = fc.constantFrom(...'東京都民のカタナーガ𠀀กรุงเทพแม่', 'か\u3099', 'ｶﾞ')
  const property = fc.property(fc.array(letters, { minLength: 1, maxLength: 12 }), fc.nat(), fc.nat(), (text, a, b) => {
    const [from, to] = [a % text.length, b % text.length].sort((a, b) => a - b) as [number, number]
    const asked = text.slice(from, to + 1).join('')
    const forms: string[] = []
    english.read(text.join(''), ({ form }) => forms.push(form))
    for (const clause of queryOf(asked, english)) {
      const words = 'phrase' in clause ? clause.phrase.map(({ form }) => form) : [clause.form]
      const isHere = (at: number) =>
        words.every((word, i) =>
          'isBeginning' in clause && clause.isBeginning ? forms[at + i]?.startsWith(word) : forms[at + i] === word,
        )
      // A mark alone at the cut belongs to the character before it.
      ok(
        /^\p{M}/u.test(asked) || /^\p{M}/u.test(text[to + 1] ?? '') || forms.some((_, at) => isHere(at)),
        `${asked} in ${text.join('')}`,
      )
    }
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000 }))
})
