import { join } from 'node:path'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { withHeadingIds } from '#features/importing/jekyll/heading-ids.ts'
import { withoutLiquid } from '#features/importing/jekyll/liquid.ts'
import { exportOf, importInto, PIXEL } from '#support/importing.ts'
import { longTest } from '#support/long.ts'
import { eachStore } from '#support/stores.ts'

const CONFIG = [
  'title: Old',
  'baseurl: /blog',
  'description: About all',
  'permalink: pretty',
  'exclude: [drafts-of-mine, "*.secret.md"]',
  'collections: { docs: { output: true }, staff: {} }',
  'defaults:',
  '  - { scope: { path: "_posts/later", type: posts }, values: { published: false } }',
  '  - { scope: { path: "kept" }, values: { published: false } }',
  '  - { scope: { path: "assets", type: posts }, values: { published: false } }',
  '  - { scope: { path: "" }, values: { layout: page, author: ada, image: x } }',
].join('\n')

const SITE = {
  '_config.yml': CONFIG,
  '_posts/2020-03-04-hello.md':
    '---\ntags: one two\nimage: /assets/sea.png\n---\n![Sea]({{ site.baseurl }}/assets/sea.png) [next]({% post_url 2020-03-05-hello %}) [up](../..)\n\n{% highlight ruby %}\n{% raw %}{{ x }}{% endraw %}\n{% endhighlight %}\n\n{% include note.html %}\n',
  '_posts/2020-03-05-hello.md':
    '---\ntitle: Again\n---\n{% link _docs/start.md %} {{ "/about" | relative_url }} {{ page.title }}\n',
  '_posts/undated.md': '---\ntitle: Undated\n---\n',
  '_posts/later/2020-01-01-kept.md': '---\ntitle: Kept\n---\n',
  'news/_posts/2020-01-02-in-news.md': '---\ncategories: more\n---\n',
  '_drafts/idea.md': '---\ntitle: Idea\n---\n',
  '_docs/start.md': '---\ntitle: Start\n---\n',
  '_staff/ada.md': '---\ntitle: Ada\n---\n',
  'about.md': '---\ntitle: About\npermalink: /about-us/\n---\n',
  'moved.md': '---\nredirect_to: https://example.org\n---\n',
  'readme.md': 'No page.\n',
  'x.secret.md': '---\ntitle: Secret\n---\n',
  'drafts-of-mine/y.md': '---\ntitle: Mine\n---\n',
  'assets/sea.png': PIXEL,
  'kept/plan.png': PIXEL,
  '#kept.md': '---\ntitle: Kept\n---\n',
  '~kept/a.md': '---\ntitle: Kept\n---\n',
  '_posts/_kept/2020-01-01-a.md': '---\ntitle: Kept\n---\n',
  '_posts/2020/#2020-01-01-b.md': '---\ntitle: Kept\n---\n',
  'index.html': '---\n---\n{% for post in site.posts %}{% endfor %}',
  '_drafts/idea.png': PIXEL,
  '_staff/ada.png': PIXEL,
  '_docs/a.png': PIXEL,
  '_includes/note.html': 'Note',
  '_data/people.yml': 'a: 1',
}

longTest('a site of Jekyll comes whole, and nothing of it becomes public that was not', async (t) => {
  const folder = exportOf(t, SITE)
  await eachStore(t, { history: true }, async (t, opened) => {
    const { store } = opened
    const report = await importInto(opened, 'jekyll', folder)
    t.strictSame(report.problems, [])
    const hello = await store.get(keyOf('posts', 'hello'))
    t.match(hello?.fields, {
      ...{ published_at: '2020-03-04T00:00:00.000Z', tags: ['one', 'two'], image: '/media/assets/sea.png', author: 'ada' },
      ...{ status: 'published', aliases: ['/2020/03/04/hello'] },
    })
    t.equal(
      hello?.body,
      '![Sea](/media/assets/sea.png) [next](/posts/2020-03-05-hello.md) [up](/2020/03/)\n\n```ruby\n{{ x }}\n```\n\n{% include note.html %}\n',
    )
    const second = await store.get(keyOf('posts', '2020-03-05-hello'))
    t.equal(second?.body, '/docs/start.md /about Again\n')
    t.match((await store.head(keyOf('posts', 'in-news')))?.fields.categories, ['news', 'more'])
    for (const id of ['undated', 'idea', 'later~kept'])
      t.equal((await store.head(keyOf('posts', id.split('~').at(-1) ?? '')))?.fields.status, 'draft', `${id} is a draft`)
    t.match((await store.head(keyOf('staff', 'ada')))?.fields.permalink, false, 'what had no page has none')
    t.match((await store.head(keyOf('docs', 'start')))?.fields, { status: 'published', aliases: undefined })
    t.match((await store.head(keyOf('pages', 'about')))?.fields.permalink, '/about-us/')
    t.match((await store.head(keyOf('settings', 'site')))?.fields, { description: 'About all' })
    const media = (await store.heads('media', {})).items.map(({ key }) => key.id)
    t.strictSame(media.sort(), ['assets~sea.png', 'docs~a.png'], 'what Jekyll does not publish is not shown')
    const left = report.left_out.flatMap(({ first }) => first)
    for (const path of ['moved.md', 'readme.md', 'index.html', '_includes/note.html'])
      t.ok(left.includes(path), `${path} is left out`)
    t.strictSame((await store.heads('posts', {})).items.map(({ key }) => key.id).sort(), [
      ...['2020-03-05-hello', 'hello', 'idea', 'in-news', 'kept', 'undated'],
    ])
    t.strictSame(
      (await store.heads('pages', {})).items.map(({ key }) => key.id),
      ['about'],
    )
    t.strictSame((await store.kinds()).sort(), ['docs', 'media', 'pages', 'posts', 'settings', 'staff'])
    const again = await importInto(opened, 'jekyll', folder)
    t.match(again.records, { posts: { created: 0, updated: 0, kept: 0 }, staff: { same: 1 } })
  })
})

t.test('a site without a configuration comes by its posts, but for the texts of one that has it above', async (t) => {
  const texts = {
    'own/_posts/2020-01-02-hello.md': '---\n---\nHello.\n',
    'own/_drafts/plan.md': '---\n---\nPlan.\n',
    'none/a.md': '---\n---\n',
  }
  const folder = exportOf(t, { ...texts, 'all/_config.yml': 'source: src\n', 'all/src/_posts/2020-01-02-x.md': 'X.\n' })
  await eachStore(t, {}, async (t, opened) => {
    t.match(await importInto(opened, 'jekyll', join(folder, 'own')), { records: { posts: { created: 2 } }, drafts: 1 })
    const { fields } = (await opened.store.get(keyOf('posts', 'hello'))) ?? {}
    t.match(fields, { published_at: /^2020-01-02/ })
    for (const name of ['none', 'all/src'])
      await t.rejects(importInto(opened, 'jekyll', join(folder, name)), { message: /There is no site of Jekyll/ }, name)
  })
})

t.test('Liquid becomes what it stands for only where that is certain', (t) => {
  const naming = {
    postUrl: (name: string) => (name === 'a' ? '/posts/a.md' : undefined),
    link: (path: string) => `/${path}`,
    page: (name: string) => (name === 'title' ? 'T' : undefined),
    site: (name: string) => (name === 'repository' ? 'https://example.org/r' : undefined),
  }
  const cases: readonly (readonly [text: string, body: string, left: readonly string[]])[] = [
    ['{% raw %}{{ x }}{% endraw %}', '{{ x }}', []],
    ['{%- comment -%}x{% if %}{%- endcomment -%}y', 'y', []],
    ['a{% comment %}x{% comment %}y{% endcomment %}z{% endcomment %}b', 'ab', []],
    ['a{% comment %}x{% comment %}y{% endcomment %}b{{ page.title }}', 'abT', []],
    ['a{% # x %}b{%- # {{ y }}\n # z -%}c{% raw %}{% # d %}{% endraw %}{% # e', 'abc{% # d %}{% # e', []],
    ['{% raw %}{{ x }}', '{% raw %}{{ x }}', ['raw']],
    [
      '[#1]({{ site.repository }}/issues/1) {{ site.posts }}',
      '[#1](https://example.org/r/issues/1) {{ site.posts }}',
      ['{{ site.posts }}'],
    ],
    ['{% post_url b %}', '{% post_url b %}', ['post_url']],
    ['{{ page.title | upcase }}', '{{ page.title | upcase }}', ['{{ page.title }}']],
    ['{{ "/x" | prepend: site.baseurl }}', '/x', []],
    ['{{ site.baseurl }}{% post_url a %}', '/posts/a.md', []],
    ['{ { x } }', '{ { x } }', []],
  ]
  for (const [text, body, left] of cases) t.strictSame(withoutLiquid(text, naming), { body, left }, text)
  for (const part of [
    '{%',
    '{% #',
    '{% # %}',
    '{% comment %}',
    '{% comment %}{% endcomment %}',
    '{{',
    '{% a',
    `{% a${' '.repeat(1000)}`,
    '{% raw %}',
    '{% raw %}{% endraw %}',
    '{{ "a" |',
  ])
    t.ok(withoutLiquid(part.repeat(Math.ceil(300_000 / part.length)), naming), part.slice(0, 10))
  t.end()
})

t.test('ids that kramdown reads below headings are those of the headings', async (t) => {
  for (const [text, made] of [
    ['## 1.0 / 2013\n{: #v1-0}\n\ntext\n', '## 1.0 / 2013 {#v1-0}\n\ntext\n'],
    ['## a\r\n{: #b}\r\nc', '## a {#b}\r\nc'],
    ['```\n# a\n{: #b}\n```\n# c\n{:#d}', '```\n# a\n{: #b}\n```\n# c {#d}'],
    ['text\n{: #b}', 'text\n{: #b}'],
    ['# a\n{: .b}', '# a\n{: .b}'],
  ] as const)
    t.equal(withHeadingIds(text), made)
})
