import t from 'tap'
import { data, ESCAPING, sideBySide } from './side-by-side.ts'

/** Templates by what they are about; each is rendered with escaping and without. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  outputs: [
    'plain',
    '',
    '{{ text }}|{{ zero }}|{{ yes }}|{{ nothing }}|{{ missing }}|{{ nowhere }}|{{ big }}',
    '{{ words }}|{{ mixed }}|{{ object }}|{{ none }}|{{ nested }}|{{ list }}|{{ set }}',
    "{{ 'a' }}{{ \"b\" }}{{ 1.50 }}{{ -3 }}{{ true }}{{ nil }}{{ empty }}{{ blank }}{{ 'q\\'s\\n' }}",
    '{{ (1..4) }}|{{ (one..index) }}|{{ (4..1) }}',
    '{{ base }}{{ shadowed }}',
  ],
  paths: [
    '{{ object.a }}{{ object.b }}{{ object.c.d[2].e }}{{ object["c"]["d"].last.e }}{{ object.nope.nope }}',
    '{{ object[key] }}{{ words[index] }}{{ words[-1] }}{{ words[9] }}{{ list[zero].name }}{{ list[list[0].n].tags[0] }}',
    '{{ words.size }}{{ words.first }}{{ words.last }}{{ none.first }}{{ text.size }}{{ object.size }}{{ sized.size }}',
    '{{ sized.first }}{{ sized.last }}{{ object.first }}{{ text.first }}{{ zero.size }}{{ nothing.size }}{{ list[2].first }}',
    '{{ record.kind }}{{ record.title }}{{ record.lazy }}{{ bare.x }}{{ record.constructor }}{{ object.__proto__ }}',
    '{{ words.length }}{{ words.map }}{{ text.length }}{{ set.size }}{{ map.size }}{{ constructor }}{{ __proto__ }}{{ toString }}',
    '{{ noting.size }}{{ noting[0].name }}{{ noting.first.n }}{{ noting.last.n }}{{ noting[-1].n }}{{ lazy[1] }}{{ lazy.size }}',
    '{{ ["object"].a }}{{ ["words"][0] }}{{ object[nothing] }}{{ object[words] }}{{ words["size"] }}{{ words[empty] }}',
  ],
  conditions: [
    '{% if yes %}1{% endif %}{% if no %}2{% else %}3{% endif %}{% if nothing %}4{% elsif zero %}5{% elsif one %}6{% else %}7{% endif %}',
    '{% if empty_text %}a{% endif %}{% if none %}b{% endif %}{% if missing %}c{% endif %}{% if nil %}d{% endif %}{% if empty %}e{% endif %}',
    '{% unless yes %}1{% elsif no %}2{% elsif one %}3{% else %}4{% endunless %}{% unless nowhere %}5{% endunless %}',
    '{% if one == 1 and text != "" %}a{% endif %}{% if one == 2 or words contains "two" %}b{% endif %}{% if not no %}c{% endif %}',
    '{% if yes or no and no %}a{% endif %}{% if no and no or yes %}b{% endif %}{% if not yes or yes %}c{% endif %}',
    '{% if none == empty %}a{% endif %}{% if empty_text == empty %}b{% endif %}{% if blank_text == blank %}c{% endif %}{% if nothing == blank %}d{% endif %}',
    '{% if empty == none %}a{% endif %}{% if nil == nothing %}b{% endif %}{% if missing == nil %}c{% endif %}{% if object == empty %}d{% endif %}{% if empty == empty %}e{% endif %}',
    '{% if words == words %}a{% endif %}{% if nested == nested %}b{% endif %}{% if object == object %}c{% endif %}{% if words != numbers %}d{% endif %}',
    '{% if one < 2 %}a{% endif %}{% if "a" < "b" %}b{% endif %}{% if 10 >= big %}c{% endif %}{% if nil < 1 %}d{% endif %}{% if 1 > nil %}e{% endif %}{% if "2" > 1 %}f{% endif %}{% if words > 1 %}g{% endif %}',
    '{% if text contains "Tom" %}a{% endif %}{% if mixed contains nil %}b{% endif %}{% if object contains "a" %}c{% endif %}{% if nothing contains "a" %}d{% endif %}{% if text contains 1 %}e{% endif %}{% if nested contains nested[1] %}f{% endif %}',
    '{% if text | size %}a{% endif %}{% if words contains "x" | first %}b{% endif %}{% assign c = one == 1 %}{{ c }}{% assign d = yes and "x" %}{{ d }}{{ one == 1 and no }}',
    '{% case one %}{% when 0, 1 %}a{% when 1 or 2 %}b{% else %}c{% endcase %}{% case text %}x{% when "y" %}{% else %}{{ text }}{% endcase %}',
    '{% case none %}{% when empty %}a{% endcase %}{% case nothing %}{% when blank %}b{% when nil %}c{% endcase %}{% case key %}{% when "a" %}a{% when key %}k{% endcase %}{% case one %}{% else %}x{% when 1 %}y{% else %}z{% endcase %}',
    '{% for i in numbers %}{% case i %}{% when 1 %}{% break %}{% when 3 %}{% continue %}{% when 3 %}three{% else %}{{ i }}{% endcase %}.{% endfor %}',
  ],
  loops: [
    '{% for w in words %}{{ forloop.index }}{{ forloop.index0 }}{{ forloop.rindex }}{{ forloop.rindex0 }}{{ forloop.first }}{{ forloop.last }}{{ forloop.length }}{{ forloop.name }} {{ w }},{% endfor %}',
    '{% for w in words limit: 2 offset: 1 %}{{ w }}{% endfor %}{% for w in words reversed %}{{ w }}{% endfor %}{% for w in words reversed limit:1 offset:index %}{{ w }}{% endfor %}',
    '{% for w in words limit: 2 %}{{ w }}{% endfor %}|{% for w in words offset: continue %}{{ w }}{% endfor %}|{% for w in words offset: continue %}{{ w }}{% else %}no{% endfor %}',
    '{% for w in none %}{{ w }}{% else %}none{% endfor %}{% for w in nowhere %}x{% else %}{{ text }}{% endfor %}{% for w in "" %}x{% else %}e{% endfor %}{% for w in text %}{{ w }}{% endfor %}{% for w in one %}x{% else %}n{% endfor %}',
    '{% for p in object %}{{ p[0] }}={{ p[1] }};{% endfor %}{% for p in set %}{{ p }}{% endfor %}{% for p in map %}{{ p | join: "-" }}{% endfor %}{% for p in bare %}{{ p }}{% endfor %}{% for p in record %}{{ p }}{% endfor %}',
    '{% for i in (1..3) %}{% for j in (i..3) %}{{ i }}{{ j }}{% if j == 2 %}{% break %}{% endif %}{% endfor %}{% if i == 2 %}{% continue %}{% endif %};{% endfor %}',
    '{% for w in words %}{{ forloop }}{{ forloop | json }}{% assign forloop = 1 %}{{ forloop }}{% endfor %}{{ forloop }}',
    '{% for w in words %}{% assign last = w %}{% capture c %}{{ c }}{{ w }}{% if w == "two" %}{% break %}{% endif %}!{% endcapture %}{% endfor %}{{ last }}{{ c }}{{ w }}',
    '{% for r in list %}{{ r.name }}{{ r.n }}{% for x in r.tags %}{{ x }}{{ forloop.first }}{% else %}-{% endfor %}{% endfor %}{% for r in noting %}{{ r.name }}{% endfor %}{% for r in noting limit: 1 reversed %}{{ r.n }}{% endfor %}',
    '{% for i in (1..2) %}{{ forloop.next }}{{ forloop.index }}{{ forloop.nope }}{{ forloop.i }}{{ forloop.size }}{{ forloop.first }}{{ forloop.toString }}{% endfor %}',
    '{% for i in words limit: nothing %}{{ i }}{% endfor %}{% for i in words limit: "2" offset: "1" %}{{ i }}{% endfor %}{% for i in words offset: nil limit: text %}{{ i }}{% endfor %}{% for i in words reversed: false %}{{ i }}{% endfor %}{% for i in words limit: -1 %}{{ i }}{% endfor %}',
    'a{% break %}b',
    'a{% continue %}b',
    '{% if yes %}a{% break %}b{% endif %}c',
    '{% tablerow w in words cols: 2 %}{{ tablerowloop.index }}{{ tablerowloop.col }}{{ tablerowloop.row }}{{ tablerowloop.col_first }}{{ tablerowloop.col_last }}{{ tablerowloop.col0 }}{{ w }}{% endtablerow %}',
    '{% tablerow w in words %}{{ w }}{% endtablerow %}{% tablerow w in none %}x{% endtablerow %}{% tablerow i in (1..7) cols:3 limit:5 offset:1 %}{{ i }}{% increment c %}{% cycle "a", "b" %}{% endtablerow %}{{ tablerowloop }}',
    '{% tablerow w in words cols: "2" limit: "3" offset: nothing %}{{ tablerowloop | json }}{{ tablerowloop }}{% break %}x{% endtablerow %}after{% for i in words %}{% tablerow j in words %}{{ j }}{% break %}{% endtablerow %}x{% endfor %}',
  ],
  variables: [
    '{% assign a = 1 %}{{ a }}{% assign a = words | join: "," %}{{ a }}{% assign text = "mine" %}{{ text }}{% assign e = empty %}{% if e == none %}y{% endif %}{{ e }}',
    '{% capture a %}x{{ text }}{% endcapture %}{{ a }}{% capture "b c" %}y{% endcapture %}{{ a | size }}{% capture d %}{% endcapture %}[{{ d }}]',
    '{% increment n %}{% increment n %}{{ n }}{% decrement n %}{% decrement m %}{% decrement m %}{{ m }}{% increment one %}{{ one }}{% increment text %}{{ text }}{% increment object %}',
    '{% assign n = 5 %}{% increment n %}{{ n }}{% for i in words %}{% increment n %}{% endfor %}{% increment lazier %}',
    '{% for i in (1..5) %}{% cycle "a", "b", "c" %}{% cycle "g": 1, 2 %}{% cycle key: 1, 2 %}{% cycle text, "<" %}{% endfor %}{% cycle "a", "b", "c" %}',
    '{% echo text %}{% echo text | upcase %}{% echo text | raw %}{% echo %}{% echo words %}{% echo nothing %}',
    '{% liquid\n assign a = 1\n if a == 1\n echo "one & two"\n endif\n for i in words\n echo i\n endfor\n # note\n comment\n x\n endcomment\n%}{{ a }}',
    '{% raw %}{{ text }}{% if %}{% endraw %}{% comment %}{{ x }}{% if %}{% endcomment %}{% # inline %}{%- # trimmed -%}',
  ],
  whitespace: [
    ' a \n {%- if yes -%} \n b \n {%- endif -%} \n c ',
    ' {{- text -}} \n x {{- one }} y {{ one -}} z\n',
    '{%- for i in words -%}\n {{ i -}} \n,{%- endfor %} \n{% raw %} \n x {%- endraw %} \n {%- raw %} \n y {% endraw -%} \n z',
    '{% liquid\n  echo "a"\n%}\n\n{%- comment -%} x {%- endcomment -%}\n b \t{%- assign a = 1 -%}\t\n c',
    '{%- capture x -%} \n in \n {%- endcapture -%} [{{ x }}] {%- # n -%} \n {%- case one -%} \n {%- when 1 -%} \n one \n {%- endcase -%}',
  ],
}

for (const [about, templates] of Object.entries(TEMPLATES)) {
  t.test(`${about} come out as by LiquidJS`, async (t) => {
    for (const main of templates) {
      for (const options of [{}, ESCAPING]) {
        const { ours, theirs, isFast } = await sideBySide({ main }, data, options)
        t.strictSame(theirs.error, undefined, `can be rendered: ${main}`)
        t.strictSame({ ...ours, isFast }, { ...theirs, isFast: true }, main)
      }
    }
  })
}

t.test('of a list is read what LiquidJS reads of it, in its order', async (t) => {
  const templates = [
    '{% for r in noting %}{{ r.name }}{% endfor %}',
    '{% for r in noting limit: 2 %}{{ r.name }}{% break %}{% endfor %}{% for r in noting offset: continue %}x{% endfor %}',
    '{% for r in noting reversed offset: 1 %}{{ r.name }}{% else %}none{% endfor %}',
    '{{ noting.size }}{{ noting[1].n }}{{ noting.first.n }}{{ noting.last.n }}{{ noting[-1].n }}{{ noting }}',
    '{% tablerow r in noting cols: 2 %}{{ r.n }}{% endtablerow %}{% tablerow r in noting limit: 1 offset: 1 %}{{ r.n }}{% endtablerow %}',
    '{% render "main2" for noting as r %}{% assign some = noting %}{{ some[0].n }}{% include "main2" with noting %}',
    '{% if noting == empty %}a{% endif %}{% if noting == noting %}b{% endif %}{% if noting contains 1 %}c{% endif %}{% if noting %}d{% endif %}',
    '{% case noting %}{% when empty %}a{% when noting %}b{% endcase %}{% for r in noting %}{{ r | json }}{% cycle noting, 1 %}{% endfor %}',
  ]
  for (const main of templates) {
    const reads: PropertyKey[][] = []
    const { ours, theirs, isFast } = await sideBySide({ main, main2: '{{ r.name }}{{ main2.size }}' }, () =>
      data(reads[reads.push([]) - 1]),
    )
    t.strictSame({ ...ours, isFast }, { ...theirs, isFast: true }, main)
    t.strictSame(reads[1], reads[0], main)
  }
})
