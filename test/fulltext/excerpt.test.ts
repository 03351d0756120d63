import { ok, strictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { excerptOf } from '#fulltext/excerpt.ts'
import { Reading } from '#fulltext/reading.ts'

const english = new Analyser('en')
const filler = 'Plain words that nobody looks for stand here, & some more of them. '.repeat(8)

function excerpt(text: string, ...stems: string[]): string {
  const reading = Reading.of(text)
  const html = excerptOf(reading, new Set(stems), english)
  strictEqual(excerptOf(reading.indexed(english), new Set(stems), english), html)
  return html
}

/** The text an excerpt shows, without its marks and ellipses. */
function shown(html: string): string {
  const text = html
    .replaceAll(/<\/?mark>/g, '')
    .replace(/^…/, '')
    .replace(/…$/, '')
  const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] ?? '')
}

t.test('an excerpt is where the most of what was looked for is together, and the first of equals', async (t) => {
  t.equal(excerpt('A zebra.', 'zebra'), 'A <mark>zebra</mark>.')
  const text = `${filler}Zebras first. ${filler}One horse and two zebras. ${filler}A zebra, a horse.`
  const html = excerpt(text, 'zebra', 'hors')
  t.ok(html.includes('One <mark>horse</mark> and two <mark>zebras</mark>.') && html.startsWith('…') && html.endsWith('…'), html)
  t.ok(excerpt(text, 'zebra').includes('<mark>Zebras</mark> first.'))
  t.ok(excerpt(`${filler}last zebra`, 'zebra').endsWith('last <mark>zebra</mark>'))
  t.equal(excerpt(filler, 'zebra').slice(0, 30), filler.slice(0, 30), 'the beginning where nothing matches')
  t.ok(!excerpt(`${'ab '.repeat(30_000)}zebra`, 'zebra').includes('zebra'), 'no more than 64 KiB are looked at')
})

t.test('an excerpt is safe in a page: escaped, whole characters, no white space but single spaces', async (t) => {
  t.equal(
    excerpt(`<b onclick="x()">\n\n 'zebra' & </b>`, 'zebra'),
    '&lt;b onclick=&quot;x()&quot;&gt; &#39;<mark>zebra</mark>&#39; &amp; &lt;/b&gt;',
  )
  t.equal(excerpt('東京都', '東京', '京都'), '<mark>東京都</mark>')
  for (const character of ['👨‍👩‍👧‍👦', '🇩🇪', 'é', '각']) {
    const text = shown(excerpt(character.repeat(400), 'x'))
    strictEqual(text, character.repeat(text.length / character.length))
  }
  t.equal(excerpt('  \n ', 'x'), '')
})

t.test('of any text it shows a stretch as it stands there, at most 240 characters of it, with what was found', async (t) => {
  const piece = fc.constantFrom(
    'zebra',
    'Horse',
    'a',
    '&',
    '<mark>',
    '東京都',
    'é\u0301',
    '😀',
    '\ud800',
    '  \n',
    '"',
    "o'clock",
    '…',
  )
  const text = fc.array(fc.tuple(piece, fc.constantFrom(' ', ' ', '')), { maxLength: 200 }).map((parts) => parts.flat().join(''))
  const property = fc.property(text, text, (one, other) => {
    const whole = `${one} ${filler}${other}`
    const html = excerpt(whole, 'zebra', 'hors', '京都')
    const part = shown(html)
    const spaced = (text: string) => text.replace(/\s+/g, ' ')
    ok(spaced(whole).includes(part.replace(/^ | $/g, '')), part)
    ok(part.length <= 240, `${part.length}`)
    ok(!html.replaceAll(/<mark>[^<]*<\/mark>/g, '').includes('<'), html)
    const found: string[] = []
    english.read(one, ({ stem }) => found.push(stem))
    if (found.includes('zebra') || found.includes('hors') || found.includes('京都')) ok(html.includes('<mark>'), html)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }))
})
