import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { FORMATS } from '#config/schema/media.ts'
import { foreignComment } from '#features/site/checking/comments.ts'
import { Site } from '#features/site/site.ts'
import { makeSite } from '#support/sites.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({ posts: { permalink: '/blog/{slug}', template: 'post' } })

const BODY = `[ok](b.md) [ok](/blog/b/#x) [ok](/old) [ok](/) [ok](/blog) [ok](/tags/news) [ok](/feed.xml) [ok](/llms.txt) [ok](mailto:a@b.c)
[ok](https://elsewhere.org/gone) [ok](#here) [ok](https://example.org/blog/b) \`[no](/gone)\` [api](/api/docs)

> - [gone](/blog/gone "t") and [file](gone.md#x)
>   [draft](d.md) <a href="/blog/d">raw</a>

![p](/images/cat.png) ![q](cat.png) [whole](https://example.org/gone) [bad](/%zz) [r]

[r]: ../nowhere

[u](<{{ site.url }}/a.md>) ![v]({{site.url}}/v.png) [w](<{% post_url 2020-01-01-a %}>)

## Here
`

const FILES = {
  'content/posts/a.md': `---\ntitle: A\ntags: [news]\n---\n\n${BODY}`,
  'content/posts/b.md': '---\ntitle: B\naliases: [/old]\n---\nNo links: (a) <b>x</b>\n\n## X\n',
  'content/posts/d.md': '---\ntitle: D\nstatus: draft\n---\n[x](/gone)\n',
  'content/posts/data.yaml': 'title: Data\nbody: "[x](/gone/too)"\n',
  'content/menus/main.yaml':
    'items:\n  - record: { type: posts, id: a }\n  - record: { type: posts, id: zz }\n    children:\n      - { label: D, record: { type: posts, id: d } }\n      - { label: G, url: /gone }\n  - { label: E, url: "https://elsewhere.org" }\n  - { label: B, url: /blog/b }\n',
}

const TEMPLATES = {
  'templates/site/post.liquid':
    "{% layout 'layout' %}\n{% block main %}{%- render 'partials/mine' -%}\n  {% include \"partials/artcle\" %}{% endblock %}\n",
  'templates/site/partials/mine.liquid': "{% comment %}{% render 'not/meant' %}{% endcomment %}mine",
  'templates/site/partials/idle.liquid': 'idle',
  'templates/site/old-post.liquid': "{% render 'partials/idle' %}",
  'templates/stray.liquid': 'x',
  'templates/mail/code.txt.liquid': 'x',
  'templates/mail/coed.txt.liquid': 'x',
  'templates/README.md': '# Templates',
}

function siteOf(t: Test, opened: OpenedStore, files: Readonly<Record<string, string>>) {
  const folder = makeSite(files)
  t.teardown(() => folder.remove())
  const templates = fileURLToPath(new URL('../../../templates/', import.meta.url))
  return new Site({
    root: folder.root,
    store: opened.store,
    siteFiles: opened.siteFiles,
    types: opened.types,
    clock: opened.clock,
    config: {
      site: { name: 'S', url: 'https://example.org', locale: 'en', timezone: 'UTC', content: 'content', templates: 'templates' },
      build: { base_url: null, drafts: false, future: false },
      features: { sitemap: true, taxonomy: true, search: true },
      media: { types: FORMATS },
    },
    templatesDir: join(templates, 'site'),
    ownTemplatesDir: join(folder.root, 'templates', 'site'),
  })
}

t.test('links to parts of pages that are not there are told', (t) => {
  const a =
    '[ok](b.md#one) [ok](/blog/b#own) [ok](posts/b#one-1) [ok](#main) [ok](#top) [ok](#raw) [no](b.md#two) [no](#gone) [no](posts/c) [ok](/old#one) [no](/old#three)'
  const files = {
    'content/posts/a.md': `---\ntitle: A\n---\n${a}\n\n<a name="raw"></a>`,
    'content/posts/b.md': '---\ntitle: B\naliases: [/old]\n---\n# B\n\n## One\n\n## One\n\n## Two {#own}\n',
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const told = (await siteOf(t, opened, {}).remarks()).map(({ file, line, message }) => `${file} ${line} ${message}`)
    t.same(told, [
      'posts/a 4 The link "posts/c" leads to nothing on the site.',
      'posts/a 4 The link "b.md#two" leads to a part that posts/b does not have.',
      'posts/a 4 The link "#gone" leads to a part that posts/a does not have.',
      'posts/a 4 The link "/old#three" leads to a part that posts/b does not have.',
    ])
  })
})

t.test('links, pictures and items of menus that lead nowhere are told with their place, and nothing else is', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const site = siteOf(t, opened, {})
    const told = (await site.remarks()).map(({ file, line, column, message, severity }) => [
      file,
      line,
      column,
      message,
      severity,
    ])
    const at = (line: number, column: number, message: string) => ['posts/a', line, column, message, 'warning']
    const menu = (message: string) => ['menus/main', undefined, undefined, message, 'warning']
    t.same(told, [
      at(9, 12, 'The link "/blog/gone" leads to nothing on the site.'),
      at(9, 39, 'The link "gone.md#x" leads to no file of a record.'),
      at(10, 13, 'The link "d.md" leads to posts/d, which has no page now.'),
      at(10, 28, 'The link "/blog/d" leads to posts/d, which has no page now.'),
      at(12, 6, 'The picture "/images/cat.png" leads to nothing on the site.'),
      at(12, 28, 'The picture "cat.png" leads to no file.'),
      at(12, 45, 'The link "https://example.org/gone" leads to nothing on the site.'),
      at(12, 77, 'The link "/%zz" is badly percent-encoded.'),
      at(14, 6, 'The link "../nowhere" leads to nothing on the site.'),
      at(16, 6, 'The link "{{ site.url }}/a.md" has a tag of another tool, which stays as it is.'),
      at(16, 33, 'The picture "{{site.url}}/v.png" has a tag of another tool, which stays as it is.'),
      at(16, 58, 'The link "{% post_url 2020-01-01-a %}" has a tag of another tool, which stays as it is.'),
      ['posts/data', undefined, undefined, 'The link "/gone/too" leads to nothing on the site.', 'warning'],
      menu('An item leads to posts/zz, which is not there.'),
      menu('An item leads to posts/d, which has no page now.'),
      menu('The item "/gone" leads to nothing on the site.'),
    ])
  }),
)

t.test('fields of the type url that lead nowhere are told as well', (t) => {
  const link = { type: 'url' } as const
  const types = plainTypes({
    posts: { permalink: '/blog/{slug}', fields: { link, all: { type: 'list', of: { type: 'object', fields: { to: link } } } } },
  })
  const good = ['/blog/b', './b.md', '../posts/b.md#x', 'https://example.org/blog/b?x', 'https://elsewhere.org/gone', './cat.png']
  const files = {
    'content/posts/a.md': `---\ntitle: A\nlink: /gone\nall: [${[...good, './c.md', '/blog/d', 'https://example.org/none', 'none'].map((to) => `{ to: "${to}" }`).join()}]\n---\n`,
    'content/posts/b.md': '---\ntitle: B\n---\n',
    'content/posts/d.md': '---\ntitle: D\ndraft: true\nlink: /gone\n---\n',
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    t.same(
      (await siteOf(t, opened, {}).remarks()).map(({ file, message }) => [file, message]),
      [
        'The link "/gone" leads to nothing on the site.',
        'The link "./c.md" leads to no file of a record.',
        'The link "/blog/d" leads to posts/d, which has no page now.',
        'The link "https://example.org/none" leads to nothing on the site.',
      ].map((message) => ['posts/a', message]),
    )
  })
})

t.test('a file that lies where it is looked for is there, and no other', (t) =>
  eachStore(
    t,
    {
      files: {
        'content/posts/a.md': '![a](/images/a.png) ![b](/images/b.png) ![c](c.png?x) ![d](x/d.png)\n',
        'content/posts/b/index.md':
          '![](c.png) ![](../c.png) ![](/blog/b/c.png) ![](../d/e.png) ![](f.zip) ![](../../../c.png) ![](../../media/x.png)\n',
        'content/posts/d/index.md': '---\ndraft: true\n---\n',
      },
      beside: {
        ...{ 'static/images/a.png': 'x', 'content/posts/c.png': 'x', 'content/posts/b/c.png': 'x' },
        ...{ 'content/posts/d/e.png': 'x', 'content/posts/b/f.zip': 'x' },
      },
      types,
    },
    async (t, opened) => {
      const site = siteOf(t, opened, {})
      t.same(
        (await site.remarks()).map(({ message, hint }) => [message, hint]),
        [
          [
            'The picture "/images/b.png" leads to nothing on the site.',
            'Put a file at static/images/b.png, correct it, or take it out.',
          ],
          ['The picture "x/d.png" leads to no file.', 'Put it at content/posts/x/d.png, or correct the link.'],
          [
            'The picture "../d/e.png" leads to a file that belongs to what has no page now.',
            'Publish that record, or put the file elsewhere.',
          ],
          ['The picture "f.zip" leads to nothing on the site.', 'Put a file at static/blog/f.zip, correct it, or take it out.'],
          [
            'The picture "../../../c.png" leads to nothing on the site.',
            'Put a file at static/c.png, correct it, or take it out.',
          ],
        ],
      )
    },
  ),
)

t.test('templates that nothing uses, and names of templates that are not there', (t) =>
  eachStore(t, { files: {}, types }, async (t, opened) => {
    const told = (await siteOf(t, opened, TEMPLATES).remarks()).map(({ file, line, column, message, hint }) => [
      file,
      line,
      column,
      message,
      hint,
    ])
    t.match(told, [
      ['templates/site/post.liquid', 3, 3, 'There is no template "partials/artcle".', "Did you mean 'partials/article'?"],
      ['templates/site/old-post.liquid', undefined, undefined, 'Nothing uses this template.', /template: old-post/],
      ['templates/site/partials/idle.liquid', undefined, undefined, 'Nothing uses this template.', /render 'partials\/idle'/],
      ['templates/mail/coed.txt.liquid', undefined, undefined, 'Nothing uses this template.', /site\//],
      ['templates/stray.liquid', undefined, undefined, 'Nothing uses this template.', /site\//],
    ])
    t.equal(told.length, 5)
    t.same(await siteOf(t, opened, { 'templates/README.md': 'x' }).remarks(), [], 'the templates of Quire itself are in order')
  }),
)

t.test('looking for comments takes time in proportion to the text', async (t) => {
  const parts = ['{#', '{# ', ' %%', '%%', '{>>', '{{<', '{%', '`', '{%\n', '%%a\n', '{#\n', '{{!', '{', ' ']
  for (const part of parts) {
    const before = process.cpuUsage()
    foreignComment(`x ${part.repeat(1_000_000 / part.length)} {`)
    t.ok(process.cpuUsage(before).user < 1_000_000, JSON.stringify(part))
  }
})
