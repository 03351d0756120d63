import t from 'tap'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const { author } = localAccess({ name: 'Test', email: 'test@example.org' })
const types = plainTypes({ docs: { sort: 'weight,title' }, news: { permalink: '/blog/{slug}' } })

function page(title: string, more = '', body = ''): string {
  return `---\ntitle: ${title}\n${more}---\n${body}\n`
}

const FILES = {
  'content/index.md': page('Home'),
  'content/docs/_index.md': page('The docs', '', 'Text of the docs.'),
  'content/docs/zebra.md': page('Zebra', 'weight: 1\n'),
  'content/docs/apple.md': page('Apple'),
  'content/docs/guides/_index.md': page('Guides', 'weight: 2\n', 'Text of the guides.'),
  'content/docs/guides/second.md': page('Second', 'weight: 2\n'),
  'content/docs/guides/first.md': page('First', 'weight: 1\n'),
  'content/docs/guides/deep/index.md': page('Deep', 'weight: 3\n', 'Text of deep.'),
  'content/docs/guides/deep/last.md': page('Last'),
  'content/docs/plain/alone.md': page('Alone', 'weight: 9\n'),
  'content/docs/secret/_index.md': page('Secret title', 'draft: true\n', 'Secret text.'),
  'content/docs/secret/open.md': page('Open', 'weight: 8\n'),
  'content/docs/quiet/_index.md': page('Quiet', 'unlisted: true\n', 'Quiet text.'),
  'content/docs/quiet/heard.md': page('Heard', 'weight: 7\n'),
  'content/news/index.md': page('Our news', '', 'Text of the news.'),
  'content/news/a.md': page('News a', 'date: 2026-01-01\n'),
  'content/news/b.md': page('News b', 'date: 2026-01-02\n'),
  'content/news/sport/_index.md': page('Sport'),
  'content/news/sport/c.md': page('News c', 'date: 2026-01-03\n'),
  'content/news/sport/d.md': page('News d', 'date: 2026-01-04\n'),
  'content/about/index.md': page('About', '', 'Text about.'),
}

const LIST =
  '{{ page.kind }}|{{ page.title }}|{{ record.html | strip_html | strip }}|{% for r in records %}{{ r.title }},{% endfor %}' +
  '|{{ section.title }} {{ section.url }}|{% for s in section.sections %}{{ s.title }},{% endfor %}' +
  '|{% for b in page.breadcrumbs %}{{ b.title }}>{% endfor %}'
const RECORD = 'record|{{ record.previous.title }}<{{ record.title }}>{{ record.next.title }}|{{ section.title }}'

function printed(t: import('tap').Test, templates: Readonly<Record<string, string>>, cases: Readonly<Record<string, string>>) {
  const files = Object.fromEntries(Object.entries(templates).map(([name, text]) => [`templates/site/${name}.liquid`, text]))
  return eachStore(t, { files: FILES, types }, async (t, opened) => {
    const { html } = publicSite(t, opened, false, { files })
    for (const [path, text] of Object.entries(cases)) t.equal((await html(path)).trim(), text, path)
  })
}

t.test('a folder with a page is a section, whose list stands under its text', (t) =>
  printed(
    t,
    { list: LIST, record: `in ${LIST}` },
    {
      '/docs/guides': 'list|Guides|Text of the guides.|First,Second,Deep,Last,|Guides /docs/guides|Deep,|The docs>',
      '/docs/guides/deep': 'in record|Deep|Text of deep.|Last,|Deep /docs/guides/deep||The docs>Guides>',
      '/docs': 'list|The docs|Text of the docs.|First,Zebra,Second,Deep,Heard,Open,Alone,Apple,Last,|The docs /docs|Guides,|',
      '/blog': 'list|Our news|Text of the news.|News d,News c,News b,News a,|Our news /blog|Sport,|',
      '/blog/sport': 'list|Sport||News d,News c,|Sport /blog/sport||Our news>',
      '/docs/quiet': 'list|Quiet|Quiet text.|Heard,|Quiet /docs/quiet||The docs>',
      '/about': 'in record|About|Text about.|| ||',
    },
  ),
)

t.test('next and previous are those of the section, or of the tree in its order', (t) =>
  printed(
    t,
    { record: RECORD, list: RECORD },
    {
      '/blog/a': 'record|<News a>News b|Our news',
      '/blog/b': 'record|News a<News b>|Our news',
      '/blog/d': 'record|News c<News d>|Sport',
      '/docs/zebra': 'record|The docs<Zebra>Guides|The docs',
      '/docs/guides': 'record|Zebra<Guides>First|Guides',
      '/docs/guides/deep': 'record|Second<Deep>Last|Deep',
      '/docs/guides/deep/last': 'record|Deep<Last>Apple|Deep',
      '/docs/plain/alone': 'record|Apple<Alone>Heard|The docs',
      '/docs/secret/open': 'record|Heard<Open>|The docs',
    },
  ),
)

const TREE = `{% for a in site.sections.docs %}{% render 'node', node: a %}{% endfor %}`
const NODE =
  '{{ node.title }}{{ node.url }}{% if node.current %}*{% elsif node.within %}+{% endif %}' +
  `{% if node.children.size > 0 %}({% for a in node.children %}{% render 'node', node: a %}{% endfor %}){% endif %};`

t.test('the tree of a type nests as its folders do, and marks where a page is', (t) =>
  printed(
    t,
    { record: TREE, list: TREE, home: TREE, node: NODE },
    {
      '/docs/guides/first':
        'Zebra/docs/zebra;Guides/docs/guides+(First/docs/guides/first*;Second/docs/guides/second;Deep/docs/guides/deep(Last/docs/guides/deep/last;););' +
        'Apple/docs/apple;Plain(Alone/docs/plain/alone;);Quiet(Heard/docs/quiet/heard;);Secret(Open/docs/secret/open;);',
      '/docs/guides':
        'Zebra/docs/zebra;Guides/docs/guides*(First/docs/guides/first;Second/docs/guides/second;Deep/docs/guides/deep(Last/docs/guides/deep/last;););' +
        'Apple/docs/apple;Plain(Alone/docs/plain/alone;);Quiet(Heard/docs/quiet/heard;);Secret(Open/docs/secret/open;);',
    },
  ),
)

t.test('a draft of a section page shows nothing of itself', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const { site, html } = publicSite(t, opened)
    t.equal((await site.page('/docs/secret')).status, 404)
    for (const path of ['/', '/docs', '/docs/secret/open', '/docs/guides', '/sitemap.xml', '/feed.xml'])
      t.notMatch(await html(path), /Secret (?:title|text)/, path)
    t.notMatch(await html('/docs'), /Quiet/)
    t.match(await html('/docs/quiet'), /Quiet text/)
  }),
)

t.test('lists of sections have pages, and the text is on the first', (t) => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`content/docs/guides/n${n}.md`, page(`N${n}`)]))
  return eachStore(t, { files: { ...FILES, ...many }, types }, async (t, opened) => {
    const { site, html } = publicSite(t, opened)
    t.match(await html('/docs/guides'), /Text of the guides.*href="\/docs\/guides\/page\/2">Next/s)
    t.match(await html('/docs/guides/page/2'), /<h1>Guides<\/h1>.*href="\/docs\/guides\/n9"/s)
    t.notMatch(await html('/docs/guides/page/2'), /<p>Text of the guides/)
    t.equal((await site.page('/docs/guides/page/3')).status, 404)
    t.match(await site.page('/docs/guides/page/1'), { status: 308, location: '/docs/guides' })
    t.match(await html('/docs/guides/deep'), /<article.*Text of deep.*href="\/docs\/guides\/deep\/last"/s)
  })
})

t.test('sections follow what is written', (t) =>
  eachStore(t, { files: FILES, types }, async (t, { store, ...opened }) => {
    const files = { 'templates/site/list.liquid': LIST, 'templates/site/record.liquid': RECORD }
    const { html } = publicSite(t, { store, ...opened }, false, { files })
    t.match(await html('/docs/guides'), /First,Second/)
    await store.write([{ key: keyOf('docs', 'guides~first'), put: { set: { weight: 9 } } }], author)
    t.match(await html('/docs/guides'), /Second,Deep,First/)
    t.match(await html('/docs/guides/second'), /Guides<Second>Deep/)
  }),
)

t.test('links lead to pages of sections by their files', (t) => {
  const links = [
    'guides/_index.md',
    'guides/',
    'docs/guides/',
    '/docs/guides/_index.md#x',
    '../docs/guides/deep/index.md',
    '/docs/_index.md',
  ]
  const files = { ...FILES, 'content/docs/links.md': page('Links', '', links.map((link) => `[l](${link})`).join(' ')) }
  return eachStore(t, { files, types }, async (t, opened) => {
    const { html } = publicSite(t, opened, false, { files: { 'templates/site/record.liquid': '{{ record.html | raw }}' } })
    const hrefs = [...(await html('/docs/links')).matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
    t.same(hrefs, ['/docs/guides', '/docs/guides', '/docs/guides', '/docs/guides#x', '/docs/guides/deep', '/docs'])
  })
})

t.test('records of a type whose name is taken are below another address', (t) => {
  const files = {
    'content/api/x.md': page('About the API'),
    'content/Admin/_index.md': page('Guide of the admin'),
    'content/Admin/y.md': page('Y', '', '[x](../api/x.md)'),
  }
  return eachStore(t, { files, types: plainTypes({ metrics: { permalink: '/{slug}' } }) }, async (t, opened) => {
    const { site, html } = publicSite(t, opened)
    t.match(await html('/content/api/x'), /<h1>About the API/)
    t.match(await html('/content/api'), /About the API/)
    t.match(await html('/content/Admin/y'), /href="\/content\/api\/x"/)
    t.match(await html('/content/Admin'), /<h1>Guide of the admin.*href="\/content\/Admin\/y"/s)
    t.equal((await site.page('/api/x')).status, 404)
    t.same(await site.problems(), [])
  })
})

t.test('site.records of a type, lists and the feed of a list each have their order', (t) =>
  eachStore(t, { files: FILES, types: plainTypes({ news: { sort: 'title' }, notes: { sort: '-order' } }) }, async (t, opened) => {
    const files = {
      'templates/site/list.liquid':
        '{% for r in site.records.news %}{{ r.id }},{% endfor %}{% for r in records %}{{ r.id }},{% endfor %}',
    }
    const { html } = publicSite(t, opened, false, { files })
    t.match(await html('/news'), /^a,b,sport~c,sport~d,a,b,sport~c,sport~d,$/)
    t.match(await html('/news/feed.xml'), /News d.*News c.*News b.*News a/s)
    t.match(await html('/news/sport/feed.xml'), /News d.*News c/s)
  }),
)
