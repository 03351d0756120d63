import t from 'tap'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({ posts: { additional_fields: true }, things: { permalink: null } }, 'Asia/Tokyo')
const FILES = {
  'content/index.md': '---\ntitle: Home\n---\n',
  'content/posts/a.md': '---\ntitle: A & B\ndate: 2026-01-01T20:00:00Z\nintro: "*Hi* [b](b.md) <script>alert(1)</script>"\n---\n',
  'content/things/one.yaml': 'title: Thing\n',
  'content/posts/b.md': '---\ntitle: B\nslug: bee\ndate: 2026-01-02\n---\n',
}

/** Texts that templates make, at the page of a record. */
const CASES: readonly (readonly [template: string, text: string | RegExp])[] = [
  ['{{ record.fields.intro | markdown }}', '<p><em>Hi</em> <a href="/docs/posts/bee">b</a> </p>\n'],
  ['{{ "# One\n\ntwo" | markdown }}', /^<h2 id="one"/],
  ['{{ nothing | markdown }}', ''],
  ['{{ "A *text* with `code`, and more of it" | excerpt: 20 }}', 'A text with code…'],
  [
    '{{ "/about" | url }} {{ "https://x.example/a" | url }} {{ "//cdn.example/a" | url }} {{ "#a" | url }}',
    '/docs/about https://x.example/a //cdn.example/a #a',
  ],
  [
    '{{ record.url | url }} {{ record | absolute_url }} {{ "/docs" | url }}',
    '/docs/posts/a https://example.org/docs/posts/a /docs',
  ],
  ['{{ "/a" | absolute_url }} {{ "mailto:a@b.c" | absolute_url }}', 'https://example.org/docs/a mailto:a@b.c'],
  ['{{ record.title | json | raw }}', '"A \\u0026 B"'],
  ['{{ record.fields.intro | json | raw }}', /\\u003cscript\\u003e/],
  ['{{ nothing | json }}', 'null'],
  ['{{ record.published_at | date: "%Y-%m-%d %H:%M" }} {{ record.published_at | day }}', '2026-01-02 05:00 January 2, 2026'],
  ['{{ "page_of" | t: page: 1, pages: 2 }} {{ "pages_found" | t: count: 1 }} {{ "no such" | t }}', 'Page 1 of 2 1 page no such'],
  ['{% for p in site.records.things %}{{ p.title }}|{{ p.url }}{% endfor %}', 'Thing|'],
  ['{{ "pages_found" | forms | json | raw }}', '{"one":"{count} page","other":"{count} pages"}'],
  ['{% assign by = site.records.posts | group_by: "type" %}{{ by[0].name }}={{ by[0].items.size }}', 'posts=2'],
  ['{% assign one = site.records.posts | where: "title", "B" %}{{ one[0].url }}', '/docs/posts/bee'],
]

t.test('filters make texts, addresses and dates of what is given to them', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const config = {
      site: {
        name: 'Site',
        url: 'https://example.org/docs',
        locale: 'en',
        timezone: 'Asia/Tokyo',
        content: 'content',
        templates: 'templates',
      },
      build: { base_url: null, drafts: false, future: false },
      features: { sitemap: true, taxonomy: true, search: false },
      media: { types: [] },
    }
    const all = CASES.map(([template]) => template).join('@@@')
    const { html } = publicSite(t, opened, false, { config, files: { 'templates/site/record.liquid': all } })
    const texts = (await html('/docs/posts/a')).split('@@@')
    for (const [n, [template, text]] of CASES.entries())
      if (typeof text === 'string') t.equal(texts[n], text, template)
      else t.match(texts[n], text, template)
  }),
)

t.test('Markdown within a template has a limit, and what it links to is known to a build', (t) =>
  eachStore(
    t,
    { files: { ...FILES, 'content/posts/long.md': `---\ntitle: Long\nintro: ${'x'.repeat(16 * 1024 + 1)}\n---\n` }, types },
    async (t, opened) => {
      const files = { 'templates/site/record.liquid': '{{ record.fields.intro | markdown }}' }
      const { html } = publicSite(t, opened, false, { files })
      await t.rejects(html('/posts/long'), { message: /over 16 KiB/, file: 'templates/site/record.liquid' })
      t.match(await html('/posts/a'), 'href="/posts/bee"')
    },
  ),
)
