import fc from 'fast-check'
import { parse, serialize } from 'parse5'
import t from 'tap'
import { bodyHtml } from '#features/site/pages/body-html.ts'
import { legible, wellFormed } from '#features/site/pages/well-formed.ts'
import { Markdown } from '#markdown/markdown.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'

const markdown = new Markdown()

function rendered(body: string): string {
  return bodyHtml(markdown, body, { title: '', trusted: false, resolve: (href) => href }).html
}

/** What is wrong with a text that stands in a page: what a tokenizer complains of, and where a browser makes another tree of it. */
function faults(html: string): string[] {
  const found: string[] = []
  const page = `<!DOCTYPE html><html><head><title>x</title></head><body><div>${html}</div></body></html>`
  const tree = parse(page, { onParseError: ({ code }) => found.push(code) })
  const plain = (html: string) =>
    html
      .replace(/(<pre[^>]*>)\n+/g, '$1')
      .replaceAll('=""', '')
      .replaceAll('&quot;', '"')
  if (plain(serialize(tree)) !== plain(page)) found.push(`is read as ${serialize(tree)}`)
  return found
}

t.test('what is not well-formed is made so, and means what it meant to browsers', async (t) => {
  for (const [given, made] of [
    ['a</p>b', 'a<p></p>b'],
    ['<p>a<p>b', '<p>a</p><p>b</p>'],
    ['<b>a<i>b</b>c</i>', '<b>a<i>b</i></b><i>c</i>'],
    ['<table>a<tr><td>b</table>', 'a<table><tbody><tr><td>b</td></tr></tbody></table>'],
    ['<p>a<ul><li>b</ul></p>', '<p>a</p><ul><li>b</li></ul><p></p>'],
    ['<pre>\n\na</b></pre>', '<pre>\n\na</pre>'],
    ['<ul><li>a<li>b</ul>', '<ul><li>a</li><li>b</li></ul>'],
    ['<tr><td>a</td></tr>', 'a'],
    ['<p>a <br /> b &amp; <img src="x" /></p>', '<p>a <br> b &amp; <img src="x"></p>'],
  ] as const) {
    t.equal(wellFormed(given), made)
    t.strictSame(faults(wellFormed(given)), [], given)
  }
  t.match(rendered('Text <source src="a.mp4">\n\n<table><p>x</p></table>'), '<p>x</p>')
})

t.test('marks that are never closed are not repeated without end', async (t) => {
  const marks = Array.from({ length: 90 }, (_, n) => `<b id="${n}">`).join('')
  const html = `<p>${marks}${'<p>x</p>'.repeat(2_000)}`
  t.ok(wellFormed(html).length < 4 * html.length)
})

const NAMES =
  'p div span b i em a h2 ul li table tr td tbody th caption col colgroup dl dt dd details summary pre code br img source video blockquote section ruby rt rp select nobr form option hr input figure figcaption button svg'
const PARTS = fc.oneof(
  fc.constantFrom(...NAMES.split(' ').flatMap((name) => [`<${name}>`, `</${name}>`, `<${name} id="x">`, `<${name}/>`])),
  fc.constantFrom(' ', '\n', '\n\n', 'text', '&amp;', '&lt', '**b**', '- a', '| a | b |\n|---|---|\n| c | d |\n', '`x`'),
  fc.constantFrom('```\n\nx\n```\n', '<!-- c -->', '<', '>', '# h', ':::note\n', '[^1]', '![a](b.png)'),
)

t.test('whatever HTML a text holds, a page with it has no error for a parser', async () => {
  fc.assert(
    fc.property(fc.array(PARTS, { minLength: 1, maxLength: 14 }), (parts) => faults(rendered(parts.join(''))).length === 0),
    { numRuns: 500 },
  )
})

t.test('no page holds a character that HTML may not', (t) => {
  const files = { 'content/posts/a.md': '---\ntitle: "A\\u0008b\\u0085c"\n---\nd\u0001e\u009ff\ufffe😀g\tz\n\n`h\u001bi`\n' }
  return eachStore(t, { files }, async (t, opened) => {
    const { html } = publicSite(t, opened)
    const page = await html('/posts/a')
    t.match(page, '<p>def😀g\tz</p>')
    t.match(page, '<code>hi</code>')
    t.match(page, /<h1>Abc/)
    t.strictSame(page.match(/[^\P{Cc}\n\t]|\p{Noncharacter_Code_Point}/u), null)
  })
})

t.test('characters that a page may not hold are left out, and no others', async (t) => {
  const unheard = /[^\P{Cc}\t\n\f\r]|\p{Noncharacter_Code_Point}/u
  const wrong: string[] = []
  const look = (code: number) => {
    const sign = String.fromCodePoint(code)
    const made = legible(`<p>a${sign}b</p>`)
    if (made !== `<p>a${unheard.test(sign) ? '' : sign}b</p>`) wrong.push(code.toString(16))
  }
  for (let code = 0; code <= 0xffff; code++) look(code)
  for (let plane = 0x10000; plane <= 0x100000; plane += 0x10000)
    for (const code of [0, 0x1234, 0xfdd0, 0xfffd, 0xfffe, 0xffff]) look(plane + code)
  t.same(wrong, [])
})
