import t from 'tap'
import { Markdown } from '#markdown/markdown.ts'
import { html } from './rendered.ts'

t.test('quotes as in print by choice', async (t) => {
  const text = `"a" -- b... 'c'`
  const options = { title: '', syntax: { typographer: true }, resolve: (href: string) => href }
  t.equal(html(text, { typographer: true }), '<p>“a” – b… ‘c’</p>\n')
  t.equal(new Markdown({ quotes: '„“‚‘' }).render(text, options).html, '<p>„a“ – b… ‚c‘</p>\n')
  t.equal(html(text), "<p>&quot;a&quot; -- b... 'c'</p>\n")
})
