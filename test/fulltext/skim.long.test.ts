import fc from 'fast-check'
import t from 'tap'
import { Analyser, ENOUGH, type Take } from '#fulltext/analysis/analyser.ts'
import { LUNR_LANGUAGES } from '#fulltext/analysis/language.ts'
import { skim } from '#fulltext/analysis/skim.ts'
import { cpuMs } from '#support/cpu.ts'

/** Returns the words that a reader gets from a text: those of these stems, at most `most`. */
function given(read: (take: Take) => void, stems: ReadonlySet<string>, most: number): unknown[] {
  const words: unknown[] = []
  read(({ form, stem }, start, end) => {
    if (!stems.has(stem) || stem === '') return undefined
    words.push([form, stem, start, end])
    return words.length >= most ? ENOUGH : undefined
  })
  return words
}

t.test('skimming finds what reading finds', async (t) => {
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
        const read = given((take) => analyser.read(any, take), stems, most)
        t.strictSame(
          given((take) => skim(any, stems, analyser, take), stems, most),
          read,
          locale,
        )
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
    skim(part.repeat(1_000_000 / part.length), new Set(['fog', 'fo']), analyser, () => {
      found++
    })
    t.ok(cpuMs() - begun < 5000, `${JSON.stringify(part)}: ${found}`)
  }
})
