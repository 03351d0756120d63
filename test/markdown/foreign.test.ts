import t from 'tap'
import { ForeignSyntax } from '#markdown/foreign.ts'

const syntax = new ForeignSyntax()
const found = (text: string) =>
  [...syntax.find(text)].map(([kind, { count, line, names }]) => [kind, count, line, [...names].join(' ')])

t.test('syntax of other tools is told by kind, with its number, its first line and names', async (t) => {
  t.same(found('a\n\n{{< figure src="a" >}} and {{< figure >}}\n\n{{% tip %}}\nb\n{{% /tip %}}\n\n{{<youtube x>}}'), [
    ['hugo', 4, 2, 'figure tip youtube'],
  ])
  t.same(found('{% if a %}\nb\n{% endif %}\n{{ site.url }}\n\n- {%- include x.html -%}'), [
    ['liquid', 2, 0, 'if include'],
    ['braces', 1, 3, ''],
  ])
  t.same(found('import A from "a"\nimport B from "b"\n\n# C\n\n<Tabs>\n\n<Tab.Item a={1}>d</Tab.Item>\n\n</Tabs>'), [
    ['modules', 2, 0, ''],
    ['components', 2, 5, 'Tabs Tab.Item'],
  ])
  t.same(found('# a {.b}\n\n{:.c}\n\n[[d]] ![[e.png]]\n\n:::tabs\nf\n:::\n\n!!! note\n    g'), [
    ['attributes', 2, 0, ''],
    ['wikilinks', 2, 4, ''],
    ['containers', 1, 6, 'tabs'],
    ['admonitions', 1, 10, 'note'],
  ])
  t.same(found('<%= a %>\n\n[gallery ids="1"]\n'), [
    ['erb', 1, 0, ''],
    ['wordpress', 1, 2, 'gallery'],
  ])
})

t.test('code, comments and what Markdown knows are none', async (t) => {
  for (const text of [
    '`{{< a >}}` and `<Tabs>`\n\n```\n{% b %}\nimport A from "a"\n```\n\n    [[c]]',
    '<!-- {{< a >}} -->\n\n<pre>\n{{ b }}\n</pre>\n\na <code>{% c %}</code>',
    '# a {#b}\n\n# c {/*d*/}\n\n:::tip\ne\n:::\n\n<div>f</div> [g](/h) [i][j]\n\n[j]: /k',
    'A < B, import it from there. {x} a{1}\n\n$\\frac{{a}}{b}$',
  ])
    t.same(found(text), [], text)
})
