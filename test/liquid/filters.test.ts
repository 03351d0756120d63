import { isDeepStrictEqual } from 'node:util'
import { filters } from 'liquidjs'
import t from 'tap'
import { bothOf, data, ESCAPING, sideBySide } from './side-by-side.ts'

/** What each filter is given, and what with. */
const VALUES =
  'text|zero|big|yes|nothing|missing|date|words|numbers|none|mixed|list|object|noting|record|empty|nil|"a-b c"|"<p>x</p>"|(1..3)|long|block|forloop'
const ARGUMENTS = [
  '',
  ': 1',
  ': "a"',
  ': "n", 2',
  ': text',
  ': words',
  ': nothing',
  ': 2, "…"',
  ': "name", list[0].name',
  ': -1, 2',
]
/** Arguments by name, and what reads a value of a template. */
const OTHERS = [
  '{{ no | default: "d", allow_false: true }}{{ no | default: "d" }}{{ none | default: "d" }}{{ text | default: nope }}',
  '{{ list | where: "on", true | map: "name" | join: "/" }}{{ list | where_exp: "r", "r.n > 1" | size }}{{ list | sort: "n" | map: "n" }}',
  '{{ list | find_exp: "r", "r.n == 10" | json }}{{ list | group_by: "on" | json }}{{ list | group_by_exp: "r", "r.n > 1" | json }}',
  '{{ list | reject: "on" | size }}{{ list | has: "n", 2 }}{{ list | sum: "n" }}{{ list | map: "tags.first" | json }}{{ list | map: "tags.size" }}',
  '{{ date | date: "%Y %b %e" }}{{ date | date: "%s" | plus: 1 }}{{ date | date_to_string: "ordinal", "US" }}{{ "now" | date: "%Y" | size }}',
  '{{ text | escape }}{{ text | raw }}{{ text | escape_once }}{{ text | escape | raw }}{{ text | raw | upcase }}{{ words | raw }}{{ object | json | raw }}',
  '{% assign a = words | concat: numbers | uniq | sort_natural %}{{ a | join }}{{ a | slice: 1, 2 }}{{ a | push: text | size }}{{ a | pop | size }}{{ a | shift | first }}',
  '{{ text | replace: "&", "<" | append: "!" | prepend: words | truncate: 9 | truncatewords: 2 | split: " " | last }}',
  '{% for i in (1..3) %}{{ forloop | json }}{{ forloop | inspect }}{{ forloop | append: "x" }}{{ forloop | size }}{{ i | times: forloop.index }}{% endfor %}',
]

t.test('filters come out as by LiquidJS, whatever they are given', async (t) => {
  const names = Object.keys(filters).filter((name) => name !== 'sample')
  t.ok(names.length > 80)
  const mains = names.flatMap((name) => {
    // The format of a date is no list: that is bounded.
    const given = name === 'date' ? ARGUMENTS.filter((text) => text !== ': words') : ARGUMENTS
    return VALUES.split('|').map((value, nth) => `{{ ${value} | ${name}${given[nth % given.length]} }}`)
  })
  const texts = Object.fromEntries(mains.map((main) => [main, main]))
  const render = bothOf(texts, ESCAPING)
  let rendered = 0
  for (const main of mains) {
    const { ours, theirs, isFast } = await render(main, data)
    if (theirs.text !== undefined) rendered++
    const isSame = isDeepStrictEqual({ ...ours, isFast }, { ...theirs, isFast: theirs.text !== undefined })
    if (!isSame) t.strictSame({ ...ours, isFast }, { ...theirs, isFast: theirs.text !== undefined }, main)
  }
  t.ok(rendered > 1500, `${rendered} of ${mains.length} are rendered, all others end with the same error`)
})

t.test('filters one after the other come out as by LiquidJS', async (t) => {
  for (const main of OTHERS) {
    for (const options of [{}, ESCAPING, { outputEscape: 'json' } as const]) {
      const { ours, theirs, isFast } = await sideBySide({ main }, data, options)
      t.strictSame(theirs.error, undefined, `can be rendered: ${main}`)
      t.strictSame({ ...ours, isFast }, { ...theirs, isFast: true }, main)
    }
  }
})
