import t from 'tap'
import { html } from './rendered.ts'

t.test('lists of tasks, definitions, marks, captions', async (t) => {
  t.equal(
    html('- [x] a\n- [ ] b\n- [c](/d)'),
    '<ul>\n<li class="task"><input type="checkbox" disabled checked aria-label="Done"> a</li>\n<li class="task"><input type="checkbox" disabled aria-label="To do"> b</li>\n<li><a href="/d">c</a></li>\n</ul>\n',
  )
  t.equal(html('Term\n: Its text'), '<dl>\n<dt>Term</dt>\n<dd>Its text</dd>\n</dl>\n')
  t.equal(html('a ==b== c = d == e'), '<p>a <mark>b</mark> c = d == e</p>\n')
  t.equal(
    html('![a](/b.png "A *caption*")'),
    '<figure><img src="/b.png" alt="a" loading="lazy"><figcaption>A *caption*</figcaption></figure>\n',
  )
  t.equal(html('a ![a](/b.png "c")'), '<p>a <img src="/b.png" alt="a" title="c" loading="lazy"></p>\n')
})
