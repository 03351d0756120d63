import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { isSafeHref } from '#core/menu.ts'
import { type BodyOptions, bodyHtml } from '#features/site/pages/body-html.ts'
import { plainSrcset } from '#features/site/pages/srcset.ts'
import { Markdown } from '#markdown/markdown.ts'
import { longTest } from '#support/long.ts'

const markdown = new Markdown()
const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-z][a-z-]*(?:="[^"<>]*")?)*)(?: \/)?>/g
const NEVER = /^(?:script|style|iframe|object|embed|form|button|svg|math|base|meta|link|template|noscript|frame|frameset|applet)$/
const ADDRESSES = new Set(['href', 'src', 'srcset', 'poster', 'cite'])

function render(body: string, trusted = false): string {
  return rendered(body, { title: '', trusted, resolve: (href) => href })
}

function rendered(body: string, options: BodyOptions): string {
  return bodyHtml(markdown, body, options).html
}

/** Finds dangerous parts of HTML, read so strictly that no parser can see it otherwise. Undefined if there are none. */
function danger(html: string): string | undefined {
  for (const [, , name = '', attributes = ''] of html.matchAll(TAG)) {
    if (NEVER.test(name)) return `<${name}>`
    for (const [, attribute = '', value = ''] of attributes.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)) {
      if (attribute.startsWith('on') || attribute === 'style' || attribute === 'srcdoc') return `${attribute}=`
      const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(plain(value))?.[1]
      if (ADDRESSES.has(attribute) && scheme && !/^(?:https?|mailto|tel)$/i.test(scheme)) return value
    }
  }
  return html.replace(TAG, '').includes('<') ? 'a tag that is not plain' : undefined
}

function plain(value: string): string {
  const decoded = value
    .replace(/&#x([0-9a-f]+);?/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&#(\d+);?/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&colon;/gi, ':')
    .replace(/&(?:lt|gt|quot|amp);/gi, '<')
    .replace(/&(?:tab|newline);/gi, '')
  return decoded.replace(/[\s\p{Cc}]/gu, '')
}

function isHarmless(t: Test, body: string): void {
  const html = render(body)
  t.equal(danger(html), undefined, `${body} → ${html}`)
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.test></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  'a <img src=x onerror=alert(1)> b',
  '<img src=x oNeRrOr\n=\nalert(1)>',
  '<img """><script>alert("1")</script>">',
  '<img src="x` `<script>alert(1)</script>"` `>',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<style>body{display:none}</style>',
  '<p style="position:fixed">x</p>',
  '<iframe src="https://evil.test"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="x"></object><embed src="x"><base href="//evil.test"><meta http-equiv=refresh content="0;url=//evil.test"><link rel=stylesheet href=x>',
  '<form action="//evil.test"><input name=a><button formaction="javascript:alert(1)">go</button></form>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="&#106;avascript&colon;alert(1)">x</a>',
  '<a href="&#x01;javascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<img srcset="javascript:alert(1) 1x">',
  '<video poster="javascript:alert(1)" src=x></video>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '![x](javascript:alert(1))',
  '<javascript:alert(1)>',
  '[x]: javascript:alert(1)\n\n[x]',
  '<details open ontoggle=alert(1)>x</details>',
  '<div><!-- --!><img src=x onerror=alert(1)> --></div>',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?php <img src=x onerror=alert(1)> ?>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<template><img src=x onerror=alert(1)></template>',
  '<xmp><img src=x onerror=alert(1)></xmp><plaintext><script>',
  '<textarea><img src=x onerror=alert(1)></textarea>',
  '<Component onClick={alert(1)} dangerouslySetInnerHTML={{__html: "<script>"}} />',
  '```html\n<script>alert(1)</script>\n```\n\n<b>x</b>',
  '```"><script>alert(1)</script>\nx\n```\n\n<b>x</b>',
  `${'<div>'.repeat(3000)}<script>alert(1)</script>`,
]

t.test('hostile Markdown and HTML come out harmless', async (t) => {
  for (const body of HOSTILE) isHarmless(t, body)
  t.ok(danger('<img src=x onerror=alert(1)>') && danger('<a href="java&#10;script:x">'), 'the measure itself sees danger')
})

longTest('any mixture of hostile parts comes out harmless', async () => {
  const parts = fc.constantFrom(
    ...HOSTILE.slice(0, -1),
    ...'<>"\'`/= \n&;()[]!{}',
    '<b',
    '</',
    'onerror=',
    '-->',
    '<!--',
    '\u0000',
    '\\',
    '> ',
    '    ',
  )
  fc.assert(
    fc.property(fc.array(parts, { minLength: 2, maxLength: 8 }), (mixture) => danger(render(mixture.join(''))) === undefined),
    { numRuns: 1500 },
  )
})

t.test('what an article needs is kept', async (t) => {
  const body =
    '<figure id="f"><img src="/a.png" alt="A" width="10"><figcaption>C <kbd>K</kbd></figcaption></figure>\n\n<a href="https://example.org" target="_blank">out</a>'
  const html = render(body)
  t.match(html, '<figure id="f"><img src="/a.png" alt="A" width="10" loading="lazy">')
  t.match(html, '<a href="https://example.org" target="_blank" rel="noopener">out</a>')
  t.match(
    render('<div hidden>aside</div>\n\n<p hidden="until-found">b</p>'),
    /<div hidden(?:="")?>aside<\/div>\s*<p hidden="until-found">b/,
  )
  t.match(
    render('<b>x</b>\n\n```js\na < b\n```\n\n| a |\n|--:|\n| 1 |'),
    /<pre tabindex="0" role="group" aria-label="Code"><code class="language-js">a &lt; b[\s\S]*<td class="align-right">1<\/td>/,
  )
})

t.test('what Markdown makes is kept beside raw HTML', async (t) => {
  const text =
    '```js\nconst f = class A {}\n```\n\n```html\n<script>let a</script>\n```\n\n:::tip\n- [x] a[^1]\n:::\n\n$b$\n\n$$\nc\n$$\n\n```mermaid\nd\n```\n\n> [!note]- e\n> f\n\n[^1]: g\n'
  const made = render(text)
  const beside = render(`${text}\n<b>h</b>`)
  t.same(beside.match(/(?:class|id)="[^"]*"/g), made.match(/(?:class|id)="[^"]*"/g))
  t.match(beside, '<input type="checkbox" disabled checked aria-label="Done">')
  t.equal(
    render('<input type="text" name="a"><input><input type="checkbox" name="b">'),
    '<p><input type="checkbox" disabled></p>\n',
  )
})

t.test('a trusted type keeps its HTML', async (t) => {
  t.match(render('<iframe src="https://example.org"></iframe>', true), '<iframe')
  t.notMatch(render('[x](javascript:alert(1))', true), 'href')
})

t.test('headings, titles, links and modules', async (t) => {
  const options = { title: 'The title', trusted: false, resolve: (href: string) => `/base${href}` }
  t.notMatch(rendered('# The title\n\nText', options), /<h/)
  t.match(rendered('# Other\n\n## Under', options), /<h2 id="other">[\s\S]*<h3 id="under">/, 'the page has its h1 already')
  t.match(render('## Größe & Maß\n\n## Größe & Maß'), /id="größe--maß"[\s\S]*id="größe--maß-1"/)
  t.match(rendered('[a](/x) ![b](/y)', options), /<a href="\/base\/x">[\s\S]*<img src="\/base\/y" alt="b" loading="lazy">/)
  t.match(rendered('<i>a</i> [a](/x)', options), '<a href="/base/x">', 'once, cleaned or not')
  t.equal(render('import A from "./a"\nexport const b = 1\n\nText\n'), '<p>Text</p>\n')
  t.equal(render('See README.md'), '<p>See README.md</p>\n')
  t.equal(markdown.excerpt('# T\n\nOne *two*\nthree `four`.\n\nNext'), 'One two three four.')
})

t.test('links of a menu', async (t) => {
  for (const href of ['/a', 'a?b:c', 'https://example.org', 'mailto:a@example.org', '#x']) t.ok(isSafeHref(href), href)
  for (const href of ['javascript:x', ' java\tscript:x', '\u0001javascript:x', 'data:text/html,x', 'vbscript:x'])
    t.notOk(isSafeHref(href), href)
})

longTest('whatever a srcset holds, nothing is printed, and what is well-formed stays', async (t) => {
  const printed = t.capture(console, 'log')
  const signs = fc.constantFrom(
    'a',
    'b.png',
    ' ',
    ',',
    ', ',
    '1x',
    ' 2x',
    ' 300w',
    '0w',
    '1h',
    '-1x',
    '1e3x',
    '(',
    ')',
    '\n',
    '\u001b[31m',
    'x',
    'w',
  )
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 12 }), (parts) => {
      for (const name of ['img', 'source']) render(`<${name} srcset="${parts.join('')}">`)
      return printed().length === 0
    }),
    { numRuns: 2000 },
  )
  for (const [given, kept] of [
    ['a.png', 'a.png'],
    ['a.png 1x, b.png 2x', 'a.png 1x, b.png 2x'],
    ['  a.png 480w,b.png   800w  ,', 'a.png 480w, b.png 800w'],
    ['a.png,b.png 1.5x', 'a.png,b.png 1.5x'],
    ['a.png, b.png 2x', 'a.png, b.png 2x'],
    ['a b c', undefined],
    ['a b c, d.png 1x', 'd.png 1x'],
    [',,', undefined],
  ] as const)
    t.equal(plainSrcset(given), kept, given)
  t.match(render('<img src="a.png" srcset="a b c, b.png 2x">'), /<img src="a\.png"[^>]* srcset="b\.png 2x"/)
  t.notMatch(render('<img src="a.png" srcset="a b c">'), /srcset/)
})

t.test('a description holds nothing of what is removed from the page', async (t) => {
  const excerpt = (body: string) => new Markdown().excerpt(body)
  t.equal(excerpt('Read <script>track("x")</script>on, <style>p { color: red }</style>friend.'), 'Read on, friend.')
  t.equal(excerpt('<div><script>\nlet a\n\nlet b\n\n</script></div>\n\nThe text.'), 'The text.', 'over several blocks')
  t.equal(excerpt('The `<script>` tag is code.\n'), 'The <script> tag is code.')
})

t.test('code and tables in HTML scroll as those in Markdown do', async (t) => {
  const pre = (label: string) => `<pre tabindex="0" role="group" aria-label="${label}">`
  t.match(render('<pre>a</pre>\n\n<div><pre><code>b</code></pre></div>'), new RegExp(`${pre('Code')}a[^]*${pre('Code')}<code>b`))
  t.match(render('<pre role="none" aria-label="A &quot;poem&quot;" tabindex="-1">a</pre>'), pre('A &quot;poem&quot;'))
  const begin = '<div class="scroll" tabindex="0" role="group" aria-label="Table">'
  t.equal(render('<table><tr><td>a</td></tr></table>'), `${begin}<table><tbody><tr><td>a</td></tr></tbody></table></div>`)
  const nested =
    '<table><tbody><tr><td><table><tbody><tr><td title="&lt;table&gt;">a &lt;table&gt;</td></tr></tbody></table></td></tr></tbody></table>'
  t.equal(render(nested), `${begin}${nested}</div>`)
  const both = render('<b>x</b>\n\n| a |\n|---|\n| 1 |\n\n<table><tr><td>2')
  t.equal(both.split('<table>').length, 3)
  t.equal(both.split(`${begin}<table>`).length, 3, 'one of Markdown is in one part, too')
  t.equal(both.split('</table></div>').length + both.split('</table>\n</div>').length, 4)
  t.equal(render('</table>a</table>'), 'a')
})

t.test('what scrolls is reached with the keyboard, and a mark can be read by day and by night', async (t) => {
  const html = render('```js\na\n```\n\n    b\n\n| a |\n|---|\n| 1 |\n')
  t.equal([...html.matchAll(/<(?:pre|div class="scroll") tabindex="0" role="group" aria-label="\w+">/g)].length, 3)
  const css = readFileSync(new URL('../../../templates/site/assets/theme.css', import.meta.url), 'utf8')
  const colors = (name: string) => [...css.matchAll(new RegExp(`--${name}: (#\\w+);`, 'g'))].map(([, color = '']) => color)
  const marks = colors('mark')
  t.equal(marks.length, 2)
  for (const [i, mark] of marks.entries())
    for (const name of ['ink', 'soft', 'accent']) t.ok(contrast(mark, colors(name)[i] ?? '') >= 4.5, `${name} on ${mark}`)
  for (const [i, wash] of colors('wash').entries())
    for (const name of ['soft', 'accent', 'violet', 'amber', 'red'])
      t.ok(contrast(wash, colors(name)[i] ?? '') >= 4.5, `${name} on ${wash}`)
})

/** The contrast of two colours (WCAG 2.2, relative luminance). */
function contrast(...colors: [string, string]): number {
  const [light = 0, dark = 0] = colors.map(luminance).sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const whole = color.length === 4 ? color.replace(/\w/g, '$&$&') : color
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(whole.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
