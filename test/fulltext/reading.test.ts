import fc from 'fast-check'
import t from 'tap'
import { Analyser, ENOUGH } from '#fulltext/analysis/analyser.ts'
import { LUNR_LANGUAGES } from '#fulltext/analysis/language.ts'
import { Reading } from '#fulltext/reading.ts'
import { cpuMs } from '#support/cpu.ts'
import { longTest } from '#support/long.ts'

/** The words of these stems, of those that begin from `from` on and before `to`, at most so many. */
function read(text: string, analyser: Analyser, { stems, most, from, to }: Wish): unknown[] {
  const words: unknown[] = []
  analyser.read(text, ({ stem }, start, end) => {
    if (stem !== '' && stems.has(stem) && start >= from && start < to && words.length < most) words.push([stem, start, end])
  })
  return words
}

function found(reading: Reading, analyser: Analyser, { stems, most, from, to }: Wish): unknown[] {
  const words: unknown[] = []
  const take = (...word: [string, number, number]) => (words.push(word) >= most ? ENOUGH : undefined)
  reading.find(stems, analyser, take, from, to)
  return words
}

interface Wish {
  readonly stems: ReadonlySet<string>
  readonly most: number
  readonly from: number
  readonly to: number
}

longTest('a reading finds the words that are there, and so does one that was kept as bytes', async (t) => {
  const letters = fc.string({ unit: fc.constantFrom(...'abeginrstuyol'), minLength: 1, maxLength: 9 })
  const ends = fc.constantFrom('', 's', 'ing', 'ed', 'ies', 'ation', 'en', 'ung', 'mente', 'issa', 'lar', 'ului')
  const word = fc.tuple(letters, ends).map((parts) => parts.join(''))
  const odd = fc.constantFrom(
    'Éclair',
    'ßa',
    'o’clock',
    "o'clock",
    "'tis",
    'l’eau',
    'f\u00adog',
    '東京都',
    'ﬁn',
    '_fog_',
    '\ud800',
    'ЁЛКА',
    'ı',
  )
  const piece = fc.oneof({ weight: 6, arbitrary: word }, odd, fc.constantFrom("'", '-', '_', '.', '\n', '&'))
  const text = fc.array(fc.tuple(piece, fc.constantFrom(' ', ' ', '', "'", '\u0301')), { maxLength: 14 })
  for (const locale of ['en', 'xx', ...LUNR_LANGUAGES]) {
    const analyser = new Analyser(locale)
    fc.assert(
      fc.property(text, fc.nat(3), fc.nat(12), fc.integer({ min: 1, max: 5 }), (parts, few, from, most) => {
        const any = parts.flat().join('').toUpperCase().slice(0, 200) + parts.flat().join('')
        const all: string[] = []
        analyser.read(any, ({ stem }) => all.push(stem))
        const stems = new Set(all.slice(from, from + few))
        const reading = Reading.of(any).indexed(analyser)
        const kept = Reading.from(Buffer.concat([reading.bytes, Buffer.from('other')]), reading.shape)
        t.equal(reading.text, any.trim())
        t.equal(kept.text, reading.text)
        for (const range of [
          { from: 0, to: any.length },
          { from, to: from * 3 },
        ]) {
          const wish = { stems, most, ...range }
          const there = read(reading.text, analyser, wish)
          t.strictSame(found(reading, analyser, wish), there, locale)
          t.strictSame(found(kept, analyser, wish), there, locale)
          t.strictSame(found(Reading.of(any), analyser, wish), there, `${locale}, not indexed`)
        }
      }),
      { numRuns: 60 },
    )
  }
})

t.test('it takes time in proportion to the text, whatever is in it', async (t) => {
  const analyser = new Analyser('en')
  for (const part of ['fo ', "fo'", 'é', 'f', "'", 'fog é ', '東', '\ud800']) {
    let found = 0
    const begun = cpuMs()
    const reading = Reading.of(part.repeat(1_000_000 / part.length)).indexed(analyser)
    reading.find(new Set(['fog', 'fo']), analyser, () => found++)
    t.ok(reading.goesOn && reading.text.length < 65_536)
    t.ok(cpuMs() - begun < 5000, `${JSON.stringify(part)}: ${found}`)
  }
})
