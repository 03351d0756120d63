import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import fc from 'fast-check'
import lunr from 'lunr'
import t from 'tap'
import { Analyser, ENOUGH } from '#fulltext/analysis/analyser.ts'
import { isUnspaced } from '#fulltext/analysis/characters.ts'
import { fold } from '#fulltext/analysis/folding.ts'
import { LUNR_LANGUAGES } from '#fulltext/analysis/language.ts'

const english = new Analyser('en-GB')

function formsOf(text: string, analyser = english): string[] {
  const forms: string[] = []
  analyser.read(text, ({ form }) => forms.push(form))
  return forms
}

function stemsOf(text: string, locale: string): string[] {
  const stems: string[] = []
  new Analyser(locale).read(text, ({ stem }) => stems.push(stem))
  return stems
}

t.test('words of any script are read without regard to how they are written', async (t) => {
  const words: readonly (readonly [string, string])[] = [
    ['Hello, wörld-wide foo_bar 3.14', 'hello world wide foo bar 3 14'],
    ['Straße STRASSE Ærø Łódź Œuvre þing', 'strasse strasse aero lodz oeuvre thing'],
    ['İstanbul ISPARTA ısı', 'istanbul isparta isi'],
    ['Ёлка йод за́мок', 'елка йод замок'],
    ['Ὀδυσσεύς ΟΔΥΣΣΕΥΣ', 'οδυσσευσ οδυσσευσ'],
    ['ﬁne Ｗｉｄｅ x²', 'fine wide x2'],
    ['한국어 שָׁלוֹם مُحَمَّد', '한국어 שלום محمد'],
    ['हिन्दी தமிழ்', 'हिन्दी தமிழ்'],
    ['東京都', '東京 京都 都'],
    ['が か\u3099 ｶﾞ ガ', 'が が ガ ガ'],
    ['データ2024年', 'デー ータ タ 2024 年'],
    ['ไทย', 'ไท ทย ย'],
    ['fog\u00adhorn a\u200db', 'foghorn ab'],
    ['❤️ 👍🏽 \u0301 \ud800 \0 …', ''],
  ]
  for (const [text, forms] of words) t.equal(formsOf(text).join(' '), forms)
})

t.test('an apostrophe is no part of a word, and parts words only where the language leaves a letter out there', async (t) => {
  t.equal(formsOf("don't dog’s 'quoted' rock'n'roll").join(' '), 'dont dogs quoted rocknroll')
  t.equal(formsOf("l'eau aujourd’hui", new Analyser('fr')).join(' '), 'l eau aujourd hui')
  t.strictSame(stemsOf('dog’s', 'en'), stemsOf('dog', 'en'))
})

t.test('places are those of the text as it is given', async (t) => {
  const read: string[] = []
  const text = 'Cafe\u0301 — 𠀀𠀁 naïve'
  english.read(text, ({ form }, start, end) => read.push(`${form}=${text.slice(start, end)}`))
  t.strictSame(read, ['cafe=Cafe\u0301', '𠀀𠀁=𠀀𠀁', '𠀁=𠀁', 'naive=naïve'])
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        let last = 0
        english.read(text, ({ form }, start, end) => {
          ok(start >= last && end > start && end <= text.length)
          // What stands there is that word; of a pair, it begins with it.
          strictEqual(formsOf(text.slice(start, end))[0], form)
          last = start + 1
        })
      }),
      { numRuns: 300 },
    ),
  )
})

t.test('composed and decomposed, capital and small letters are the same words; folding twice changes nothing', async (t) => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 })
  const folded = fc.property(text, fc.string({ unit: 'binary', maxLength: 80 }), (text, any) => {
    deepStrictEqual(formsOf(text.normalize('NFD')), formsOf(text.normalize('NFC')))
    for (const word of [fold(text), fold(any)]) {
      strictEqual(fold(word), word)
      ok(word.length <= 64)
    }
  })
  t.doesNotThrow(() => fc.assert(folded, { numRuns: 1000 }))
  t.strictSame(formsOf('ÉCOLE Ümlaut ΣΊΣΥΦΟΣ ЩИТ'), formsOf('école ümlaut σίσυφος щит'))
})

t.test('English stems and stop words are those of Lunr', async (t) => {
  const letters = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: 1, maxLength: 10 })
  const ends = fc.constantFrom('', 's', 'ed', 'ing', 'ational', 'iveness', 'ies', 'y', 'ement')
  const property = fc.property(letters, ends, (beginning, end) => {
    const token = new lunr.Token(beginning + end, {})
    const isStop = (lunr.stopWordFilter(token) as lunr.Token | undefined) === undefined
    deepStrictEqual(stemsOf(beginning + end, 'en'), [isStop ? '' : lunr.stemmer(token).toString()])
  })
  t.doesNotThrow(() => fc.assert(property))
  t.strictSame(stemsOf('the running horses', 'en'), ['', 'run', 'hors'])
})

t.test('a locale has the stems and folded stop words of its language, an unknown one none', async (t) => {
  t.strictSame(stemsOf('für fur Kinder', 'de-AT'), ['', '', 'kind'])
  t.strictSame(stemsOf('ещё книги книга', 'ru'), ['', 'книг', 'книг'])
  t.strictSame(stemsOf('hestene og', 'nb-NO'), ['hest', ''])
  t.strictSame(stemsOf('the running', 'xx'), ['the', 'running'])
  t.equal(new Analyser('de-AT').name, new Analyser('DE_ch').name)
  t.ok(new Analyser('de').name !== new Analyser('en').name)
  t.equal('de' in lunr, false, 'Lunr itself stays as it is')
  const word = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({ unit: fc.constantFrom(...'aeiouybcdлнияוהיال'), maxLength: 64 }),
  )
  for (const locale of LUNR_LANGUAGES) {
    const analyser = new Analyser(locale)
    // A stem is never '' but for a stop word: those are words in themselves.
    const property = fc.property(word, (text) => analyser.read(text, ({ form }) => ok(form !== '')))
    fc.assert(property, { numRuns: 50 })
  }
})

t.test('what is very long is known by its beginning, in texts and queries alike', async (t) => {
  t.strictSame(formsOf('A'.repeat(3000)), ['a'.repeat(64)])
  t.strictSame(formsOf(`${'é'.repeat(100)} x`), ['e'.repeat(64), 'x'])
})

t.test('words are remembered rightly, however many there are, and reading ends when it is enough', async (t) => {
  const plain = new Analyser('xx')
  const many = Array.from({ length: 200_000 }, (_, i) => `W${(i * 7919) % 150_000}`)
  let at = 0
  plain.read(many.join(' '), ({ form }) => {
    if (form !== many[at++]?.toLowerCase()) throw new Error(`${form} at ${at}`)
  })
  t.equal(at, many.length)
  // These two have one hash.
  t.strictSame(formsOf('Aa BB Aa', plain), ['aa', 'bb', 'aa'])
  for (const text of ['one two three', '一二三四']) {
    let read = 0
    english.read(text, () => (++read === 2 ? ENOUGH : undefined))
    strictEqual(read, 2)
  }
})

t.test('a great many characters of anything take a moment', async (t) => {
  const units = [
    'a',
    '漢',
    '\u0301',
    '😀',
    '\ud800',
    '\udc00a',
    '\0',
    "a'",
    "'",
    'ﷺ',
    '각',
    'ｶﾞ',
    'ก็',
    'é',
    '漢\u0301\u0301',
    '\u200d',
    'İ',
  ]
  for (const unit of units) {
    const text = unit.repeat(400_000 / unit.length)
    const before = process.cpuUsage()
    english.read(text, () => undefined)
    const { user, system } = process.cpuUsage(before)
    ok(user + system < 1_500_000, `${JSON.stringify(unit)}: ${user + system} µs`)
  }
  t.equal(
    ['漢', 'カ', 'ー', 'ไ', 'a', '한', '1', '๑', 'й'].map(isUnspaced).join(),
    'true,true,true,true,false,false,false,false,false',
  )
})
