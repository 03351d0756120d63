import t from 'tap'
import { data, ESCAPING, sideBySide, type Texts } from './side-by-side.ts'

const PARTS = {
  part: '<{{ text }}{{ part }}{{ x }}{{ forloop.index }}{{ shadowed }}{{ base }}>{% assign inner = "in" %}{% increment n %}',
  stop: '{{ x }}{% break %}never',
  'dir/deep': 'deep {{ x }} {% render "./beside" %}{% render "part" %}',
  'dir/beside': 'beside',
  pab: 'pab{{ pab }}',
  frame: '<main>{% block %}{% endblock %}</main>{{ title }}',
  base: 'A{% block a %}base a {{ text }}{% endblock %}B{% block b %}base b{% endblock %}C{{ title }}{% block c %}{% endblock %}',
  middle:
    '{% layout "base", title: "mid" %}{% block a %}[mid {{ block.super }}]{% endblock %}{% block c %}{% block inner %}ci{% endblock %}{% endblock %}',
  'with-part': '{% render "part", x: 1 %}{% block a %}{% include "part" %}{% endblock %}',
  tree: '{{ node.name }}{% for child in node.children %}({% render "tree", node: child %}){% endfor %}',
}

const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  partials: [
    '{% render "part" %}{% render "part", x: one %}{% render "part" with text %}{% render "part" with words as x %}{{ inner }}{{ n }}',
    '{% render "part" for words as x %}{% render "part" for none as x %}{% render "part" for object as x %}{% render "part" for text as x, shadowed: 1 %}',
    '{% render file %}{% render "{{ file }}" %}{% render "pa{{ key }}" with one %}{% render "dir/deep", x: 2 %}',
    '{% render "part" for noting as x %}{% render "part" for words %}{% render "stop" for words as x %}{% for i in words %}{% render "stop", x: i %}{% endfor %}',
    '{% include "part" %}{{ inner }}{{ n }}{% include "part" with one %}{% include "part", x: text, shadowed: "mine" %}{% include file %}{{ shadowed }}',
    '{% for i in words %}{% include "part" %}{% include "stop" %}after{% endfor %}',
    '{% assign x = "outer" %}{% render "part" %}{% include "part" %}{% capture c %}{% render "part", x: 1 %}{% endcapture %}{{ c | size }}',
    '{% assign node = tree %}{% render "tree", node: node %}{% render "tree", node: object %}',
    '{% tablerow x in words %}{% render "part", x: x %}{% include "part" %}{% endtablerow %}',
  ],
  layouts: [
    '{% layout "frame" %}body {{ text }}',
    '{% layout "frame", title: text %}{% block %}in a block{% endblock %}outside',
    '{% layout "base" %}{% block b %}mine{% endblock %}{% block a %}{{ block.super }}|{{ block.super }}{% endblock %}{% block nowhere %}x{% endblock %}',
    '{% layout "middle" %}{% block a %}<{{ block.super }}>{% endblock %}{% block inner %}II{{ block.super }}{% endblock %}{% block b %}{{ block }}{{ block | json }}{% endblock %}',
    '{% layout none %}a{% block a %}b{{ block.super }}{% endblock %}c',
    '{% assign v = 1 %}{% layout "base" %}{% assign v = 2 %}{% block a %}{{ v }}{% assign v = 3 %}{% endblock %}{% block b %}{{ v }}{% endblock %}',
    '{% layout "with-part" %}{% block a %}{{ block.super }}{% render "part" %}{% include "with-part" %}{% endblock %}',
    '{% layout "{{ key }}ase" %}{% for i in words %}{% block a %}{{ i }}{{ forloop.index }}{% endblock %}{% endfor %}',
    '{% for i in words %}{% block a %}{{ i }}{% break %}{% endblock %}x{% endfor %}',
    '{% layout "base" %}{% block a %}{% for i in words %}{{ i }}{% break %}{% endfor %}{% continue %}z{% endblock %}{% block b %}y{% endblock %}',
    '{% block a %}{% block b %}x{% endblock %}{% endblock %}{% block constructor %}k{% endblock %}{% block toString %}l{% endblock %}',
    '{% layout "base" %}{% block a %}{{ block.super | upcase }}{% capture s %}{{ block.super }}{% endcapture %}{{ s }}{% assign k = block.super %}{{ k }}{% if block.super contains "base" %}y{% endif %}{% endblock %}',
    '{% layout "base" %}{% block a %}{% tablerow i in words %}{{ i }}{{ block.super }}{% endtablerow %}{% echo block.super %}{% cycle block.super %}{% endblock %}',
    '{% render "middle" %}{% include "middle" %}{% block a %}own{% endblock %}',
    '{% capture x %}{% include "frame" %}{% endcapture %}{% layout "frame" %}{{ x }}{% layout "base" %}{% block a %}twice{% endblock %}',
    '{% layout "base" %}{% if yes %}{% block a %}1{% endblock %}{% endif %}{% if no %}{% block b %}2{% endblock %}{% endif %}',
  ],
}

const children = [{ name: 'a', children: [{ name: 'b & c', children: [] }] }, { name: 'd' }]

for (const [about, templates] of Object.entries(TEMPLATES)) {
  t.test(`${about} come out as by LiquidJS`, async (t) => {
    for (const main of templates) {
      for (const options of [{}, ESCAPING]) {
        const texts: Texts = { ...PARTS, main }
        const { ours, theirs, isFast } = await sideBySide(texts, () => ({ ...data(), tree: { name: 'root', children } }), options)
        t.strictSame(theirs.error, undefined, `can be rendered: ${main}`)
        t.strictSame({ ...ours, isFast }, { ...theirs, isFast: true }, main)
      }
    }
  })
}
