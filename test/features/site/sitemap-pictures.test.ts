import { existsSync, readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { settingsOf } from '#core/settings.ts'
import { sitemaps } from '#features/site/feeds/sitemap.ts'
import type { Entry } from '#features/site/outline/entry.ts'
import type { SiteSnapshot } from '#features/site/outline/site-snapshot.ts'
import type { Fields } from '#lib/json.ts'
import { TestApp } from '#support/app.ts'
import { sitemapFaults } from '#support/feed-faults.ts'
import { longTest } from '#support/long.ts'
import { publicSite } from '#support/public-site.ts'
import { BY } from '#support/signing-in.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { elementsOf, xmlOf } from '#support/xml.ts'

const ORIGIN = 'https://example.org'
const SITE = `${ORIGIN}/repo`
const MINUTE = 60_000

const post = (front: string, body = 'Text.') => `---\ntitle: T\ndate: 2026-01-02\n${front}\n---\n${body}\n`
const FILES = {
  'content/index.md': '---\ntitle: Welcome\ncover: /top.png\n---\nHello.\n',
  'content/posts/beside.md': post('cover: a cat.jpg'),
  'content/posts/media.md': post('image: 2026/photo.jpg'),
  'content/posts/declared.md': post('images: [{ src: 2026/photo.jpg }, /top.png]'),
  'content/posts/elsewhere.md': post('cover: { image: "https://cdn.example/a b.jpg?x=1&y=2", alt: Zq }'),
  'content/posts/static.md': post('cover: /repo/top.png'),
  'content/posts/whole.md': post(`cover: ${SITE}/top.png`),
  'content/posts/own/index.md': post('cover: own.png'),
  'content/posts/first.md': post('weight: 1', '![](/top.png)'),
  'content/posts/gone.md': post('cover: gone.png\nimage: /top.png'),
  'content/posts/gone-media.md': post('cover: 2026/gone.jpg'),
  'content/posts/gone-static.md': post('cover: /gone.png'),
  'content/posts/text.md': post('cover: /notes.txt'),
  'content/posts/page.md': post('cover: /odd.png'),
  'content/odd.md': '---\ntitle: Odd\npermalink: /odd.png\n---\n',
  'content/posts/of-draft.md': post('cover: ../hidden/secret.png'),
  'content/posts/of-draft-2.md': post('cover: /hidden/secret.png'),
  'content/posts/of-draft-3.md': post('cover: /posts/draft/secret.png'),
  'content/posts/draft/index.md': post('cover: secret.png\ndraft: true'),
  'content/hidden/index.md': post('cover: secret.png\ndraft: true'),
  'content/posts/later.md': `---\ntitle: L\ndate: 2027-01-01\ncover: /later.png\n---\n`,
  'content/posts/noindex.md': post('cover: /noindex.png\nnoindex: true'),
  'content/posts/unlisted.md': post('cover: /unlisted.png\nunlisted: true'),
  'content/posts/script.md': post('cover: javascript:alert(1)'),
  'content/posts/data.md': post('cover: "data:image/png;base64,xx"'),
  'content/posts/empty.md': post('cover: " "\nimage: ""\nimages: [[x]]'),
  'content/posts/long.md': post(`cover: https://cdn.example/${'x'.repeat(2048)}.png\nimage: /top.png`),
  'content/posts/api.md': post('cover: /api/x.png'),
}
const BESIDE = {
  ...Object.fromEntries(
    ['posts/a cat.jpg', 'posts/own/own.png', 'posts/draft/secret.png', 'hidden/secret.png', 'media/2026/photo.jpg'].map(
      (path) => [`content/${path}`, 'picture'],
    ),
  ),
  ...Object.fromEntries(
    ['top.png', 'notes.txt', 'odd.png', 'later.png', 'noindex.png', 'unlisted.png', 'api/x.png'].map((path) => [
      `static/${path}`,
      'picture',
    ]),
  ),
}
/** The pictures that a sitemap names, by page. */
const NAMED = {
  '/': '/top.png',
  '/posts/beside': '/posts/a%20cat.jpg',
  '/posts/media': '/media/2026/photo.jpg',
  '/posts/declared': '/media/2026/photo.jpg',
  '/posts/elsewhere': 'https://cdn.example/a%20b.jpg?x=1&y=2',
  '/posts/static': '/top.png',
  '/posts/whole': '/top.png',
  '/posts/own': '/posts/own/own.png',
}

/** The site of a store, whose files can be counted and be gone. */
function siteOn(t: Test, opened: OpenedStore) {
  const gone = new Set<string>()
  const looked: string[] = []
  const { siteFiles: own } = opened
  const siteFiles: OpenedStore['siteFiles'] = {
    find: async (area, path) => {
      looked.push(path)
      return gone.has(path) ? undefined : own.find(area, path)
    },
    isTaken: own.isTaken.bind(own),
    open: own.open.bind(own),
    list: own.list.bind(own),
    recordFolders: own.recordFolders.bind(own),
  }
  const config = { features: { api: true, media: true } }
  const app = new TestApp({ ...opened, siteFiles }, { config, deps: { privateDir: t.testdir() } })
  t.teardown(() => app.close())
  const names = { name: 'S', url: SITE, locale: 'en', timezone: 'UTC', content: 'content', templates: 'templates' }
  const made = publicSite(t, opened, false, {
    media: () => app.features.media.copies,
    siteFiles,
    settings: settingsOf({}),
    config: {
      site: names,
      build: { base_url: null, drafts: false, future: false },
      features: { sitemap: true, taxonomy: true, search: false },
      media: { types: ['jpeg', 'png'] },
    },
  })
  return { ...made, gone, looked }
}

/** The pictures that a sitemap names, by page: addresses of the site without its own. */
function picturesIn(xml: string): Record<string, string> {
  const within = (address: string) => (address.startsWith(`${SITE}/`) ? address.slice(SITE.length) : address)
  const pairs = elementsOf(xmlOf(xml), 'url').flatMap((url) => {
    const [loc] = elementsOf(url, 'loc')
    const [image] = elementsOf(url, 'image:image')
    const address = image && elementsOf(image, 'image:loc')[0]?.text
    return address === undefined ? [] : [[within(loc?.text ?? ''), within(address)]]
  })
  return Object.fromEntries(pairs)
}

const options = { files: FILES, beside: BESIDE, types: plainTypes(), now: '2026-02-01T00:00:00Z' }

longTest('a sitemap names the picture that the record of a page names as its own, where everyone is answered it', (t) =>
  eachStore(t, options, async (t, opened) => {
    const { html, site, folder } = siteOn(t, opened)
    const xml = await html('/sitemap.xml')
    t.strictSame(sitemapFaults(xml, `${SITE}/`), [])
    t.strictSame(picturesIn(xml), NAMED)
    for (const [page, picture] of Object.entries(NAMED)) {
      const [, shown = ''] = /<meta property="og:image" content="([^"]+)"/.exec(await html(page)) ?? []
      t.equal(shown.replaceAll('&amp;', '&').replace(SITE, ''), picture, page)
    }
    folder.write('templates/site/layout.liquid', '{{ content | raw }}')
    await site.build('public')
    t.equal(readFileSync(folder.path('public/sitemap.xml'), 'utf8'), xml)
    for (const picture of Object.values(NAMED).filter((one) => one.startsWith('/')))
      t.ok(existsSync(folder.path(`public${decodeURI(picture)}`)), `${picture} is built, though no page shows it`)
  }),
)

longTest('what nobody may see any more is gone from the sitemap at once, what is not there within a minute', (t) =>
  eachStore(t, options, async (t, opened) => {
    const { html, site, folder, gone } = siteOn(t, opened)
    const { store, clock } = opened
    const named = async () => picturesIn(await html('/sitemap.xml'))
    t.strictSame(await named(), NAMED)
    const set = (id: string, fields: Fields) => store.write([{ key: keyOf('posts', id), put: { set: fields } }], BY)
    await set('beside', { cover: 'own/own.png' })
    await set('first', { cover: '/posts/own/own.png' })
    t.match(await named(), { '/posts/beside': '/posts/own/own.png', '/posts/first': '/posts/own/own.png' })
    await set('own', { status: 'draft' })
    const { '/posts/beside': _, '/posts/own': __, ...left } = NAMED
    t.strictSame(await named(), left, 'the file of a record that is a draft by now')
    gone.add('top.png').add('media/2026/photo.jpg')
    await site.build('public')
    const { '/posts/elsewhere': elsewhere } = NAMED
    t.strictSame(
      picturesIn(readFileSync(folder.path('public/sitemap.xml'), 'utf8')),
      { '/posts/elsewhere': elsewhere },
      'a build looks anew',
    )
    gone.clear()
    clock.advance(MINUTE)
    t.strictSame(await named(), left)
    gone.add('top.png')
    clock.advance(MINUTE - 1)
    t.match(await named(), { '/': '/top.png' })
    clock.advance(1)
    t.notMatch(await named(), { '/': '/top.png' })
    gone.clear()
    clock.advance(MINUTE)
    t.match(await named(), { '/': '/top.png' })
  }),
)

t.test('the files of pictures are not looked for again with each change', (t) =>
  eachStore(t, options, async (t, opened) => {
    const { html, looked } = siteOn(t, opened)
    await html('/sitemap.xml')
    t.ok(looked.includes('posts/a cat.jpg'))
    const before = looked.length
    for (const title of ['One', 'Two']) {
      await opened.store.write([{ key: keyOf('posts', 'first'), put: { set: { title } } }], BY)
      t.strictSame(picturesIn(await html('/sitemap.xml')), NAMED)
    }
    t.equal(looked.length, before)
    await opened.store.write([{ key: keyOf('posts', 'first'), put: { set: { cover: 'other.png' } } }], BY)
    await html('/sitemap.xml')
    t.strictSame([...new Set(looked.slice(before))].sort(), ['media/other.png', 'posts/other.png'])
  }),
)

longTest('pictures count for the parts of a sitemap, each of which says what they are called in', (t) => {
  const entries = Array.from({ length: 14_000 }, (_, n) => ({ url: `/${n}`, modified: '2026-01-02T00:00:00Z' }) as Entry)
  const records = new Map(entries.map((entry) => [entry.url, entry]))
  const snapshot = { origin: ORIGIN, base: '', urls: 'directory', outline: { records } } as unknown as SiteSnapshot
  const long = (n: number) => `https://cdn.example/${'x'.repeat(2000)}/${n}`
  const some = sitemaps(snapshot, new Map([[entries[2] as Entry, long(2)]]), 7_000)
  t.strictSame([...some.keys()], ['/sitemap.xml', '/sitemap-1.xml', '/sitemap-2.xml', '/sitemap-3.xml'])
  t.strictSame(
    [...some.values()].map((xml) => xml.includes('xmlns:image')),
    [false, true, false, false],
  )
  const all = sitemaps(snapshot, new Map(entries.map((entry, n) => [entry, long(n) + 'y'.repeat(n < 10 ? 0 : 1)])))
  t.strictSame([...all.keys()], ['/sitemap.xml'], '30 MB')
  const longest = entries.map((entry) => ({ ...entry, url: `/${'u'.repeat(2000)}${entry.url}` }))
  const large = {
    ...snapshot,
    outline: { records: new Map(longest.map((entry) => [entry.url, entry])) },
  } as unknown as SiteSnapshot
  const parts = sitemaps(large, new Map(longest.map((entry, n) => [entry, long(n)])))
  t.strictSame([...parts.keys()], ['/sitemap.xml', '/sitemap-1.xml', '/sitemap-2.xml'])
  t.ok([...parts.values()].every((xml) => Buffer.byteLength(xml) <= 50 * 1024 * 1024))
  t.strictSame(sitemapFaults(some.get('/sitemap-1.xml') ?? '', `${ORIGIN}/`), [])
  t.end()
})
