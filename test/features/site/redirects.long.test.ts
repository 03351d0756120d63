import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { aliasesOf } from '#core/aliases.ts'
import { keyOf } from '#core/key.ts'
import { redirectRules } from '#features/site/building/redirects.ts'
import { redirectTo } from '#features/site/outline/redirect.ts'
import type { SiteSnapshot } from '#features/site/outline/site-snapshot.ts'
import { termUrl } from '#features/site/outline/terms.ts'
import { publicSite } from '#support/public-site.ts'
import { BY } from '#support/signing-in.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/posts/a.md': `---
title: A
tags: [x]
aliases:
  - /old
  - older
  - /mit umlaut ä
  - /posts/b
  - /tags/x
  - /cat.jpg
  - /logo.png
  - /way/in/here
  - /feed.xml
  - /api/x
  - /_redirects
  - //elsewhere.example/x
  - https://elsewhere.example/y
  - "/star*"
  - "/colon:x"
  - "/new\\n/forged /evil 200"
  - "/quote\\"onload=x"
  - /100%
  - /twice
---
`,
  'content/posts/b.md': '---\ntitle: B\naliases: /twice\n---\n',
  'content/posts/draft.md': '---\ntitle: D\ndraft: true\naliases: [/of-a-draft]\n---\n',
  'content/taxonomy/tags/x.yaml': 'name: X\naliases: [former, "st*r"]\n',
}
const BESIDE = { 'content/cat.jpg': 'cat', 'static/logo.png': 'logo', 'static/way': 'a file', 'static/old-2/index.html': 'x' }
const RULES = `/old /posts/a 301
/posts/older /posts/a 301
/mit%20umlaut%20%C3%A4 /posts/a 301
/twice /posts/a 301
/tags/former /tags/x 301
/tags/st-r /tags/x 301
`

t.test('a built site has a rule and a page for each alias, as long as no other file is there', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types: plainTypes(), now: '2026-01-15T00:00:00Z' }, async (t, opened) => {
    const { site, folder } = publicSite(t, opened, false, { siteFiles: opened.siteFiles })
    const read = (file: string) => readFileSync(folder.path(`public/${file}`), 'utf8')
    const { redirects, problems } = await site.build('public', { baseUrl: 'https://example.org/repo' })
    t.equal(read('_redirects'), RULES.replace(/(^| )\//gm, '$1/repo/'))
    t.equal(redirects, 6)
    t.strictSame([read('cat.jpg'), read('logo.png'), read('way')], ['cat', 'logo', 'a file'])
    t.match(read('posts/b/index.html'), '<h1>B</h1>')
    t.match(read('tags/x/index.html'), '<h1>X</h1>')
    t.match(read('tags/st-r/index.html'), 'url=/repo/tags/x"')
    for (const part of [
      '<meta http-equiv="refresh" content="0; url=/repo/posts/a">',
      '<link rel="canonical" href="https://example.org/repo/posts/a">',
      '<meta name="robots" content="noindex">',
      '<a href="/repo/posts/a">',
    ])
      t.match(read('old/index.html'), part)
    for (const file of ['of-a-draft', 'api', 'forged', 'evil', 'elsewhere.example', 'colon:x'])
      t.notOk(existsSync(folder.path(`public/${file}`)), file)
    t.strictSame(problems.map(({ message }) => message).sort(), [
      'The alias "/cat.jpg" does not lead to /posts/a: this address is that of content/cat.jpg.',
      'The alias "/logo.png" does not lead to /posts/a: this address is that of static/logo.png.',
      'The alias "/way/in/here" does not lead to /posts/a: this address is that of static/way.',
    ])
    t.match(await site.answer('/old'), { status: 308, location: '/posts/a' })
    t.match(await site.answer('/tags/former'), { status: 308, location: '/tags/x' })
    t.match(await site.answer('/cat.jpg'), { status: 200, size: 3 })
    t.match(await site.answer('/logo.png'), { status: 200, size: 4 })
    t.match(await site.answer('/posts/b'), { status: 200, contentType: /html/ })
    t.match(await site.answer('/posts/b/'), { status: 308, location: '/posts/b' }, 'a page stays before files')
    t.equal((await site.answer('/_redirects')).status, 404, 'the file is for hosts')
  }),
)

t.test('an alias that comes or goes brings or takes its files', (t) =>
  eachStore(t, { files: FILES, types: plainTypes(), now: '2026-01-15T00:00:00Z' }, async (t, opened) => {
    const { site, folder } = publicSite(t, opened)
    const rules = () => readFileSync(folder.path('public/_redirects'), 'utf8')
    await site.build('public')
    await opened.store.write([{ key: keyOf('posts', 'b'), put: { set: { aliases: ['/came'] } } }], BY)
    await site.build('public')
    t.match(rules(), '/came /posts/b 301\n')
    t.ok(existsSync(folder.path('public/came/index.html')))
    await opened.store.write(
      [
        { key: keyOf('posts', 'b'), put: { set: { aliases: [] } } },
        { key: keyOf('posts', 'a'), put: { set: { aliases: [] } } },
        { key: keyOf('taxonomy/tags', 'x'), remove: true },
      ],
      BY,
    )
    t.match(await site.build('public'), { redirects: 0 })
    for (const file of ['_redirects', 'came', 'old', 'tags/former']) t.notOk(existsSync(folder.path(`public/${file}`)), file)
  }),
)

t.test('check names aliases that lead nobody to their page', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types: plainTypes(), now: '2026-01-15T00:00:00Z' }, async (t, opened) => {
    const { site } = publicSite(t, opened, false, { siteFiles: opened.siteFiles })
    const remarks = (await site.remarks()).filter(({ message }) => message.startsWith('The alias'))
    t.ok(remarks.every(({ severity }) => severity === 'warning'))
    const said = remarks.map(({ file, message }) => `${file}: ${message}`)
    for (const expected of [
      'posts/a: The alias "/_redirects" has the address "/_redirects", which belongs to Quire itself: it leads nobody here.',
      'posts/a: The alias "/api/x" has the address "/api/x", which belongs to Quire itself: it leads nobody here.',
      'posts/a: The alias "/cat.jpg" does not lead to /posts/a: this address is that of content/cat.jpg.',
      'posts/a: The alias "/feed.xml" has the address "/feed.xml", which belongs to Quire itself: it leads nobody here.',
      'posts/a: The alias "/posts/b" is the address of another page: it leads nobody here.',
      'posts/a: The alias "/tags/x" is the address of another page: it leads nobody here.',
      'posts/a: The alias "https://elsewhere.example/y" is on another host: it leads nobody here.',
      'posts/b: The alias "/twice" leads to /posts/a already, and not here.',
    ])
      t.ok(said.includes(expected), expected)
    t.equal(remarks.filter(({ message }) => message.includes('is on another host')).length, 2)
    t.equal(remarks.filter(({ message }) => message.includes('a character that a file name can not have')).length, 4)
    t.equal(remarks.filter(({ message }) => message.includes('percent-encoding is broken')).length, 1)
    t.equal(remarks.length, 16)
  }),
)

t.test('no alias has a part that begins with a dot', async (t) => {
  const aliases = ['/.htaccess', '/.git/config', '/a/.well-known/x', '.x', '/%2egit', '/.well-known/x', '/a/..', '../x', '/ok']
  t.same(aliasesOf({ fields: { aliases } }, '/posts/a'), ['/ok'])
})

t.test('no alias and no name of a term forges a rule, or gets out of the page that leads on', async () => {
  const place = { origin: 'https://example.org', base: '/repo' } as SiteSnapshot
  const signs = fc.constantFrom(...'/*:\n\r\t "\'<>%&;#?!', '\u2028', '\u0085', 'a', '301', '//', '</title><script>', 'https:')
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.array(signs, { maxLength: 9 }).map((all) => all.join('')),
  )
  const address = fc.oneof(
    text.map((alias) => aliasesOf({ fields: { aliases: [alias] } }, '/posts/a')[0]),
    text.map((name) => termUrl('tags', String(Buffer.from(name)))),
  )
  const tags = String(redirectTo('/', place).body).match(/[<>]/g)?.length
  fc.assert(
    fc.property(address, address, (from, to) => {
      if (from === undefined || to === undefined) return true
      const rules = redirectRules([{ address: from, to, out: '' }], place)
      const html = String(redirectTo(to, place).body)
      const [, href = ''] = /<a href="([^"]*)">/.exec(html) ?? []
      const isOneRule = rules === '' || /^\/repo\/[^\s*:]* \/repo\/[^\s*:]* 301\n$/.test(rules)
      return isOneRule && html.match(/[<>]/g)?.length === tags && !/\s/.test(href) && href.startsWith('/repo/')
    }),
    { numRuns: 500 },
  )
})

const many = (of: string) => `aliases: [${Array.from({ length: 5_001 }, (_, n) => `${of}${n}`).join(', ')}]`
const MANY = {
  'content/posts/a.md': `---\ntitle: A\ntags: [x]\n${many('/old/')}\n---\n`,
  'content/taxonomy/tags/x.yaml': `name: X\n${many('former-')}\n`,
}

t.test('more aliases than 5,000 are left out, and named', (t) =>
  eachStore(t, { files: MANY, types: plainTypes(), now: '2026-01-15T00:00:00Z' }, async (t, opened) => {
    const { site } = publicSite(t, opened, false, { siteFiles: opened.siteFiles })
    for (const [path, to] of Object.entries({ '/old/4999': '/posts/a', '/tags/former-4999': '/tags/x' }))
      t.match(await site.page(path), { status: 308, location: to })
    for (const path of ['/old/5000', '/tags/former-5000']) t.match(await site.page(path), { status: 404 })
    const said = (await site.remarks()).filter(({ message }) => message.startsWith('There are 5001 aliases'))
    t.same(said.map(({ file }) => file).sort(), ['posts/a', 'taxonomy/tags/x'])
  }),
)
