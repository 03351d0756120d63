import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { settingsOf } from '#core/settings.ts'
import { TestApp } from '#support/app.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({
  posts: { permalink: '/{type}/{slug}', additional_fields: true, fields: { cover: { type: 'media' } } },
})
const by = { name: 'Somebody', email: 'somebody@example.org' }
const features = { api: true, media: true, site: true }

t.test('a built site has the media that its pages lead to', (t) =>
  eachStore(t, { types, history: true }, async (t, opened) => {
    const { store, blobs } = opened
    const config = { features, media: { widths: [320] }, site: { url: 'https://example.org/base' } }
    const app = new TestApp(opened, { config, deps: { privateDir: t.testdir() } })
    t.teardown(() => app.close())
    const put = async (id: string, bytes: Buffer, set: object = {}) => {
      const stored = await blobs.put(Readable.from([bytes]), bytes.length)
      const fields = { checksum: `sha256:${stored.ref}`, size: bytes.length, ...set }
      await store.write([{ key: keyOf('media', id), put: { set: fields, bytes: stored } }], by)
    }
    const picture = await sharp({ create: { width: 400, height: 200, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    await put('2026~a b.png', picture)
    await put("it's & (1), x.png", picture)
    await put('new.txt', Buffer.from('moved'), { aliases: ['/media/old.txt'] })
    await put('unused.txt', Buffer.from('unused'))
    await put('secret.txt', Buffer.from('of a draft'))
    const page = (id: string, body: string, set = {}) =>
      store.write([{ key: keyOf('posts', id), put: { set: { title: id, slug: id, status: 'published', ...set }, body } }], by)
    await page('one', '![](/media/2026/a%20b.png) <img src="/media/_w320/2026/a%20b.png.webp?v=1"> [x](/media/old.txt#there)')
    await page('odd', "![](</media/it's & (1), x.png>)")
    await page('two', '[gone](/media/none.txt) [bad](/media/_w321/2026/a%20b.png.webp) [up](/media/../x) [odd](/media/%ff)')
    await page('draft', '[x](/media/secret.txt)', { status: 'draft' })
    const out = join(t.testdir(), 'public')
    const built = () => {
      const folder = join(out, 'media')
      const all = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
      return all.flatMap((one) => (one.isFile() ? join(one.parentPath, one.name).slice(folder.length + 1) : [])).sort()
    }
    const first = await app.features.site.build(out)
    t.same(built(), ['2026/a b.png', '_w320/2026/a b.png.webp', "_w320/it's & (1), x.png.webp", "it's & (1), x.png", 'old.txt'])
    t.same(readFileSync(join(out, 'media/2026/a b.png')), picture)
    t.equal(readFileSync(join(out, 'media/old.txt'), 'utf8'), 'moved')
    const small = await sharp(readFileSync(join(out, 'media/_w320/2026/a b.png.webp'))).metadata()
    t.same([small.format, small.width], ['webp', 320])
    t.equal(first.files, 5)
    t.match(readFileSync(join(out, 'posts/one/index.html'), 'utf8'), 'src="/base/media/2026/a%20b.png"')
    t.match(await app.features.site.build(out), { files: 5, written: 0, removed: 0 })
    await put('2026~a b.png', Buffer.from('replaced'))
    await page('one', '![](/media/2026/a%20b.png)')
    await page('odd', 'Nothing')
    const second = await app.features.site.build(out)
    t.same(built(), ['2026/a b.png'], 'what no page leads to any more is gone')
    t.equal(readFileSync(join(out, 'media/2026/a b.png'), 'utf8'), 'replaced')
    t.equal(second.files, 1)
  }),
)

t.test('templates get the addresses of media, of files without a sidecar and of settings as well', (t) => {
  const files = {
    'content/posts/one.md':
      '---\ntitle: One\ncover: 2026/ü p.png\nlinks: [/about, ./other.md, cat.jpg, https://example.org/x]\n---\n',
    'content/posts/other.md': '---\ntitle: Other\ncover: cat.jpg\n---\n',
    'content/settings/site.yaml':
      'logo: logo.png\nsocial: [{ name: Us, url: /about }, { name: Them, url: "https://example.org" }]\n',
    'content/settings/shop.yaml': 'pictures: [/media/2026/ü p.png, logo.png]\nword: logo.png\n',
  }
  const beside = { 'content/media/2026/ü p.png': 'picture', 'content/media/logo.png': 'logo' }
  const types = plainTypes({
    posts: { permalink: '/{type}/{slug}', fields: { cover: { type: 'media' }, links: { type: 'list', of: { type: 'url' } } } },
  })
  return eachStore(t, { files, beside, types }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features }, deps: { privateDir: t.testdir() } })
    t.teardown(() => app.close())
    const settings = settingsOf({ 'shop.pictures': { type: 'media', multiple: true }, 'shop.word': { type: 'text' } })
    const template = '{{ record.fields | json | raw }}\n{{ settings | json | raw }}'
    const kept = t.testdir()
    const { site, html, folder } = publicSite(t, opened, false, {
      ...{ siteFiles: opened.siteFiles, settings, media: () => app.features.media.copies },
      ...{ files: { 'templates/site/record.liquid': template }, memory: { folder: kept, basis: 'one' } },
    })
    const parsed = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    const [fields, values] = parsed(await html('/posts/one'))
    t.match(fields, {
      cover: '/media/2026/%C3%BC%20p.png',
      links: ['/about', '/posts/other', '/posts/cat.jpg', 'https://example.org/x'],
    })
    t.match(values, {
      site: { logo: '/media/logo.png', social: [{ url: '/about' }, { url: 'https://example.org' }] },
      shop: { pictures: ['/media/2026/ü p.png', '/media/logo.png'], word: 'logo.png' },
    })
    t.match(parsed(await html('/posts/other'))[0], { cover: '/posts/cat.jpg' }, 'what is no media file lies beside the text')
    await site.build('public', { baseUrl: 'https://example.org/base' })
    const [built, builtValues] = parsed(readFileSync(folder.path('public/posts/one/index.html'), 'utf8'))
    t.match(built, {
      cover: '/base/media/2026/%C3%BC%20p.png',
      links: ['/base/about', '/base/posts/other', '/base/posts/cat.jpg'],
    })
    t.match(builtValues, {
      site: { logo: '/base/media/logo.png', social: [{ url: '/base/about' }, { url: 'https://example.org' }] },
    })
    t.equal(readFileSync(folder.path('public/media/2026/ü p.png'), 'utf8'), 'picture')
    t.equal(readFileSync(folder.path('public/media/logo.png'), 'utf8'), 'logo')
  })
})

t.test('links to media that are not there are named', (t) => {
  const files = {
    'content/posts/good.md':
      '---\ntitle: Good\n---\n![](/media/a%20b.png) ![](../media/a%20b.png) ![](/media/_w320/a%20b.png.webp) [x](/media/sub/alone.txt#x) [old](/media/old.png)\n',
    'content/posts/bad.md':
      '---\ntitle: Bad\n---\n![](/media/none.png) [x](../media/none.pdf)\n<img src="/media/_w321/a%20b.png.webp"> [x](https://example.org/media/gone.txt)\n',
    'content/menus/main.yaml': 'items: [{ label: A, url: /media/sub/alone.txt }, { label: B, url: /media/lost.txt }]\n',
    'content/media/a b.png.yaml': 'aliases: [/media/old.png]\n',
  }
  const beside = { 'content/media/a b.png': 'picture', 'content/media/sub/alone.txt': 'text' }
  return eachStore(t, { files, beside, types }, async (t, opened) => {
    const config = { features, media: { widths: [320] }, site: { url: 'https://example.org' } }
    const app = new TestApp(opened, { config, deps: { privateDir: t.testdir() } })
    t.teardown(() => app.close())
    const found = (await app.features.site.remarks()).filter(({ file }) => file.includes('/'))
    t.same(
      found.filter(({ message }) => /lead/.test(message)).map(({ file, line, message }) => [file, line, message]),
      [
        ['posts/bad', 4, 'The picture "/media/none.png" leads to no media file.'],
        ['posts/bad', 4, 'The link "../media/none.pdf" leads to no media file.'],
        ['posts/bad', 5, 'The link "/media/_w321/a%20b.png.webp" leads to no media file.'],
        ['posts/bad', 5, 'The link "https://example.org/media/gone.txt" leads to no media file.'],
        ['menus/main', undefined, 'The item "/media/lost.txt" leads to no media file.'],
      ],
    )
    t.match(found[0], { hint: 'Put it at content/media/none.png, or correct the link.', media: undefined })
    t.notOk(found.some((one) => 'media' in one))
  })
})

t.test('a media file whose bytes are not here is named, and keeps nothing else from being built', (t) =>
  eachStore(t, { types, history: true }, async (t, opened) => {
    const { store, blobs } = opened
    const config = { features, media: { widths: [320] }, site: { url: 'https://example.org' } }
    const app = new TestApp(opened, { config, deps: { privateDir: t.testdir() } })
    t.teardown(() => app.close())
    const bytes = Buffer.from('bytes that stay where they are')
    const { ref } = await blobs.put(Readable.from([bytes]), bytes.length)
    await blobs.remove(ref)
    const fields = { checksum: `sha256:${ref}`, size: 90_000 }
    await store.write([{ key: keyOf('media', 'big.png'), put: { set: fields } }], by)
    const body = '![](/media/big.png) ![](/media/_w320/big.png.webp)'
    await store.write(
      [{ key: keyOf('posts', 'one'), put: { set: { title: 'One', slug: 'one', status: 'published' }, body } }],
      by,
    )
    for (const address of ['/media/big.png', '/media/_w320/big.png.webp']) t.equal((await app.bare(`GET ${address}`)).status, 404)
    const out = join(t.testdir(), 'public')
    const { problems } = await app.features.site.build(out)
    t.match(
      problems.filter(({ severity }) => severity === 'error'),
      ['_w320/big.png.webp', 'big.png'].map((path) => ({
        file: join(out, 'media', path),
        message: "The file can't be written: the bytes of this media file are not here.",
        hint: /Bring them/,
      })),
    )
    t.ok(existsSync(join(out, 'posts/one/index.html')))
    t.ok(existsSync(join(out, '404.html')))
  }),
)
