import t from 'tap'
import { longTest } from '#support/long.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({
  posts: {
    permalink: '/blog/{slug}',
    fields: {
      cover: { type: 'media' },
      link: { type: 'url' },
      gallery: { type: 'list', of: { type: 'object', fields: { picture: { type: 'media' }, word: { type: 'text' } } } },
    },
  },
  wild: { html: 'trusted' },
  authors: { permalink: null },
})

const LINKS = `
![](cat.jpg) ![](./cat.jpg?x#y) ![](../cat.jpg) ![](pics/cat%20x.jpg) ![](<pics/cat x.jpg>) [paper](paper.pdf) [ref]

[ref]: cat.webp

![](../../media/2026/photo.jpg) ![](../draft/cat.jpg) ![](../../authors/ada.jpg) ![](../../../out.jpg) ![](_cat.jpg)

[other](other.md) [site](/static.jpg) [page](elsewhere) [text](notes.md.txt)
`

const RAW = `
<img src="cat.jpg" srcset="cat.jpg 1x, pics/cat%20x.jpg 2x, https://example.org/c.jpg 3x">
<video src="film.mp4" poster="cat.png"><source src='film.webm'><track src="x.vtt"></video>
<picture><source srcset="../cat.avif"><img src=cat.jpg alt="x"></picture> <a href="a &amp; b.pdf">paper</a>
`

const FILES = {
  'content/posts/trip/index.md': `---
title: Trip
slug: journey
published_at: 2026-01-02T00:00:00Z
cover: cat.jpg
link: paper.pdf
gallery:
  - picture: pics/my cat.jpg
    word: cat.jpg
  - picture: 2026/photo.jpg
  - picture: /media/2026/photo.jpg
  - picture: https://example.org/c.jpg
---
${LINKS}${'x '.repeat(10)}`,
  'content/posts/plain.md': `---\ntitle: Plain\npublished_at: 2026-01-03T00:00:00Z\ncover: ../posts/cat.jpg\nlink: /cat.jpg\n---\n${LINKS}`,
  'content/posts/raw/index.md': `---\ntitle: Raw\npublished_at: 2026-01-01T00:00:00Z\n---\n${RAW}`,
  'content/posts/long/index.md': `---\ntitle: Long\n---\n${LINKS}${'word '.repeat(8000)}`,
  'content/posts/draft/index.md': '---\ntitle: Draft\nslug: secret-slug\ndraft: true\n---\n',
  'content/posts/other.md': '---\ntitle: Other\n---\n',
  'content/wild/x/index.md': `---\ntitle: Wild\n---\n${RAW}\n<a href="/plain">same</a> <img data-x="cat.jpg" src="http://x/cat.jpg"> <img src="caf&eacute;.jpg">\n\n![](cat.jpg) <img src="'.jpg">\n`,
  'content/index.md': '---\ntitle: Home\n---\n![](home.png)\n\n![](posts/trip/cat.jpg)\n',
  'content/about.md': '---\ntitle: About\n---\n![](team.png) ![](posts/plain.jpg)\n',
  'content/media/2026/photo.jpg.yaml': 'alt: A photo\n',
}

const addresses = (html: string) =>
  [...html.matchAll(/\b(?:src|href|poster|srcset)=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g)].map(([, ...found]) =>
    found.find(Boolean),
  )

longTest('links to files lead to their addresses', (t) =>
  eachStore(t, { files: FILES, types, now: '2026-01-15T00:00:00Z' }, async (t, { store, clock }) => {
    const templates = {
      'templates/site/post.liquid': '{{ record.html | raw }}',
      'templates/site/record.liquid': '{{ record.html | raw }}',
    }
    const { html } = publicSite(t, { store, types, clock }, false, { files: templates })
    const inBundle = [
      ...['/blog/journey/cat.jpg', '/blog/journey/cat.jpg?x#y', '/posts/cat.jpg', '/blog/journey/pics/cat%20x.jpg'],
      ...['/blog/journey/pics/cat%20x.jpg', '/blog/journey/paper.pdf', '/blog/journey/cat.webp', '/media/2026/photo.jpg'],
      ...[
        '/draft/cat.jpg',
        '/authors/ada.jpg',
        '/out.jpg',
        '/blog/_cat.jpg',
        '/blog/other',
        '/static.jpg',
        '/blog/elsewhere',
        '/blog/journey/notes.md.txt',
      ],
    ]
    t.same(addresses(await html('/blog/journey')), inBundle)
    t.same(
      addresses(await html('/blog/plain')).slice(0, 4),
      ['/posts/cat.jpg', '/posts/cat.jpg?x#y', '/cat.jpg', '/posts/pics/cat%20x.jpg'],
      'beside a record without a folder are those of the type',
    )
    t.notMatch(await html('/blog/plain'), 'secret-slug')
    t.same(addresses(await html('/blog/long')).slice(0, 2), ['/blog/long/cat.jpg', '/blog/long/cat.jpg?x#y'], 'made in a thread')
    const raw = [
      ...['/blog/raw/cat.jpg', '/blog/raw/cat.jpg 1x, /blog/raw/pics/cat%20x.jpg 2x, https://example.org/c.jpg 3x'],
      ...[
        '/blog/raw/film.mp4',
        '/blog/raw/cat.png',
        '/blog/raw/film.webm',
        '/blog/x.vtt',
        '/posts/cat.avif',
        '/blog/raw/cat.jpg',
        '/blog/raw/a%20&amp;%20b.pdf',
      ],
    ]
    t.same(addresses(await html('/blog/raw')), raw)
    const wild = raw.map((one) =>
      one.replace('/blog/x.vtt', 'x.vtt').replaceAll('/blog/raw/', '/wild/x/').replace('/posts/', '/wild/'),
    )
    t.same(addresses(await html('/wild/x')), [
      ...wild,
      '/plain',
      'http://x/cat.jpg',
      'caf&eacute;.jpg',
      '/wild/x/cat.jpg',
      '/wild/x/&#39;.jpg',
    ])
    t.match(await html('/wild/x'), 'data-x="cat.jpg"')
    t.match(await html('/about'), /src="\/team\.png"[\s\S]*src="\/posts\/plain\.jpg"/)
    t.match(await html('/'), /src="\/home\.png"[\s\S]*src="\/blog\/journey\/cat\.jpg"/)
    const feed = await html('/feed.xml')
    t.match(feed, 'src=&quot;https://example.org/blog/journey/cat.jpg&quot;')
    t.match(feed, 'https://example.org/blog/raw/cat.jpg 1x, https://example.org/blog/raw/pics/cat%20x.jpg 2x')
    t.notMatch(feed, /(?:src|href)=&quot;\//)
  }),
)

t.test('templates get the addresses of the files that fields name, and the API what the file holds', (t) =>
  eachStore(t, { files: FILES, types, now: '2026-01-15T00:00:00Z' }, async (t, { store, clock }) => {
    const files = { 'templates/site/record.liquid': '{{ record.fields | json | raw }}' }
    const { html } = publicSite(t, { store, types, clock }, false, { files })
    const fields = JSON.parse((await html('/blog/journey')).trim())
    t.match(fields, {
      cover: '/blog/journey/cat.jpg',
      link: '/blog/journey/paper.pdf',
      gallery: [
        { picture: '/blog/journey/pics/my%20cat.jpg', word: 'cat.jpg' },
        { picture: '/media/2026/photo.jpg' },
        { picture: '/media/2026/photo.jpg' },
        { picture: 'https://example.org/c.jpg' },
      ],
    })
    t.match(JSON.parse((await html('/blog/plain')).trim()), { cover: '/posts/cat.jpg', link: '/cat.jpg' })
  }),
)
