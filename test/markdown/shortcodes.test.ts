import t from 'tap'
import { Markdown } from '#markdown/markdown.ts'
import type { ShortcodeCall } from '#markdown/shortcodes.ts'

const markdown = new Markdown()
const NAMES = new Set(['fig', 'box', 'hide', 'a/b'])

function rendered(text: string, clean?: (html: string) => string) {
  const calls: ShortcodeCall[] = []
  const shortcodes = {
    has: (name: string) => NAMES.has(name),
    html: (call: ShortcodeCall) => {
      calls.push(call)
      const [before, after] = [`<${call.name}>${call.hasInner ? '' : '-'}`, `</${call.name}>`]
      return call.name === 'hide' && call.hasInner ? { before: before + after } : { before, after }
    },
  }
  const { html } = markdown.render(text, { title: '', shortcodes, resolve: (href) => href, ...(clean && { clean }) })
  return { html, calls }
}

const html = (text: string) => rendered(text).html

t.test('shortcodes stand alone or in a text, and have arguments', async (t) => {
  t.equal(html('a\n{{< fig >}}\nb {{< fig >}} c'), '<p>a</p>\n<fig>-</fig>\n<p>b <fig>-</fig> c</p>\n')
  t.same(rendered('{{< fig src="a \\"b\\" >}}" w=3 c `d e` "" constructor=x __proto__=y >}}').calls, [
    { name: 'fig', args: { src: 'a "b" >}}', w: '3', 0: 'c', 1: 'd e', 2: '', constructor: 'x' }, hasInner: false },
  ])
  t.same(
    rendered('- {{<fig\n  a="b"\n  c=d\n  />}}\n\n> {{< a/b >}}').calls.map(({ name, args }) => [name, args]),
    [
      ['fig', { a: 'b', c: 'd' }],
      ['a/b', {}],
    ],
  )
  t.equal(html('{{< fig >}} tail'), '<p><fig>-</fig> tail</p>\n')
  t.same(
    markdown.render('## A {{< fig >}}', {
      title: '',
      shortcodes: { has: () => true, html: () => ({ before: 'x' }) },
      resolve: (href) => href,
    }).headings,
    [{ level: 2, id: 'a', text: 'A' }],
  )
  t.equal(markdown.excerpt('{{< fig >}}\n\n{{< other a="b" >}} Text {{< fig >}} here'), 'Text here')
})

t.test('what a shortcode leaves out is nowhere: no heading, no footnote, no excerpt', async (t) => {
  const { html, headings } = markdown.render(
    'A[^a] {{< hide >}}secret[^b]{{< /hide >}}[^c]\n\n{{< hide >}}\n\n# Secret\n\nsecret[^b]\n\n[^c]: Secret\n\n{{< /hide >}}\n\n# A\n\n[^a]: One\n[^b]: Secret\n',
    {
      title: '',
      shortcodes: { has: () => true, html: () => ({ before: '-' }) },
      resolve: (href) => href,
    },
  )
  t.notMatch(html, /secret/i)
  t.match(html, /<sup class="footnote-ref"><a href="#fn-1" id="fnref-1">1<\/a><\/sup> -/)
  t.same(headings, [{ level: 2, id: 'a', text: 'A' }])
  t.equal(markdown.excerpt('{{< hide >}}\n\nSecret.\n\n{{< /hide >}}\n\nShown {{< hide >}}secret{{< /hide >}}.'), 'Shown .')
  const long = 'secret '.repeat(400)
  t.equal(markdown.excerpt(`{{< fig >}}\n\n{{< hide >}}\n\n${long}\n\n{{< /hide >}}\n\nShown.`), '', 'where it ends far behind')
  t.equal(markdown.excerpt(`Shown {{< hide >}}${long}{{< /hide >}}`), 'Shown')
  t.equal(markdown.excerpt(`{{< fig >}} Shown.\n\n${long}`), 'Shown.')
})

t.test('shortcodes may be around a text', async (t) => {
  t.equal(
    html('{{< box >}}\n\n*a*\n\n- {{< fig >}}\n\n{{< /box >}}'),
    '<box>\n<p><em>a</em></p>\n<ul>\n<li>\n<fig>-</fig>\n</li>\n</ul>\n</box>\n',
  )
  t.equal(html('a {{< box >}}*b* {{< box >}}c{{< /box >}}{{< /box >}}'), '<p>a <box><em>b</em> <box>c</box></box></p>\n')
  t.equal(html('a {{< hide >}}b {{< fig >}}{{< /hide >}} c'), '<p>a <hide></hide> c</p>\n', 'or leave it out')
  t.equal(
    html('{{< box >}}\n\n> {{< /box >}}'),
    '<box>-</box>\n<blockquote>\n{{&lt; /box &gt;}}\n</blockquote>\n',
    'not over the end of a block',
  )
  t.equal(html('{{< box >}} {{< fig >}} {{< /box >}} {{< /fig >}}'), '<p><box> <fig>-</fig> </box> {{&lt; /fig &gt;}}</p>\n')
})

t.test('what is none stays as it was', async (t) => {
  for (const text of [
    '{{< other >}}',
    '`{{< fig >}}`',
    '    {{< fig >}}',
    '{{< fig',
    '{{< fig a="b >}}',
    '{{< fig {{< fig',
    '{{% fig %}}',
    '{{</* fig */>}}',
    '{{< fig a=<b> >}}',
  ])
    t.equal(html(text), markdown.render(text, { title: '', resolve: (href) => href }).html, text)
})

t.test('what a shortcode makes is not cleaned, and nothing else is spared', async (t) => {
  const seen: string[] = []
  const made = rendered('<b>x</b> {{< fig >}}\n\n{{< box >}}\n<i>y</i>\n{{< /box >}}', (html) => {
    seen.push(html)
    return html.replace(/<\/?[bi]>/g, '')
  })
  t.equal(made.html, '<p>x <fig>-</fig></p>\n<box>\n<p>y</p>\n</box>\n')
  t.notMatch(seen[0], /<fig|<box/)
  const lost = rendered('<b>x</b> {{< box >}} y {{< /box >}} z', (html) =>
    html.replace(/x\w{33}\d+;/g, (mark) => (mark.at(33) === 'c' ? '' : mark)),
  )
  t.match(lost.html, '<box></box> y  z', 'nor is a text lost with the mark of an end')
  const tag = rendered('<b>x</b> {{< fig >}}', (html) => `<i title="${html.replace(/[<>]/g, '')}">y</i>`)
  t.equal(tag.html, '<i title="pbx/b /p\n">y</i>', 'and none is made within a tag')
})
