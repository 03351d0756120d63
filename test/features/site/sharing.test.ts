import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { settingsOf } from '#core/settings.ts'
import { TestApp } from '#support/app.ts'
import { longTest } from '#support/long.ts'
import { publicSite } from '#support/public-site.ts'
import { BY } from '#support/signing-in.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/index.md': '---\ntitle: Welcome\n---\nHello there.\n',
  'content/about.md': '---\ntitle: About\nnoindex: true\n---\nUs.\n',
  'content/posts/beside.md':
    '---\ntitle: Beside\ndate: 2026-01-02\ntags: [x, "a & b"]\nauthor: ada\nexcerpt: In short\ncover: cat.jpg\n---\n![dog](dog.png)\n',
  'content/posts/first.md':
    '---\ntitle: First\ndate: 2026-01-03\n---\n![](data:image/png;base64,xx)\n\n![A "dog"](/dog.png)\n\n![](x.png)\n',
  'content/posts/object.md': '---\ntitle: O\ncover: { image: "https://cdn.example/a b.jpg", alt: Seen, hidden: zq }\n---\n',
  'content/posts/media.md': '---\ntitle: M\nimage: 2026/photo.jpg\n---\n',
  'content/posts/none.md': '---\ntitle: N\ncover: javascript:alert(1)\n---\nText.\n',
  'content/authors/ada.md': '---\ntitle: Ada\n---\n',
  'content/media/2026/photo.jpg.yaml': 'alt: On the sidecar\n',
  'content/settings/site.yaml': 'logo: /logo.png\ndescription: About cats & "dogs"\n',
}
const BESIDE = { 'content/posts/cat.jpg': 'cat', 'content/media/2026/photo.jpg': await photo() }

function photo(): Promise<Buffer> {
  return sharp({ create: { width: 1600, height: 1200, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer()
}

function siteOn(t: Test, opened: OpenedStore, search = false) {
  const names = {
    name: 'S',
    url: 'https://example.org/repo',
    locale: 'en-GB',
    timezone: 'UTC',
    content: 'content',
    templates: 'templates',
  }
  const app = new TestApp(opened, { config: { features: { api: true, media: true } }, deps: { privateDir: t.testdir() } })
  t.teardown(() => app.close())
  return publicSite(t, opened, search, {
    media: () => app.features.media.copies,
    siteFiles: opened.siteFiles,
    settings: settingsOf({}),
    config: {
      site: names,
      build: { base_url: null, drafts: false, future: false },
      features: { sitemap: true, taxonomy: true, search },
      media: { types: ['jpeg', 'png'] },
    },
  })
}

/** What a page says of itself in its head: properties in their order, and its JSON-LD. */
function saidIn(html: string) {
  const tags = [...html.matchAll(/<meta (?:property|name)="((?:og|article|twitter):[^"]+)" content="([^"]*)">/g)]
  const [, json = 'null'] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? []
  const [, canonical] = /<link rel="canonical" href="([^"]*)">/.exec(html) ?? []
  return { tags: tags.map(([, name, value]) => `${name}=${value}`), graph: JSON.parse(json)?.['@graph'], canonical }
}

t.test('a page says what it is, to those who show links to it and to search engines', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types: plainTypes(), now: '2026-02-01T00:00:00Z' }, async (t, opened) => {
    const { html } = siteOn(t, opened, true)
    const post = saidIn(await html('/posts/beside'))
    const [, modified = ''] = /article:modified_time=(.*)/.exec(post.tags.join('\n')) ?? []
    t.strictSame(post.tags, [
      'og:title=Beside',
      'og:type=article',
      'og:url=https://example.org/repo/posts/beside',
      'og:site_name=S',
      'og:locale=en_GB',
      'og:description=In short',
      'og:image=https://example.org/repo/posts/cat.jpg',
      'article:published_time=2026-01-02T00:00:00.000Z',
      `article:modified_time=${modified}`,
      'article:tag=x',
      'article:tag=a &amp; b',
      'twitter:card=summary_large_image',
    ])
    t.equal(post.canonical, 'https://example.org/repo/posts/beside')
    t.strictSame(post.graph, [
      {
        '@type': 'BlogPosting',
        url: 'https://example.org/repo/posts/beside',
        mainEntityOfPage: 'https://example.org/repo/posts/beside',
        headline: 'Beside',
        description: 'In short',
        image: 'https://example.org/repo/posts/cat.jpg',
        datePublished: '2026-01-02T00:00:00.000Z',
        dateModified: modified,
        author: [{ '@type': 'Person', name: 'Ada', url: 'https://example.org/repo/authors/ada' }],
        keywords: ['x', 'a & b'],
        inLanguage: 'en-GB',
        isPartOf: { '@type': 'WebSite', name: 'S', url: 'https://example.org/repo/' },
      },
      {
        '@type': 'BreadcrumbList',
        itemListElement: [
          { '@type': 'ListItem', position: 1, name: 'S', item: 'https://example.org/repo/' },
          { '@type': 'ListItem', position: 2, name: 'Posts', item: 'https://example.org/repo/posts' },
          { '@type': 'ListItem', position: 3, name: 'Beside', item: 'https://example.org/repo/posts/beside' },
        ],
      },
    ])
    const home = saidIn(await html('/'))
    t.ok(
      home.tags.includes('og:description=About cats &amp; &#34;dogs&#34;') || home.tags.includes('og:description=Hello there.'),
    )
    t.match(home.graph, [
      {
        '@type': 'WebSite',
        url: 'https://example.org/repo/',
        description: 'About cats & "dogs"',
        potentialAction: { target: { urlTemplate: 'https://example.org/repo/search?q={search_term_string}' } },
      },
    ])
    const hidden = saidIn(await html('/about'))
    t.match(hidden, { graph: undefined, canonical: 'https://example.org/repo/about' })
    const missing = saidIn(await html('/nothing'))
    t.match(missing, { graph: undefined, canonical: undefined })
    t.notOk(missing.tags.some((tag) => tag.startsWith('og:url')))
    for (const path of ['/posts', '/tags/x', '/tags', '/posts/first'])
      t.equal(saidIn(await html(path)).canonical, `https://example.org/repo${path}`)
  }),
)

longTest('the picture of a page is the one its record names, else the first of its text, else the logo', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types: plainTypes(), now: '2026-02-01T00:00:00Z' }, async (t, opened) => {
    const { html, site, folder } = siteOn(t, opened)
    const picture = async (path: string) =>
      saidIn(await html(path))
        .tags.filter((tag) => /^og:image|twitter/.test(tag))
        .map((tag) => tag.replace(/^og:|^twitter:/, ''))
    t.strictSame(await picture('/posts/first'), [
      'image=https://example.org/repo/dog.png',
      'image:alt=A &#34;dog&#34;',
      'card=summary_large_image',
    ])
    t.strictSame(await picture('/posts/object'), [
      'image=https://cdn.example/a%20b.jpg',
      'image:alt=Seen',
      'card=summary_large_image',
    ])
    t.strictSame(await picture('/posts/media'), [
      'image=https://example.org/repo/media/2026/photo.jpg',
      'image:width=1600',
      'image:height=1200',
      'image:alt=On the sidecar',
      'card=summary_large_image',
    ])
    for (const path of ['/posts/none', '/posts', '/tags/x'])
      t.strictSame(await picture(path), ['image=https://example.org/repo/logo.png', 'card=summary'], path)
    const built = () => readFileSync(folder.path('public/posts/media/index.html'), 'utf8')
    await site.build('public')
    t.match(built(), 'image:alt" content="On the sidecar"')
    await opened.store.write([{ key: keyOf('media', '2026~photo.jpg'), put: { set: { alt: 'Another' } } }], BY)
    await site.build('public')
    t.match(built(), 'image:alt" content="Another"', 'a page is made again when the sidecar of its picture changes')
  }),
)

t.test('no title gets out of the head of its page', async (t) => {
  const parts = fc.constantFrom(
    '</script>',
    '<script>',
    '<!--',
    '-->',
    '"',
    "'",
    '\\',
    '&',
    '\u2028',
    '\n',
    ']]>',
    '{{',
    'a',
    '</title>',
  )
  const titles = fc.sample(fc.array(parts, { minLength: 1, maxLength: 8 }), 30).map((all) => all.join(''))
  const fields = (title: string) => ({
    title,
    date: '2026-01-01',
    excerpt: title,
    tags: [title],
    author: title,
    cover: { src: '/a.png', alt: title },
  })
  const files = Object.fromEntries(
    titles.map((title, n) => [`content/posts/p${n}.md`, `---json\n${JSON.stringify(fields(title))}\n---\n`]),
  )
  await eachStore(t, { files, types: plainTypes(), now: '2026-02-01T00:00:00Z' }, async (t, opened) => {
    const { html } = siteOn(t, opened)
    for (const [n, title] of titles.entries()) {
      const page = await html(`/posts/p${n}`)
      const { graph } = saidIn(page)
      t.equal(graph[0].headline, title.trim() === '' ? graph[0].headline : title)
      t.equal(page.match(/<script/g)?.length, 1)
      t.equal(page.match(/<\/head>/g)?.length, 1)
    }
  })
})
