import t from 'tap'
import { Markdown } from '#markdown/markdown.ts'
import { ids } from './rendered.ts'

t.test('headings have ids of their own, or as GitHub makes them', async (t) => {
  t.same(ids('# A b\n\n# A b\n\n# A b\n\n# a-b-1'), ['a-b', 'a-b-1', 'a-b-2', 'a-b-1-1'])
  t.same(ids('# A & b_c – *d* `e` 1.2\n\n# Größe 漢字 é\n\n# ???\n\n# C++'), ['a--b_c--d-e-12', 'größe-漢字-é', 'section', 'c'])
  t.same(ids('## One {#own}\n\n## Two {/*two-id*/}\n\n## Own\n\n## own {#own}\n\nSet\n=== \n\n# Main'), [
    'own',
    'two-id',
    'own-2',
    'own-1',
    'set',
    'main-1',
  ])
  t.same(ids('# A {.class #x}\n\n# B {#b .class}\n\n# C \\{#c}\n\n# `{#d}`'), ['a-class-x', 'b', 'c-c', 'd'])
  t.same(
    ids('<a id="taken"></a>\n\n# Taken\n\n# fn 1\n\nx[^1]\n\n[^1]: y\n\n# Fn-1'),
    ['taken-1', 'fn-1-1', 'fn-1-2'],
    'no id twice',
  )
  const { headings } = new Markdown().render('# The title\n\n# A *b* `c` [d](/e)[^1]\n\n### F\n\n[^1]: g', {
    title: 'The title',
    resolve: (href) => href,
  })
  t.same(headings, [
    { level: 2, id: 'a-b-c-d', text: 'A b c d' },
    { level: 4, id: 'f', text: 'F' },
  ])
})
