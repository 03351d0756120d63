import { symlinkSync } from 'node:fs'
import net from 'node:net'
import t, { type Test } from 'tap'
import { TemplateFailure } from '#features/site/theme/template-failure.ts'
import { replaceIn } from '#support/builtins.ts'
import { longTest } from '#support/long.ts'
import { publicSite } from '#support/public-site.ts'
import { openMemory } from '#support/stores.ts'

const SECRET = 'the-secret-of-attacks'
const LIST = '{% assign x = "a,b" | split: "," %}'

/** Templates that try to reach what they are not given: a file, the environment, a prototype, the network. */
const TEMPLATES: Readonly<Record<string, string>> = {
  'constructor of a text': '{{ "a".constructor }}',
  'function from a text': '{{ "".constructor.constructor }}',
  'call of a function': '{{ "".constructor.constructor("return process")() }}',
  'call with brackets': '{{ ""["constructor"]["constructor"]["call"] }}',
  'constructor of a number': '{{ 1.constructor }}{% assign n = 1 %}{{ n.constructor }}',
  'constructor of a range': '{% assign r = (1..3) %}{{ r.constructor }}{{ r.map }}',
  'constructor of a record': '{{ record.constructor }}{{ record.constructor.name }}',
  'constructor of the site': '{{ site.constructor }}{{ site.constructor.constructor }}',
  'constructor by a made name': '{% assign n = "con" | append: "structor" %}{{ site[n] }}{{ page[n][n] }}',
  'prototype of the site': '{{ site.__proto__ }}{{ site.__proto__.constructor }}',
  'prototype by brackets': '{{ site["__proto__"]["toString"] }}',
  'prototype of a function': '{{ site.toString.constructor }}{{ site.prototype }}',
  'methods of objects': '{{ page.hasOwnProperty }}{{ page.toString }}{{ page.valueOf }}{{ page.__defineGetter__ }}',
  'look-up of getters': '{{ page.__lookupGetter__ }}{{ page.__lookupSetter__ }}',
  'lists by type': '{{ site.records.constructor }}{{ site.records.__proto__ }}{{ site.records.toString }}',
  'methods of a list': '{{ site.records.posts.map }}{{ site.records.posts.filter }}{{ site.records.posts.push }}',
  'prototype of a list': '{{ site.records.posts.__proto__ }}{{ site.records.posts.constructor }}',
  'method of a list of its own': '{{ site.records.posts.slice }}{{ site.records.posts.slice.constructor }}',
  'iterator of a list': '{{ site.records.posts["Symbol(Symbol.iterator)"] }}{{ site.records.posts.entries }}',
  'prototype of terms': '{{ site.taxonomies.__proto__ }}{{ site.taxonomies.constructor }}',
  'prototype of data': '{{ site.data.__proto__ }}{{ site.data.constructor }}{{ site.data.toString }}',
  'prototype of settings': '{{ settings.__proto__ }}{{ settings.constructor }}{{ settings.site.constructor }}',
  'prototype of menus': '{{ menus.__proto__ }}{{ menus.constructor }}{{ menus.main.constructor }}',
  'prototype of fields': '{{ record.fields.__proto__ }}{{ record.fields.constructor }}',
  'a name that is a prototype': '{% assign __proto__ = site %}{{ polluted }}{{ __proto__.constructor }}',
  'a text that is a prototype': '{% capture __proto__ %}polluted{% endcapture %}{{ x.polluted }}{{ constructor }}',
  'a count of a prototype': '{% increment __proto__ %}{% increment constructor %}{% decrement toString %}',
  'a loop over a prototype':
    '{% for __proto__ in (1..2) %}{{ constructor }}{% endfor %}{% for a in site.__proto__ %}{{ a }}{% endfor %}',
  'a loop with its own data':
    '{% for a in (1..1) %}{{ forloop.constructor }}{{ forloop.__proto__ }}{{ forloop.next }}{% endfor %}',
  'an argument that is a prototype': '{% render "part", __proto__: site, constructor: site %}',
  'map of constructors': `${LIST}{{ x | map: "constructor" | join }}{{ x | map: "__proto__" | join }}`,
  'where of constructors': `${LIST}{{ x | where: "constructor" | json }}`,
  'order by a prototype': `${LIST}{{ x | sort: "__proto__" | join }}{{ x | sort_natural: "constructor" | join }}`,
  'groups by constructors': `${LIST}{{ x | group_by: "constructor" | json }}`,
  'expression with a constructor': `${LIST}{{ x | where_exp: "i", "i.constructor" | json }}{{ x | find_exp: "i", "i.__proto__" }}`,
  'groups by an expression': `${LIST}{{ x | group_by_exp: "i", "i.constructor.constructor" | json }}`,
  'sum of a property': `${LIST}{{ x | sum: "constructor" }}{{ x | compact: "__proto__" | json }}`,
  'a filter by the name of a method': '{{ "x" | constructor }}',
  'a filter by the name of a prototype': '{{ "x" | __proto__ }}',
  'a filter by the name of a function': '{{ "x" | toString }}',
  'a tag by the name of a method': '{% constructor %}',
  'words by the name of a method': '{{ "constructor" | t }}{{ "__proto__.constructor" | t }}{{ "toString" | forms }}',
  'an asset by the name of a method': '{{ "constructor" | asset }}',
  process: '{{ process }}{{ process.env }}{{ process.env.TEMPLATE_SECRET }}',
  'the environment': '{{ env.TEMPLATE_SECRET }}{{ ENV["TEMPLATE_SECRET"] }}{{ TEMPLATE_SECRET }}',
  'the global object': '{{ global.process }}{{ globalThis.process }}{{ window }}{{ self }}{{ this }}{{ this.process }}',
  modules: '{{ require }}{{ module.exports }}{{ import }}{{ __dirname }}{{ __filename }}',
  'the engine itself': '{{ context }}{{ liquid.options }}{{ globals }}{{ environments }}{{ scopes }}{{ block }}',
  'a part above': '{% render "../../secret" %}',
  'a part above by an include': '{% include "../../../secret.txt" %}',
  'a layout above': '{% layout "../secret" %}',
  'a part by a made name': '{% assign f = "../../secret" %}{% include f %}',
  'an encoded part': '{% render "..%2f..%2fsecret" %}',
  'a part by backslashes': '{% include "..\\..\\secret" %}',
  'an absolute part': '{% include "/etc/passwd" %}',
  'a part by a link': '{% render "linked" %}',
  'a part with a zero': '{% assign f = "part%00" | url_decode %}{% include f %}',
  'a part as an address of a file': '{% render "file:///etc/passwd" %}',
  'a part from the network': '{% render "http://127.0.0.1:9/x" %}{% include "//127.0.0.1/x" %}',
  'an asset above': '{{ "../../../secret.txt" | asset }}',
  'an absolute asset': '{{ "/etc/passwd" | asset }}',
  'a picture of a file in Markdown': '{{ "![x](file:///etc/passwd) ![y](../../secret.txt)" | markdown }}',
  'Liquid in Markdown': '{{ "{{ process.env.TEMPLATE_SECRET }} {% include \'/etc/passwd\' %}" | markdown }}',
  'a shortcode in Markdown of a template': '{{ "{{< ../../secret >}} {{< constructor >}}" | markdown }}',
  'Liquid in a text': '{% assign a = "{{ process.env.TEMPLATE_SECRET }}" %}{{ a }}{{ a | raw }}',
}

/** Texts of records that try the same with shortcodes. */
const TEXTS: Readonly<Record<string, string>> = {
  'a shortcode above': '{{< ../../secret >}}',
  'a shortcode by the name of a method': '{{< constructor >}} {{< toString >}}',
  'a shortcode by the name of a prototype': '{{< __proto__ >}} {{< hasOwnProperty a="b" >}}',
  'Liquid as an argument': '{{< echo a="{{ process.env.TEMPLATE_SECRET }}" >}}',
  'a tag as an argument': '{{< echo a="{% include \'/etc/passwd\' %}" >}}',
  'an argument that is a prototype': '{{< echo __proto__="x" constructor="y" a="z" >}}',
  'Liquid in a text': '{{ process.env.TEMPLATE_SECRET }} {% render "../../secret" %}',
}

/** A page is refused, or has nothing of this. Any data at all is printed as [object Object]. */
const REACHED = new RegExp(`${SECRET}|native code|\\[Function|function |=>|\\[object (?!Object\\])|root:|polluted`)

function siteWith(t: Test, opened: Awaited<ReturnType<typeof openMemory>>, template: string) {
  const files = {
    'secret.liquid': SECRET,
    'secret.txt': SECRET,
    'templates/secret.liquid': SECRET,
    'templates/site/record.liquid': template,
    'templates/site/part.liquid': 'part {{ __proto__.constructor }}{{ constructor.constructor }}',
    'templates/shortcodes/echo.liquid': '{{ args.a }}{{ args.__proto__ }}{{ args.constructor.constructor }}{{ args.toString }}',
  }
  const made = publicSite(t, opened, false, { files, settings: new Map() })
  symlinkSync(made.folder.path('secret.liquid'), made.folder.path('templates/site/linked.liquid'))
  return made
}

longTest('no template reaches a file, the environment, a prototype or the network', async (t) => {
  t.ok(Object.keys({ ...TEMPLATES, ...TEXTS }).length >= 60)
  process.env.TEMPLATE_SECRET = SECRET
  t.teardown(() => Reflect.deleteProperty(process.env, 'TEMPLATE_SECRET'))
  let connections = 0
  replaceIn(t, net.Socket.prototype, {
    connect() {
      connections++
      throw new Error('a template reached the network')
    },
  })
  const before = Object.getOwnPropertyNames(Object.prototype).join()
  const printed = async (name: string, template: string, body: string) => {
    const opened = await openMemory({ files: { 'content/posts/a.md': `---\ntitle: A\n---\n${body}\n` } })
    const { html } = siteWith(t, opened, template)
    const made = await html('/posts/a').catch((error: unknown) => {
      if (!(error instanceof TemplateFailure)) throw error
      return error.message.replace(/"[^"]*"/g, '')
    })
    t.notMatch(made, REACHED, name)
  }
  for (const [name, template] of Object.entries(TEMPLATES)) await printed(name, template, 'Text')
  for (const [name, text] of Object.entries(TEXTS)) await printed(name, '{{ record.html | raw }}', text)
  t.equal(connections, 0)
  t.equal(Object.getOwnPropertyNames(Object.prototype).join(), before, 'no prototype is another')
})

t.test('a template that would go on and on ends after ten seconds, and says where', async (t) => {
  const loop = '{% for a in (1..50000) %}\n{{ a | times: 2 }}{% endfor %}'
  const { html } = siteWith(t, await openMemory({ files: { 'content/posts/a.md': '# A\n' } }), `<p>\n${loop}`)
  let now = performance.now()
  const begun = now
  // Each look at the clock is a second later than the one before.
  performance.now = () => {
    now += 1000
    return now
  }
  t.teardown(() => Reflect.deleteProperty(performance, 'now'))
  const failure = await html('/posts/a').catch((error: unknown) => error)
  t.ok(failure instanceof TemplateFailure)
  t.match(failure, { file: 'templates/site/record.liquid', line: /^[23]$/, rendering: { record: 'posts/a' } })
  t.ok(now - begun > 10_000)
})
