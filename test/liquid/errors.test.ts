import t from 'tap'
import { TemplateError } from '#liquid/template-error.ts'
import { Templates } from '#liquid/templates.ts'
import { longTest } from '#support/long.ts'
import { bothOf, data, ESCAPING } from './side-by-side.ts'

const PARTS = {
  broken: 'a\n b{% if x %}',
  unknown: '\n{% nothing %}',
  failing: 'a\n\n  {{ date | date: "%Y" }}{{ text | fails }}',
  around: '{% layout "failing-frame" %}{% block a %}{{ x | fails }}{% endblock %}',
  'failing-frame': '\n{% block a %}{% endblock %}\n{{ y | fails }}',
  own: '{% render "own" %}',
}

/** Templates that LiquidJS does not render: what it says, and where, is ours too. */
const TEMPLATES = [
  '{{}}{{ }}',
  '{% if yes %}',
  'a\nb {% endif %}',
  '{{ text | nope }}',
  '{% assign b.c = 2 %}',
  '{% if text | size > 3 %}a{% endif %}',
  '{% raw -%} x {%- endraw %}',
  'x\n  {% render "gone" %}',
  'x{% include "gone" %}',
  '{% layout "gone" %}',
  '{% render nothing %}',
  '{% render empty_text %}',
  '{% include one %}',
  '{% layout missing %}',
  '\n{% render "broken" %}',
  '{% include "unknown" %}',
  '{% layout "broken" %}x',
  'a{{ text | fails }}',
  '{% increment n %}{% increment one %}{% decrement text %}{% render "failing" %}',
  '{% for i in words %}{% if forloop.last %}\n{{ i | fails }}{% endif %}{% endfor %}',
  '{% capture x %}{{ text | fails }}{% endcapture %}',
  '{% include "failing", x: 1 %}',
  '{% render "around" %}',
  '{% layout "failing-frame" %}',
  '{% layout "failing-frame" %}{% block a %}\n{{ block.super }}{{ text | fails }}{% endblock %}',
  '{% layout "failing-frame" %}{% block a %}{% block a %}{% endblock %}{% endblock %}',
  '{{ bare }}',
  '{{ bare | upcase }}',
  '{% for i in words %}{{ forloop.constructor }}{% endfor %}',
  '{% for i in words offset: bare %}{% endfor %}',
  '{% cycle %}',
  '{% echo text | fails %}',
  '{% liquid\n echo "a"\n echo text | fails\n%}',
  '{% tablerow i in words %}\n{{ i | fails }}{% endtablerow %}',
  '{{ words | sort: 1, 2 | where }}{{ text | fails }}',
]

t.test('what LiquidJS does not render fails with the same words, at the same place', async (t) => {
  const texts = { ...PARTS, ...Object.fromEntries(TEMPLATES.map((text) => [text, text])) }
  const fails = () => {
    throw new Error('it fails, really')
  }
  const render = bothOf(texts, ESCAPING, { fails })
  for (const main of TEMPLATES) {
    const { ours, theirs } = await render(main, data)
    t.ok(theirs.error, `fails: ${main}`)
    t.strictSame(ours, theirs, main)
    t.strictSame((await render(main, data)).ours, theirs, `again: ${main}`)
  }
})

t.test('a template that can’t be parsed is told before it is rendered', async (t) => {
  const templates = new Templates({ 'a.liquid': 'fine', 'b.liquid': '\n {% if %}' }, { extname: '.liquid' })
  t.equal(templates.fault('a'), undefined)
  t.match(templates.fault('b'), { place: { file: 'b.liquid', line: 2, column: 7 } })
  t.match(templates.fault('c'), { message: 'there is no template "c"', place: { file: 'c.liquid' } })
  const error: unknown = await templates.render('b', {}).catch((thrown: unknown) => thrown)
  t.ok(error instanceof TemplateError)
  t.match(error, { place: { file: 'b.liquid', line: 2 } })
})

longTest('what takes too long for closures goes on in slices, with the data it began with', async (t) => {
  const long = '{% increment n %}{% increment m %}{% for i in (1..90000) %}{{ i | plus: 1 }}{% endfor %}{% increment n %}'
  const templates = new Templates({
    long,
    deep: '{{ n }}{% if n < 70 %}{% assign n = n | plus: 1 %}{% include "deep" %}{% endif %}',
  })
  const given = { n: 4 }
  t.equal(templates.atOnce('long', given), undefined)
  const some = '{% for i in (1..900) %}{{ i }}{% endfor %}'
  const hurried = new Templates({ some }, { atOnceMs: 0 })
  t.equal(hurried.atOnce('some', {}), undefined)
  hurried.atOnceMs = Number.POSITIVE_INFINITY
  t.equal(hurried.atOnce('some', {}), await hurried.render('some', {}))
  const made = await templates.render('long', given)
  t.ok(made.startsWith('4023') && made.endsWith('900015'))
  t.strictSame(given, { n: 4 }, 'which no rendering changes')
  t.match(await templates.render('deep', { n: 0 }), /^0123456789.*6970$/, 'blocks deeper than closures go')
})

t.test('closures end where templates would not', async (t) => {
  const endless = {
    own: '{% render "own" %}',
    again: '{% include "again" %}',
    round: '{% layout "round" %}{% block a %}{% endblock %}',
    range: '{% for i in (1..2000000000) %}x{% endfor %}',
    loops: '{% for i in (1..999) %}{% for j in (1..999) %}{% for k in (1..999) %}{% endfor %}{% endfor %}{% endfor %}',
    filters: '{% assign s = "a" %}{% for i in (1..99) %}{% assign s = s | append: s %}{% endfor %}',
    text: '{% assign s = "aaaaaaaaaa" %}{% for i in (1..99) %}{% capture s %}{{ s }}{{ s }}{% endcapture %}{% endfor %}',
  }
  const templates = new Templates(endless, { atOnceMs: Number.POSITIVE_INFINITY })
  for (const name of Object.keys(endless)) t.equal(templates.atOnce(name, {}), undefined, name)
})

t.test('data are as they were, however a template was rendered', async (t) => {
  const counts = '{% increment n %}{% decrement m %}{% increment lazy %}'
  const templates = new Templates({ counts, fails: `${counts}{{ 1 | slice }}{% render "gone" %}` })
  let read = 0
  const given = () => Object.freeze({ n: 4 })
  const data = {
    n: 4,
    set lazy(_: number) {
      read++
    },
    get lazy() {
      return ++read
    },
  }
  const before = Object.getOwnPropertyDescriptors(data)
  const made = await templates.render('counts', data)
  t.match(made, /^4-1\d+$/)
  read = 0
  t.equal(await templates.render('counts', data), made)
  await t.rejects(templates.render('fails', data), { message: /gone/ })
  t.strictSame(Object.getOwnPropertyDescriptors(data), before)
  await t.rejects(templates.render('counts', given()), { message: /read only/ })
})
