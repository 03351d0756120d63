import fc from 'fast-check'
import t from 'tap'
import { aliasesOf } from '#core/aliases.ts'
import { keyOf } from '#core/key.ts'
import { foldersOf, resolveHref } from '#core/links/resolve.ts'
import { permalinkOf, plainPath, TAKEN_SEGMENTS, urlOf } from '#core/permalink.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { KeysByPath } from '#features/records/links/keys-by-path.ts'
import type { Fields } from '#lib/json.ts'
import { plainTypes } from '#support/types.ts'

const posts = plainTypes().get('posts') as ContentType
const pages = plainTypes().get('pages') as ContentType

function head(kind: string, id: string, fields: Fields) {
  return { key: keyOf(kind, id), fields, version: '0'.repeat(40) }
}

function url(permalink: string | null, id: string, fields: Fields): string | null {
  return urlOf({ ...posts, permalink }, head('posts', id, fields))
}

t.test('each placeholder stands for what the contract says', async (t) => {
  const fields = { slug: 'v18.17.0', published_at: '2023-07-18T23:30:00.000Z' }
  const id = 'release~v18.17.0'
  t.equal(url('/{type}/{path}', id, fields), '/posts/release/v18.17.0')
  t.equal(url('/{type}/{path}', id, { slug: 'other' }), '/posts/release/other', 'the path is the folders and the slug')
  t.equal(url('/blog/{slug}', id, fields), '/blog/v18.17.0')
  t.equal(url('/{id}', id, fields), '/release~v18.17.0')
  t.equal(url('/{year}/{month}/{day}/{slug}/', id, fields), '/2023/07/18/v18.17.0', 'UTC, and no slash at the end')
  t.equal(url(null, id, fields), null)
  t.equal(url('/{slug}', 'x', { slug: 'café & 100%' }), '/caf%C3%A9%20&%20100%25')
})

t.test('the days in addresses are those that the clocks of the site show', async (t) => {
  const at = (timezone: string, published_at: string) =>
    urlOf({ ...posts, permalink: '/{year}/{month}/{day}/{slug}', timezone }, head('posts', 'x', { slug: 'x', published_at }))
  t.equal(at('Europe/Berlin', '2019-12-31T23:00:00.000Z'), '/2020/01/01/x', 'midnight there, as `date: 2020-01-01` is read')
  t.equal(at('Europe/Berlin', '2020-06-30T21:59:59.999Z'), '/2020/06/30/x')
  t.equal(at('Europe/Berlin', '2020-06-30T22:00:00.000Z'), '/2020/07/01/x', 'an hour earlier in summer')
  t.equal(at('America/Los_Angeles', '2020-01-01T07:59:00.000Z'), '/2019/12/31/x')
  t.equal(at('Pacific/Kiritimati', '2019-12-31T10:00:00.000Z'), '/2020/01/01/x')
  t.equal(at('UTC', '2019-12-31T23:59:59.999Z'), '/2019/12/31/x')
})

t.test('the index of pages is the home page, that of a type the page of its list', async (t) => {
  t.equal(urlOf(pages, head('pages', 'index', { slug: 'index' })), '/')
  t.equal(urlOf(pages, head('pages', 'about', { slug: 'about' })), '/about')
  t.equal(url('/{type}/{path}', 'index', { slug: 'index' }), '/posts', 'the head of the list of its type')
})

t.test('a permalink in the front matter wins, and false means no page', async (t) => {
  t.equal(url('/{slug}', 'x', { slug: 'x', permalink: '/Old/Place/index.html' }), '/Old/Place')
  t.equal(url('/{slug}', 'x', { slug: 'x', permalink: '/caf%C3%A9/' }), '/caf%C3%A9')
  t.equal(url('/{slug}', 'x', { slug: 'x', permalink: false }), null)
  t.match(permalinkOf(posts, head('posts', 'x', { slug: 'x', permalink: 'old' })), { url: null, fault: /does not begin with/ })
})

t.test('what can be no address is null, with the reason', async (t) => {
  const faults: [string, Fields, RegExp][] = [
    ['/{year}/{slug}', { slug: 'x' }, /no published_at/],
    ['/{slug}', { slug: '../../etc' }, /begins with a dot/],
    ['/{slug}', { slug: 'a?b' }, /character/],
    ['/{slug}', { slug: 'a\u0000b' }, /character/],
    ['/{slug}', { slug: 'a\\b' }, /character/],
    ['/{slug}', { slug: 'x', permalink: '/a%2fb' }, /character/],
    ['/{slug}', { slug: 'x', permalink: '/a%zz' }, /percent-encoding/],
    ['/{slug}', { slug: '\ud800' }, /percent-encoding/],
    ['/{slug}', { slug: 'x'.repeat(300) }, /bytes/],
    ['/{slug}', { slug: 'x', permalink: '/a'.repeat(1001) }, /more than 2,000/],
    ['/{slug}', { slug: 'robots.txt' }, /belongs to Quire/],
    ...[...TAKEN_SEGMENTS].map((slug): [string, Fields, RegExp] => ['/{slug}/x', { slug }, /belongs to Quire/]),
  ]
  for (const [permalink, fields, fault] of faults) {
    t.match(permalinkOf({ ...posts, permalink }, head('posts', 'x', fields)), { url: null, fault }, JSON.stringify(fields))
  }
})

t.test('an address, whatever the slug, stays on the site and has one spelling', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('/{slug}', '/{type}/{path}', '/a/{slug}/b'), (slug, permalink) => {
      const found = url(permalink, 'x', { slug })
      if (found === null) return true
      return plainPath(found) === found && new URL(found, 'http://site.test').pathname === found && !found.startsWith('//')
    }),
    { numRuns: 200 },
  )
})

t.test('aliases are absolute, once each, and never the page itself', async (t) => {
  const record = head('posts', 'x', { aliases: ['/old/', 'older', '/posts/x', '/old', 7, '/api/x'] })
  t.same(aliasesOf(record, '/posts/x'), ['/old', '/posts/older'])
  t.same(aliasesOf(head('posts', 'x', { aliases: '/one' }), '/posts/x'), ['/one'])
})

t.test('links in a text lead where their author meant', async (t) => {
  const files: Record<string, string> = { 'posts/other': '/blog/other', 'posts/2026/near': '/blog/near', about: '/about' }
  const place = {
    base: '/repo',
    page: '/blog/trip',
    folders: foldersOf('posts', '2026/trip'),
    folder: 'posts/2026',
    pageOf: (path: string) => files[path],
    pageNamed: () => undefined,
    pageAt: (path: string) => (path === '/old' ? '/blog/new' : path === '/blog/tags/' ? '/blog/tags' : undefined),
    fileAt: (path: string) => (path.startsWith('private/') ? undefined : `/at/${path}`),
  }
  const cases: [string, string][] = [
    ['near.md', '/repo/blog/near'],
    ['../other.md#part', '/repo/blog/other#part'],
    ['../near.md?x', '/repo/blog/near?x'],
    ['../../about.md', '/repo/about'],
    ['/content/posts/other.md', '/repo/blog/other'],
    ['/images/a.png', '/repo/images/a.png'],
    ['/old?q#part', '/repo/blog/new?q#part'],
    ['tags/', '/repo/blog/tags'],
    ['photo.jpg', '/repo/at/posts/2026/photo.jpg'],
    ['./photo.JPG?x#y', '/repo/at/posts/2026/photo.JPG?x#y'],
    ['../my%20photo.jpg', '/repo/at/posts/my photo.jpg'],
    ['pics/e\u0301.pdf', '/repo/at/posts/2026/pics/é.pdf'],
    ['../../private/a.jpg', '/repo/private/a.jpg'],
    ['../../../out.jpg', '/repo/out.jpg'],
    ['photo.jpg/', '/repo/blog/photo.jpg/'],
    ['100%.jpg', '/repo/at/posts/2026/100%.jpg'],
    ['%ff.jpg', '/repo/blog/%ff.jpg'],
    ['tool.zip', '/repo/blog/tool.zip'],
    ['data:image/png;base64,x.jpg', 'data:image/png;base64,x.jpg'],
    ['https://example.org/x.md', 'https://example.org/x.md'],
    ['//cdn.example.org/x', '//cdn.example.org/x'],
    ['#part', '#part'],
    ['mailto:a@example.org', 'mailto:a@example.org'],
    ['../../../../etc/passwd.md', '/repo/etc/passwd.md'],
  ]
  for (const [href, expected] of cases) t.equal(resolveHref(href, place), expected, href)
})

t.test('a plain path is taken as quickly as it is right: with a slash at its end it is looked at in full', async (t) => {
  const segment = fc.oneof(
    fc.constantFrom(...TAKEN_SEGMENTS, 'API', '404', '405', 'a'.repeat(241)),
    fc.stringMatching(/^[A-Za-z0-9_-]{1,9}$/),
  )
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 3 }), (segments) => {
      const path = `/${segments.join('/')}`
      const [quick, full] = [path, `${path}/`].map((permalink) => permalinkOf(posts, head('posts', 'x', { permalink })))
      t.strictSame(quick, full)
    }),
  )
  const aliases = Array.from({ length: 1000 }, (_none, n) => `/old-${n}`)
  t.strictSame(aliasesOf({ fields: { aliases: [...aliases, '/api/x', 'b', '/a/x', '/old-1'] } }, '/a/x'), [...aliases, '/a/b'])
})

t.test('an index of paths by record follows what is added and taken away', async (t) => {
  const index = new KeysByPath()
  const [one, other] = [keyOf('posts', 'one'), keyOf('posts', 'other')]
  index.set(one, ['/a', '/b', '/b'])
  index.set(other, ['/b'])
  index.set(one, ['/b', '/c'])
  t.strictSame(index.at('/a'), [])
  t.strictSame(index.at('/b'), [one, other])
  t.strictSame(index.at('/c'), [one])
  index.set(one, [])
  t.strictSame([index.at('/b'), index.at('/c')], [[other], []])
})
