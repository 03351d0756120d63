import t from 'tap'
import { html } from './rendered.ts'

t.test('footnotes', async (t) => {
  const made = html(
    'A[^b] and[^a] again[^b], not[^c].\n\n[^a]: First.\n[^b]: Second,[^d]\n\n    in two parts.\n\n[^d]: Deep.\n[^x]: Unused.',
  )
  t.match(made, '<p>A<sup class="footnote-ref"><a href="#fn-1" id="fnref-1">1</a></sup> and<sup')
  t.match(made, 'again<sup class="footnote-ref"><a href="#fn-1" id="fnref-1-2">1</a></sup>, not[^c].')
  t.match(
    made,
    /<section class="footnotes" aria-label="Footnotes">\n<ol>\n<li id="fn-1">\n<p>Second,<sup[^>]*><a href="#fn-3" id="fnref-3">/,
  )
  t.match(
    made,
    /<p>in two parts\. <a class="footnote-back" href="#fnref-1" [^>]*>↩<\/a> <a [^>]*href="#fnref-1-2"[^>]*>↩<sup>2<\/sup><\/a><\/p>/,
  )
  t.notMatch(made, 'Unused')
  t.match(html('> a[^1]\n>\n> [^1]: in a quote'), '<li id="fn-1">\n<p>in a quote <a', 'wherever they stand')
  t.equal(html('[^1]: alone'), '')
  t.equal(html('![a[^1]](/x)\n\n[^1]: b').includes('<section'), false, 'a text for pictures has none')
})
