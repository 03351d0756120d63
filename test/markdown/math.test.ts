import t from 'tap'
import { html } from './rendered.ts'

t.test('formulas and diagrams stay as they are', async (t) => {
  t.equal(html('a $x_1 * y_2$ b'), '<p>a <span class="math inline">$x_1 * y_2$</span> b</p>\n')
  t.equal(html('$$\na < b\n$$'), '<div class="math display">$$\na &lt; b\n$$</div>\n')
  for (const text of ['It costs $5 and $6.', 'US$5 or $ 5 $', '\\$a$', '$5', 'a $ b']) t.notMatch(html(text), 'math', text)
  t.equal(
    html('```mermaid\na --> b\n```'),
    '<pre class="mermaid" tabindex="0" role="group" aria-label="Diagram">a --&gt; b\n</pre>\n',
  )
})
