import fc from 'fast-check'
import t from 'tap'
import { Markdown } from '#markdown/markdown.ts'
import { markdownOf } from '#markdown/reverse/blocks.ts'

const markdown = new Markdown()
const htmlOf = (text: string) => markdown.render(text, { title: 'Title', resolve: (href) => href }).html
const back = (html: string) => markdownOf(html, (href) => (href.startsWith('/') ? `https://example.org${href}` : href))

t.test('Markdown comes back from its HTML', async (t) => {
  const cases: [string, string][] = [
    ['A *b* **c** ~~d~~ ==e== `f` `` g`h ``', 'A *b* **c** ~~d~~ ==e== `f` ``g`h``'],
    ['[a](/b "t") ![c](d.png) <https://e.org>', '[a](https://example.org/b) ![c](d.png) [https://e.org](https://e.org)'],
    ['## A {#b}\n\ntext', '## A\n\ntext'],
    ['- a\n- b\n  1. c\n  2. d', '- a\n- b\n  1. c\n  2. d'],
    ['3. a\n\n   b\n4. c', '3. a\n\n   b\n\n4. c'],
    ['- [x] a\n- [ ] b', '- [x] a\n- [ ] b'],
    ['> a\n>\n> b', '> a\n>\n> b'],
    ['> [!TIP] Look\n> a', '> **Look**\n>\n> a'],
    ['```js\nconst a = `b`\n```', '```js\nconst a = `b`\n```'],
    ['~~~~\n```\n~~~~', '````\n```\n````'],
    ['```mermaid\na-->b\n```', '```mermaid\na-->b\n```'],
    ['| a | b |\n|--|--|\n| `c` | d \\| e |', '| a | b |\n| --- | --- |\n| `c` | d \\| e |'],
    ['a[^n]\n\n[^n]: b', 'a[^1]\n\n[^1]: b'],
    ['a\n: b', '**a**\n\n: b'],
    ['$x_1$ and\n\n$$\ny\n$$', '$x_1$ and\n\n$$\ny\n$$'],
    ['---', '* * *'],
    ['1\\. a\n\n\\# b\n\n\\- c', '1\\. a\n\n\\# b\n\n\\- c'],
    ['a <b &amp;amp; [c] \\*d\\*', 'a \\<b \\&amp; \\[c\\] \\*d\\*'],
    ['a  \nb', 'a\\\nb'],
    ['![](data:image/png;base64,xx)', ''],
    ['[a](<b c> "d")', '[a](b%20c)'],
  ]
  for (const [text, expected] of cases) t.equal(back(htmlOf(text)), expected, text)
})

t.test('what the Markdown of Quire does not write is left to who cleans it', async (t) => {
  for (const html of [
    '<!-- a -->',
    '<p>a',
    '</p>',
    '<script>a</script>',
    '<p hidden>a</p>',
    '<p style="display:none">a</p>',
    "<p title='a'>b</p>",
    '<p>&copy;</p>',
    '<x-a>b</x-a>',
    '<svg></svg>',
    '<b><p>a</b></p>',
    '<div>'.repeat(200) + '</div>'.repeat(200),
  ])
    t.equal(back(html), undefined, html.slice(0, 40))
})

t.test('any text has the same letters when it has gone to HTML and back', async () => {
  const word = fc.constantFrom(
    'a',
    'b c',
    '1.',
    '-',
    '#',
    '*',
    '_',
    '`',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '&',
    '&lt;',
    '|',
    '~~',
    '==',
    '$',
    '\\',
    '!',
    ':',
    '+',
    '{',
    'https://a.org',
    '😀',
    '\u00a0',
    '<b>',
    '<!--',
    '-->',
    ':::',
    '"',
  )
  const line = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(''))
  const prefix = fc.constantFrom('', '', '', '- ', '1. ', '> ', '# ', '  ', '    ', '```\n', '| ', '[^1]: ', '[^1]', ': ')
  const text = fc.array(fc.tuple(prefix, line), { maxLength: 8 }).map((lines) => lines.map(([a, b]) => a + b).join('\n'))
  fc.assert(
    fc.property(text, (source) => {
      const html = htmlOf(source)
      const twin = back(html)
      if (twin === undefined) return true
      return wordsOf(htmlOf(twin)) === wordsOf(html)
    }),
    { numRuns: 300 },
  )
})

/** The letters and digits that a reader sees, without what marks headings and notes. */
function wordsOf(html: string): string {
  const text = html.replace(/<a class="(?:anchor|footnote-back)".*?<\/a>/gs, '').replace(/<p class="box-title">.*?<\/p>/gs, '')
  return text
    .replace(/<[^>]*>/g, '')
    .replace(/&[a-z]+;/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, '')
}
