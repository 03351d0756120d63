import t from 'tap'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const { author } = localAccess({ name: 'Test', email: 'test@example.org' })
const types = plainTypes({
  posts: { additional_fields: true, fields: { cover: { type: 'media' } } },
  products: { permalink: null, additional_fields: true },
})

function post(n: number, more = ''): string {
  return `---\ntitle: Post ${n}\ndate: 2026-01-0${n}\n${more}---\n${'word '.repeat(n * 200)}\n`
}

const FILES = {
  'content/index.md': '---\ntitle: Home\n---\n',
  'content/posts/a.md': post(1, 'tags: [x, y]\nprice: 5\n'),
  'content/posts/b.md': post(2, 'tags: [x]\nprice: 3\ncover: cat.jpg\nauthor: Ada\n'),
  'content/posts/c.md': post(3, 'tags: [z]\nexcerpt: In short.\nprice: 4\n'),
  'content/posts/d.md': post(4, 'tags: [y, x]\n'),
  'content/posts/draft.md': '---\ntitle: Secret draft\ntags: [x]\ndraft: true\n---\n',
  'content/posts/later.md': '---\ntitle: Secret later\ndate: 2027-01-01\n---\n',
  'content/posts/unlisted.md': '---\ntitle: Secret unlisted\nunlisted: true\ndate: 2026-01-09\n---\n',
  'content/products/pen.yaml': 'title: Pen\nprice: 2\n',
  'content/products/ink.yaml': 'title: Ink\nprice: 1\n',
  'content/products/gone.yaml': 'title: Secret product\nstatus: draft\n',
}

/** The page of a record of pages, made of a template over both stores. */
function printed(t: import('tap').Test, cases: Readonly<Record<string, readonly [template: string, text: string]>>) {
  return eachStore(t, { files: FILES, types }, async (t, opened) => {
    for (const [name, [template, text]] of Object.entries(cases)) {
      const files = { 'templates/site/home.liquid': template, 'templates/site/record.liquid': template }
      const { html } = publicSite(t, opened, false, { files })
      const page = name.startsWith('/') ? name.split(' ', 1)[0] : undefined
      t.equal((await html(page ?? '/')).trim(), text, name)
    }
  })
}

t.test('a template reads the records of any type', (t) =>
  printed(t, {
    newest: [
      '{% for p in site.records.posts limit: 3 %}{{ p.title }} {{ p.url }},{% endfor %}',
      'Post 4 /posts/d,Post 3 /posts/c,Post 2 /posts/b,',
    ],
    'after some': ['{% for p in site.records.posts limit: 2 offset: 1 %}{{ p.id }}{% endfor %}', 'cb'],
    reversed: ['{% for p in site.records.posts reversed %}{{ p.id }}{% endfor %}', 'abcd'],
    size: ['{{ site.records.posts.size }} {{ site.records.posts | size }}', '4 4'],
    first: ['{{ site.records.posts.first.id }}{{ site.records.posts.last.id }}{{ site.records.posts[1].id }}', 'dac'],
    sorted: [
      '{% assign all = site.records.posts | where_exp: "p", "p.fields.price > 0" | sort: "fields.price" %}{% for p in all %}{{ p.id }}{% endfor %}',
      'bca',
    ],
    'with their fields': [
      '{% for p in site.records.posts limit: 3 %}{{ p.fields.price }}-{{ p.fields.cover }},{% endfor %}',
      '-,4-,3-/posts/cat.jpg,',
    ],
    'with fields, counted from nought each time the template runs': [
      '{% increment n %}{% for p in site.records.posts limit: 2 %}{{ p.fields.price }}{% increment n %}{% endfor %}',
      '0142',
    ],
    'with their terms': [
      '{% for p in site.records.posts limit: 1 %}{% for x in p.terms %}{{ x.name }}={{ x.url }} {% endfor %}{% endfor %}',
      'y=/tags/y x=/tags/x',
    ],
    'with what is said of them': [
      '{% for p in site.records.posts limit: 3 %}{{ p.excerpt | truncate: 9 }}|{{ p.authors[0].name }}|{{ p.reading_time }},{% endfor %}',
      'word w...||3,In short.||3,word w...|Ada|2,',
    ],
    'without a page': [
      '{% for p in site.records.products %}{{ p.title }}{{ p.url }}{{ p.fields.price }}{% endfor %}',
      'Ink1Pen2',
    ],
    'none of a type that is not there': [
      '{% for p in site.records.nothing %}x{% else %}none{% endfor %}{{ site.records.nothing.size }}',
      'none0',
    ],
    'the names of the types': [
      '{% for type in site.records %}{{ type[0] }}:{{ type[1].size }} {% endfor %}',
      'pages:1 posts:4 products:2',
    ],
    'under a condition that is read first': [
      '{% if site.records.posts.first.fields.price == nil %}{{ site.records.products.first.fields.price }}{% endif %}',
      '1',
    ],
  }),
)

t.test('a record knows those beside it, and those with most in common', (t) =>
  printed(t, {
    '/posts/b': ['{{ record.next.title }} {{ record.previous.url }}', 'Post 3 /posts/a'],
    '/posts/d': ['{{ record.next.title }}|{{ record.previous.title }}', '|Post 3'],
    '/posts/a': ['{{ record.next.fields.price }}|{{ record.previous.title }}', '3|'],
    '/posts/d related': ['{% for p in record.related %}{{ p.id }}{% endfor %}', 'ab'],
    '/posts/c none': ['{{ record.related.size }}', '0'],
    '/posts/c minutes': ['{{ record.reading_time }}', '3'],
    '/posts/unlisted none beside': ['{{ record.next }}{{ record.previous }}', ''],
  }),
)

t.test('what templates read is of this moment, and nothing hidden is among it', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const all =
      '{% for p in site.records.posts %}{{ p | json }}{% endfor %}{% for p in site.records.products %}{{ p | json }}{% endfor %}'
    const { html } = publicSite(t, opened, false, { files: { 'templates/site/home.liquid': all } })
    t.notMatch(await html('/'), 'Secret')
    await opened.store.write([{ key: keyOf('posts', 'a'), put: { set: { status: 'draft' } } }], author)
    await opened.store.write([{ key: keyOf('products', 'pen'), put: { set: { price: 99 } } }], author)
    const home = await html('/')
    t.notMatch(home, 'Post 1')
    t.match(home, '&#34;price&#34;:99')
  }),
)

t.test('a template that asks for more each time is refused', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const nested = Array.from({ length: 12 }, (_, n) => `{% if site.records.k${n}.size == 1 %}`).join('')
    const home = `${nested}${'{% endif %}'.repeat(12)}`
    const kinds = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k${n}`, { permalink: null }]))
    const deps = { ...opened, types: plainTypes({ ...kinds, posts: {} }) }
    for (let n = 0; n < 12; n++)
      await opened.store.write([{ key: keyOf(`k${n}`, 'one'), put: { set: { title: 'One', status: 'published' } } }], author)
    const { html } = publicSite(t, deps, false, { files: { 'templates/site/home.liquid': home } })
    await t.rejects(html('/'), { message: /it asks for more each of the 8 times it is run/, file: 'templates/site/home.liquid' })
  }),
)

t.test('a template may be of one record', (t) => {
  const files = {
    ...FILES,
    'content/plain.md': '---\ntitle: Plain\n---\n',
    'content/wide.md': '---\ntitle: Wide\ntemplate: wide\n---\n',
    'content/lost.md': '---\ntitle: Lost\ntemplate: wied.liquid\n---\n',
    'content/part.md': '---\ntitle: Part\ntemplate: partials/menu\n---\n',
    'content/out.md': '---\ntitle: Out\ntemplate: ../../cms.config.yaml\n---\n',
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const templates = {
      'templates/site/page.liquid': 'page {{ page.title }}',
      'templates/site/wide.liquid': 'wide {{ page.title }}',
    }
    const { site, html } = publicSite(t, opened, false, { files: templates })
    t.equal(await html('/wide'), 'wide Wide')
    t.equal(await html('/plain'), 'page Plain')
    for (const name of ['Lost', 'Part', 'Out']) t.equal(await html(`/${name.toLowerCase()}`), `page ${name}`)
    const remarks = (await site.remarks()).filter(({ message }) => message.includes('template'))
    t.match(remarks, [
      {
        file: 'pages/lost',
        message: 'There is no template "wied": the page is made with that of its type.',
        hint: 'Did you mean "wide"?',
      },
      { file: 'pages/out', severity: 'warning' },
      { file: 'pages/part' },
    ])
  })
})

t.test('pages know the way to them, their language, all menus and the terms of the site', (t) => {
  const files = {
    ...FILES,
    'content/docs.md': '---\ntitle: Docs\n---\n',
    'content/docs/install/linux.md': '---\ntitle: Linux\n---\n',
    'content/menus/foot.yaml':
      'items:\n  - { label: Docs, record: { type: pages, id: docs } }\n  - { label: Draft, record: { type: posts, id: draft } }\n',
    'content/menus/broken.yaml': 'items: [\n',
  }
  const trail = '{% for b in page.breadcrumbs %}{{ b.title }}={{ b.url }} {% endfor %}'
  return eachStore(t, { files, types }, async (t, opened) => {
    const templates = {
      'templates/site/page.liquid': `${trail}|{{ site.dir }}`,
      'templates/site/record.liquid': `${trail}|{% for item in menus.foot %}{{ item.label }} {{ item.url }} {{ item.current }}{% endfor %}|{{ menus.broken }}{{ menus.none }}`,
      'templates/site/home.liquid':
        '{% for x in site.taxonomies.tags.terms %}{{ x.name }} {{ x.count }} {{ x.url }},{% endfor %}{{ menus.main | size }} {{ menu | size }}',
      'templates/site/term.liquid': trail,
    }
    const { html } = publicSite(t, opened, false, { files: templates })
    t.equal(await html('/docs'), '|ltr')
    t.equal(await html('/docs/install/linux'), 'Docs=/docs |Docs /docs false|')
    t.equal(await html('/posts/a'), 'Posts=/posts |Docs /docs false|')
    t.equal(await html('/tags/x'), 'Tags=/tags ')
    t.equal(await html('/'), 'x 3 /tags/x,y 2 /tags/y,z 1 /tags/z,2 2')
  })
})

t.test('files of data are there by name', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const data = {
      'data/team.yaml': '# the team\n- { name: Ada }\n- name: Bob\n',
      'data/store/prices.json': '[1, 2.5]',
      'data/shop.toml': 'name = "Corner"\n',
      'data/a.json': '{"one": {"two": "three"}}',
      'data/broken.yaml': 'a: 1\na: 2\n',
      'data/two.json': '1, "x": 2',
      'data/notes.txt': 'none',
      'templates/site/page.liquid': '{{ site.data.broken.a }}',
      'templates/site/record.liquid': '{{ site.data.two }}',
      'templates/site/home.liquid':
        '{% for one in site.data.team %}{{ one.name }} {% endfor %}{{ site.data.a.one.two }}|{{ site.data.store.prices[1] }} {{ site.data.shop.name }}|{{ site.data.notes }}{{ site.data.none.x }}|{{ site.data.toString }}{{ site.data.__proto__ }}',
    }
    await opened.store.write([{ key: keyOf('pages', 'about'), put: { set: { title: 'About', status: 'published' } } }], author)
    const { site, folder, html } = publicSite(t, opened, false, { files: data })
    t.equal(await html('/'), 'Ada Bob three|2.5 Corner||')
    await t.rejects(html('/about'), { file: 'data/broken.yaml', line: 2, column: 1, message: /"a"/ })
    await t.rejects(html('/posts/a'), { message: /more than one value/, file: 'data/two.json' })
    t.match(
      (await site.problems()).map(({ file, line }) => [file, line]),
      [
        ['data/broken.yaml', 2],
        ['data/two.json', 1],
      ],
    )
    folder.write('data/a.json', '{"one": {"two": "another"}}')
    opened.clock.advance(2000)
    t.match(await html('/'), 'another')
  }),
)
