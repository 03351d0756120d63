import t from 'tap'
import { Markdown } from '#markdown/markdown.ts'
import { quotesOf } from '#markdown/quotes.ts'
import { html } from './rendered.ts'

t.test('quotes as in print by choice', async (t) => {
  const text = `"a" -- b... 'c'`
  const options = { title: '', syntax: { typographer: true }, resolve: (href: string) => href }
  t.equal(html(text, { typographer: true }), '<p>“a” – b… ‘c’</p>\n')
  t.equal(new Markdown({ quotes: '„“‚‘' }).render(text, options).html, '<p>„a“ – b… ‚c‘</p>\n')
  t.equal(html(text), "<p>&quot;a&quot; -- b... 'c'</p>\n")
  const inLanguage = (locale: string) => new Markdown({ quotes: quotesOf(locale) }).render(text, options).html
  t.equal(inLanguage('de-AT'), '<p>„a“ – b… ‚c‘</p>\n')
  t.equal(inLanguage('fr'), '<p>«\u00a0a\u00a0» – b… ‹\u00a0c\u00a0›</p>\n')
  t.equal(inLanguage('constructor'), '<p>“a” – b… ‘c’</p>\n')
})
