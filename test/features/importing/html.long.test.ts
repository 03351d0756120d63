import fc from 'fast-check'
import t from 'tap'
import { markdownOf } from '#features/importing/html/markdown.ts'
import { parseHtml, textIn } from '#features/importing/html/tree.ts'
import { newParser } from '#markdown/parser.ts'

const md = newParser()

/** The text that readers see, its white space as that of one line. */
function shown(html: string): string {
  return textIn(parseHtml(html)).replace(/\s+/g, ' ').trim()
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

t.test('HTML becomes the Markdown that people would write', (t) => {
  const cases: readonly (readonly [html: string, markdown: string])[] = [
    ['<p>One <strong>two</strong> <em>three</em>.</p><p>Four</p>', 'One **two** *three*.\n\nFour\n'],
    ['<h2>A <i>title</i> #</h2>text', '## A *title* \\#\n\ntext\n'],
    ['<ul><li>One</li><li>Two<ol start="3"><li>Three</li></ol></li></ul>', '- One\n- Two\n  3. Three\n'],
    ['<ul><li><p>One</p><p>More</p></li><li>Two</li></ul>', '- One\n\n  More\n\n- Two\n'],
    ['<ul><li>a</li></ul><ul><li>b</li></ul>', '- a\n\n<!-- -->\n\n- b\n'],
    ['<blockquote><p>One</p><p>Two</p></blockquote>', '> One\n>\n> Two\n'],
    ['<pre class="lang-js"><code>a &lt; b\n  c```</code></pre>', '````js\na < b\n  c```\n````\n'],
    ['a <code>b`c</code> d', 'a ``b`c`` d\n'],
    ['<a href="/x (1).html" title="T &quot;q&quot;">x</a>', '[x](/x%20\\(1\\).html "T \\"q\\"")\n'],
    ['<img src="a.png" alt="A [1]">', '![A \\[1\\]](a.png)\n'],
    ['<figure><img src="a.png" alt="A"><figcaption>The <b>sea</b></figcaption></figure>', '![A](a.png "The sea")\n'],
    ['<figure><img alt="A"><figcaption>The <b>sea</b></figcaption></figure>', 'The **sea**\n'],
    ['one<br>two', 'one\\\ntwo\n'],
    ['<p>snake_case * star _x_ 1 &lt; 2</p>', 'snake_case \\* star \\_x\\_ 1 < 2\n'],
    ['<p># no title</p><p>- no item</p><p>1. none</p><p>&gt; none</p>', '\\# no title\n\n\\- no item\n\n1\\. none\n\n\\> none\n'],
    ['x<b>bold </b>y<b>"q"</b>z', 'x**bold** y<strong>"q"</strong>z\n'],
    ['<p>H<sub>2</sub>O</p>', 'H<sub>2</sub>O\n'],
    ['<table><tr><th>A</th><th>B</th></tr><tr><td>1|2</td></tr></table>', '| A | B |\n| --- | --- |\n| 1\\|2 |  |\n'],
    [
      '<table><caption>The <b>cap</b></caption><tr><th>A</th></tr><tr><td>1</td></tr></table>',
      'The **cap**\n\n| A |\n| --- |\n| 1 |\n',
    ],
    [
      '<table><caption>Cap</caption><tr><td colspan="2">1</td></tr><tr><td><ul><li>x</li></ul></td></tr></table>',
      'Cap\n\n1\n\n- x\n',
    ],
    ['<template>no</template><div hidden>no</div>a<noscript>no</noscript>', 'a\n'],
    ['<dl><dt>A</dt><dd>First</dd><dt>B</dt><dd>Second</dd></dl>', 'A\n: First\n\nB\n: Second\n'],
    ['<iframe src="https://www.youtube.com/embed/abc_DEF-123?x=1"></iframe>', '{{< youtube abc_DEF-123 >}}\n'],
    ['<script>alert(1)</script><style>p{}</style><!-- no -->text', 'text\n'],
    ['<div><div>a</div>b</div>', 'a\n\nb\n'],
    ['<p>&nbsp;</p><p></p>', ''],
    ['', ''],
  ]
  for (const [html, markdown] of cases) t.equal(markdownOf(html), markdown, html)
  t.equal(markdownOf('one\ntwo\n\nthree <b>four</b>\n', { breaks: true }), 'one\\\ntwo\n\nthree **four**\n', 'lines of old texts')
  t.end()
})

t.test('whatever a text holds, its page shows it', (t) => {
  const signs = [
    '\\',
    '`',
    '*',
    '_',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '&',
    '&amp;',
    '~~',
    '==',
    '$',
    '{{',
    '{%',
    '{#x}',
    '|',
    '#',
    '+',
    '-',
    ':',
  ]
  const words = [
    'a',
    'b1',
    'é',
    ' ',
    ' ',
    '1.',
    '2)',
    '!',
    '^',
    '"',
    '[^1]',
    ':::',
    'https:',
    '= =',
    '---',
    '~~~',
    '.',
    '[x]',
    '[!NOTE]',
    '\n',
  ]
  const text = fc.array(fc.constantFrom(...signs, ...words), { maxLength: 14 }).map((parts) => parts.join(''))
  const tags = fc.constantFrom('', 'strong', 'em', 'del', 'code', 'sup', 'b', 'i')
  const piece = fc
    .tuple(text, tags)
    .map(([inner, tag]) => (tag === '' ? escapeHtml(inner) : `<${tag}>${escapeHtml(inner)}</${tag}>`))
  const inline = fc.array(piece, { maxLength: 4 }).map((parts) => parts.join(''))
  const block = fc.tuple(inline, fc.constantFrom('p', 'h2', 'li', 'blockquote', 'pre', 'td')).map(([inner, tag]) => {
    if (tag === 'li') return `<ul><li>${inner}</li><li>x</li></ul>`
    if (tag === 'td') return `<table><tr><th>x</th></tr><tr><td>${inner}</td></tr></table>`
    return `<${tag}>${inner}</${tag}>`
  })
  fc.assert(
    fc.property(fc.array(block, { maxLength: 3 }), (blocks) => {
      const html = blocks.join('\n')
      const page = md.render(markdownOf(html))
      return shown(page).replace(/\s/g, '') === shown(html).replace(/\s/g, '')
    }),
    { numRuns: 1000 },
  )
  t.end()
})

t.test('deep and long HTML takes its time and no more', (t) => {
  const deep = `${'<div>'.repeat(50_000)}x${'</div>'.repeat(50_000)}`
  t.equal(markdownOf(deep), 'x\n')
  t.match(markdownOf(`${'<ul><li>'.repeat(3000)}x`), /x/)
  t.match(markdownOf(`<p>${'`*_['.repeat(50_000)}</p>`), /\\`/)
  for (const part of ['<br>', '<b> </b>', '&nbsp;', '#', '\n', ' \n', '<i></i>', '*', '<code>`</code>', '<a href="x">', '(', '['])
    for (const tag of ['p', 'h1', 'pre', 'td']) t.ok(markdownOf(`<${tag}>a${part.repeat(10_000)}b</${tag}>`), `${tag} ${part}`)
  const row = `<tr>${'<td>x</td>'.repeat(5_000)}</tr>`
  t.ok(markdownOf(`<table>${row}${'<tr><td>y</td></tr>'.repeat(5_000)}</table>`).length < 10_000_000)
  t.end()
})

t.test('HTML of many paragraphs without marks', (t) => {
  const words = Array.from({ length: 200_000 }, (_, n) => `w${n}`)
  t.equal(markdownOf(words.join('\n\n'), { breaks: true }), `${words.join('\n\n')}\n`)
  t.end()
})
