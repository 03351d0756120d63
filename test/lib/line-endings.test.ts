import fc from 'fast-check'
import t from 'tap'
import { type LineEnding, lineEndingsOf, withFinalNewline, withLf, withLineEndings } from '#lib/text/line-endings.ts'

const lines = fc.array(fc.constantFrom('a', 'b', '', '', '# c', '  d ', '\ttab', '</textarea>', '\u2028', '\ufeffx', 'é日本'), {
  maxLength: 20,
})
const ends = fc.constantFrom<LineEnding>('\n', '\r\n', '\r')
const raw = fc
  .array(
    fc.tuple(
      lines.map((some) => some.join('')),
      ends,
    ),
    { maxLength: 30 },
  )
  .map((all) => all.flat().join(''))

/** A text as a form sends it. */
function sent(text: string): string {
  return withLf(text).replaceAll('\n', '\r\n')
}

t.test('a text that a form sends back as it came is the text', async (t) => {
  fc.assert(
    fc.property(raw, (text) => withLineEndings(sent(text), text) === text),
    { numRuns: 1000 },
  )
  t.pass('held')
})

t.test('an edit says what was typed, whatever the ends are', async (t) => {
  fc.assert(
    fc.property(raw, raw, (before, after) => withLf(withLineEndings(sent(after), before)) === withLf(after)),
    { numRuns: 3000 },
  )
  t.pass('held')
})

t.test('a text with one kind of line end has no other after an edit', async (t) => {
  fc.assert(
    fc.property(raw, raw, ends, (before, after, end) => {
      const old = withLf(`${before}\n`).replaceAll('\n', end)
      return [...lineEndingsOf(withLineEndings(sent(after), old))].every((one) => one === end)
    }),
    { numRuns: 1000 },
  )
  t.pass('held')
})

t.test('lines that stay keep the ends they have', async (t) => {
  const numbered = fc.array(ends, { minLength: 4, maxLength: 30 })
  fc.assert(
    fc.property(numbered, fc.nat(29), fc.array(fc.constantFrom('new', 'more'), { maxLength: 3 }), (all, at, put) => {
      const old = all.map((end, n) => `line ${n}${end}`)
      const place = at % all.length
      const edited = [...old.slice(0, place), ...put.map((line) => `${line}\n`), ...old.slice(place + 1)].join('')
      const made = withLineEndings(sent(edited), old.join(''))
      return old.every((line, n) => n === place || made.includes(line))
    }),
    { numRuns: 2000 },
  )
  t.pass('held')
})

t.test('a line in the place of another has its end, a new one the commonest', async (t) => {
  t.equal(withLineEndings('a\r\nB\r\nc\r\nd\r\n', 'a\nb\r\nc\nd\n'), 'a\nB\r\nc\nd\n')
  t.equal(withLineEndings('a\r\nb\r\nnew\r\nc\r\nd\r\n', 'a\r\nb\nc\r\nd\r\n'), 'a\r\nb\nnew\r\nc\r\nd\r\n')
  t.equal(withLineEndings('x\r\ny', 'one line'), 'x\ny')
  t.equal(withLineEndings('x\r\ny', 'one line', '\r\n'), 'x\r\ny')
})

t.test('a CR before an LF stays two line ends when the line between is emptied', async (t) => {
  const made = withLineEndings('a\r\n\r\nc\r\n', 'a\rb\nc\r\n')
  t.equal(withLf(made), 'a\n\nc\n')
  t.equal(made, 'a\r\r\nc\r\n')
})

t.test('leading blank lines and the final newline stay', async (t) => {
  t.equal(withLineEndings('\r\n\r\nB', '\n\r\na'), '\n\r\nB')
  t.equal(withFinalNewline('new', 'old\n'), 'new\n')
  t.equal(withFinalNewline('new\r\n', 'old\n'), 'new\r\n')
  t.equal(withFinalNewline('new\n\n', 'old'), 'new')
  t.equal(withFinalNewline('new\n', ''), 'new\n', 'where nothing was, it is as typed')
  t.equal(withFinalNewline('', 'old\n'), '')
})
