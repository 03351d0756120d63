import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { longTest } from '#support/long.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'

const HEAD = '---\ntitle: T\ndate: 2024-01-01\nexcerpt: In short\n---\n'

longTest('the feed holds a text whole, and one that is long by its excerpt', (t) => {
  const files = {
    'content/posts/short.md': `${HEAD}Whole & sound.\n`,
    'content/posts/long.md': `${HEAD}${'A word. '.repeat(10_000)}\n`,
    'content/posts/left.md': `${HEAD}<!-- ${'A word. '.repeat(10_000)} -->\n\nShort.\n`,
    'content/posts/grows.md': `${HEAD}${'|a|b|\n|-|-|\n'}${'|a|b|\n'.repeat(5_000)}`,
  }
  return eachStore(t, { files }, async (t, opened) => {
    const { html } = publicSite(t, opened)
    const xml = await html('/feed.xml')
    const entries = new Map(xml.split('<entry>').map((entry) => [/posts\/(\w+)/.exec(entry)?.[1], entry]))
    t.match(entries.get('short'), '<content type="html">&lt;p&gt;Whole &amp;amp; sound.&lt;/p&gt;')
    for (const id of ['long', 'left', 'grows']) {
      t.match(entries.get(id), '<summary>In short</summary>')
      t.notMatch(entries.get(id), '<content')
    }
    t.ok(xml.length < 10_000, `${xml.length} characters`)
  })
})

const NEWS = {
  'content/index.md': '---\ntitle: Home\n---\n',
  'content/posts/new.md':
    '---\ntitle: "New & <old>"\ndate: 2026-01-02T10:00:00Z\ntags: [x, "a/b"]\nauthor: Ada\n---\nSee [old](old.md).\n',
  'content/posts/old.md': '---\ntitle: Old\ndate: 2025-12-31\n---\n',
  'content/posts/draft.md': '---\ntitle: Secret\ndraft: true\ndate: 2026-01-03\ntags: [x]\n---\n',
  'content/things/one.md': '---\ntitle: Undated\ntags: [y]\n---\n',
}
const FORMS = ['feed.xml', 'rss.xml', 'feed.json']

t.test('site, lists and terms have feeds in three forms', (t) =>
  eachStore(t, { files: NEWS }, async (t, opened) => {
    const { site, html } = publicSite(t, opened)
    for (const [place, title, page] of [
      ['', 'Site', 'https://example.org/'],
      ['/posts', 'Posts · Site', 'https://example.org/posts'],
      ['/tags/x', 'x · Site', 'https://example.org/tags/x'],
    ]) {
      const [atom = '', rss = '', json = ''] = await Promise.all(FORMS.map((file) => html(`${place}/${file}`)))
      for (const text of [atom, rss, json]) {
        t.notMatch(text, 'Secret')
        t.match(text, 'https://example.org/posts/new')
      }
      const feed = JSON.parse(json)
      t.match(feed, {
        version: 'https://jsonfeed.org/version/1.1',
        title,
        home_page_url: page,
        feed_url: `${page?.replace(/\/$/, '')}/feed.json`,
      })
      t.match(feed.items[0], {
        title: 'New & <old>',
        date_published: '2026-01-02T10:00:00.000Z',
        authors: [{ name: 'Ada' }],
        tags: ['x', 'a/b'],
      })
      t.equal(feed.items[0].content_html !== undefined, place !== '/tags/x', 'terms have excerpts')
      t.match(atom, `<title>${title}</title>`)
      t.match(atom, '<category term="a/b"/>')
      t.match(rss, `<link>${page}</link>`)
      t.match(rss, '<title>New &amp; &lt;old&gt;</title>')
      t.match(rss, '<pubDate>Fri, 02 Jan 2026 10:00:00 GMT</pubDate>')
      t.match(rss, '<dc:creator>Ada</dc:creator>')
    }
    t.match(await html('/feed.json'), 'href=\\"https://example.org/posts/old\\"', 'links are whole')
    for (const path of [
      '/things/feed.xml',
      '/tags/y/rss.xml',
      '/tags/none/feed.json',
      '/posts/new/feed.xml',
      '/posts/page/2/feed.xml',
    ])
      t.equal((await site.page(path)).status, 404, path)
    const types = await Promise.all(FORMS.map(async (file) => (await site.page(`/posts/${file}`)).contentType))
    t.strictSame(
      types,
      ['application/atom+xml', 'application/rss+xml', 'application/feed+json'].map((type) => `${type}; charset=utf-8`),
    )
  }),
)

t.test('each page that has feeds links them, and all link that of the site', (t) =>
  eachStore(t, { files: NEWS }, async (t, opened) => {
    const { html } = publicSite(t, opened)
    const feeds = async (path: string) =>
      [...(await html(path)).matchAll(/<link rel="alternate" type="[^"]*" title="([^"]*)" href="([^"]*)"/g)].map(
        ([, title, href]) => `${title} ${href}`,
      )
    t.strictSame(
      await feeds('/'),
      FORMS.map((file) => `Site /${file}`),
    )
    t.strictSame(await feeds('/tags/x'), [...FORMS.map((file) => `x · Site /tags/x/${file}`), 'Site /feed.xml'])
    t.strictSame(await feeds('/things'), ['Site /feed.xml'])
    t.strictSame(await feeds('/posts/new'), ['Site /feed.xml'])
  }),
)

t.test('a record at the address of a feed is shown there', (t) =>
  eachStore(
    t,
    { files: { ...NEWS, 'content/mine.md': '---\ntitle: Mine\npermalink: /posts/feed.json\n---\n' } },
    async (t, opened) => {
      const { html, site, folder } = publicSite(t, opened)
      t.match(await html('/posts/feed.json'), '<h1>Mine</h1>')
      const report = await site.build('public')
      t.strictSame(report.problems, [])
      t.match(readFileSync(folder.path('public/posts/rss.xml'), 'utf8'), '<rss version="2.0"')
      t.equal(existsSync(folder.path('public/tags/y')), true)
      t.equal(existsSync(folder.path('public/tags/y/feed.xml')), false)
    },
  ),
)

t.test('links of an entry to its own parts lead to its page', (t) => {
  const files = {
    'content/posts/a b.md': `${HEAD}See [below](#part "#x") and <a class="x" href="#part">this</a>.\n\n## Part\n\n\`<a href="#code">\`\n`,
  }
  return eachStore(t, { files }, async (t, opened) => {
    const { html } = publicSite(t, opened)
    const [{ url, content_html: text }] = JSON.parse(await html('/feed.json')).items
    t.match(text, `<a href="${url}#part" title="#x">below</a> and <a href="${url}#part">this</a>`)
    t.match(text, /<h2 id="part">Part<\/h2>/, 'without the sign that leads to itself')
    t.match(text, /&lt;a href="#code"/)
  })
})
