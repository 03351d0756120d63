import fc from 'fast-check'
import t from 'tap'
import { composed, isMark, normalForm } from '#lib/text/normal-form.ts'

const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const
/** Marks of several classes, one of them outside of the first plane, and one that comes apart into two. */
const MARKS = ['\u0300', '\u0316', '\u031b', '\u0315', '\u0344', '\u{1d165}', '\u3099']
const marks = (max: number) => fc.array(fc.constantFrom(...MARKS), { maxLength: max }).map((some) => some.join(''))
const starter = fc.oneof(
  fc.constantFrom('a', 'é', 'ﬁ', '가', 'ᄀ', '\u1f82', '\u{1f600}', '\ud800', ' '),
  fc.string({ unit: 'grapheme' }),
)
const texts = (most: number) => fc.array(fc.tuple(starter, marks(most)), { maxLength: 6 }).map((parts) => parts.flat().join(''))

t.test('what has no more marks in a row than text has is in the normal form of Unicode', async () => {
  fc.assert(fc.property(texts(12), fc.constantFrom(...FORMS), (text, form) => normalForm(text, form) === text.normalize(form)))
})

t.test('a longer run is left as it is, and what is around it is not', async (t) => {
  const run = '\u0300\u0316'.repeat(16)
  t.equal(composed(`e\u0301 a${run}e\u0301`), `é a${run}é`)
  t.equal(composed(run), run)
  t.equal(composed(`a${run.slice(0, 30)}`), `a${run.slice(0, 30)}`.normalize('NFC'))
  fc.assert(fc.property(texts(70), (text) => composed(composed(text)) === composed(text)))
})

t.test('a mark is what Unicode calls one', async (t) => {
  for (let code = 0; code <= 0x10ffff; code += code < 0x3100 ? 1 : 7) {
    if (isMark(code) !== /^\p{M}/u.test(String.fromCodePoint(code))) t.fail(`U+${code.toString(16)}`)
  }
})
