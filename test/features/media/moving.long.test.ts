import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const by = { name: 'Somebody', email: 'somebody@example.org' }
const POST = `---
title: One # stays
cover: 2026/a b.jpg
gallery:
  - "2026~a b.jpg"
  - /media/2026/a%20b.jpg?v=1
  - other.jpg
og: { image: "https://example.org/media/2026/a%20b.jpg" }
link: ../media/2026/a%20b.jpg
summary: "![](/media/2026/a%20b.jpg)"
---
![A](/media/2026/a%20b.jpg "t") \`![](/media/2026/a%20b.jpg)\` [b](/media/2026/a%20b.jpg.txt)

[x]: <../media/2026/a b.jpg>

<img src="/media/2026/a%20b.jpg" srcset="/media/_w640/2026/a%20b.jpg.webp 1x,/media/other.jpg 2x">
`
const FILES = {
  'content/media/2026/a b.jpg.yaml': 'alt: A # said\nuploaded_by: ada\n',
  'content/posts/one.md': POST,
  'content/posts/draft.md': '---\ntitle: Draft\nstatus: draft\n---\n![](/media/2026/a%20b.jpg)\n',
  'content/posts/broken.md': '---\ntitle: [\n---\n![](/media/2026/a%20b.jpg)\n',
  'content/menus/main.yaml': 'items:\n  - { label: A, url: /media/2026/a%20b.jpg }\n',
  'content/settings/site.yaml': 'logo: 2026/a b.jpg # ours\nfooter: "![](/media/2026/a%20b.jpg)"\n',
}
const types = plainTypes({
  posts: {
    additional_fields: true,
    fields: {
      cover: { type: 'media' },
      gallery: { type: 'media', multiple: true },
      link: { type: 'url' },
      summary: { type: 'markdown' },
    },
  },
})
const features = { api: true, media: true, menus: true, settings: true, revisions: true }

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    eachStore(t, { files: FILES, types, history: true }, async (t, opened) => {
      const app = new TestApp(opened, { config: { features } })
      await body(t, app, opened)
      await app.close()
    }),
  )
}

const source = async ({ store }: OpenedStore, kind: string, id: string) => String((await store.get(keyOf(kind, id)))?.source)
const OLD = '2026~a%20b.jpg'
const move = (app: TestApp, id: string, headers = {}, as = 'admin', from = OLD) =>
  app.ask(`POST /api/media/${from}/move`, { body: { id }, headers, as })

each('what uses a file follows it in the same commit', async (t, app, opened) => {
  const { next } = await opened.store.changes(undefined, 0)
  const moved = await move(app, 'pictures~ü (1).jpg')
  t.equal(moved.status, 200, moved.text)
  t.equal(moved.headers.location, '/api/media/pictures~%C3%BC%20(1).jpg')
  t.match(moved.body, {
    data: { id: 'pictures~ü (1).jpg', alt: 'A', uploaded_by: 'ada', url: '/media/pictures/%C3%BC%20(1).jpg' },
    meta: { rewritten: 4, left: ['posts/broken'] },
  })
  t.equal(moved.body.data.used_by.length, 5)
  const url = '/media/pictures/%C3%BC%20(1).jpg'
  const inMarkdown = '/media/pictures/%C3%BC%20%281%29.jpg'
  t.equal(
    await source(opened, 'posts', 'one'),
    POST.replace('cover: 2026/a b.jpg', 'cover: pictures/ü (1).jpg')
      .replace('"2026~a b.jpg"', '"pictures~ü (1).jpg"')
      .replace('- /media/2026/a%20b.jpg?v=1', `- "${url}?v=1"`)
      .replace('org/media/2026/a%20b.jpg', `org${url}`)
      .replace('link: ../media/2026/a%20b.jpg', 'link: ../media/pictures/ü%20(1).jpg')
      .replace('"![](/media/2026/a%20b.jpg)"', `"![](${inMarkdown})"`)
      .replace('![A](/media/2026/a%20b.jpg "t")', `![A](${inMarkdown} "t")`)
      .replace('<../media/2026/a b.jpg>', '<../media/pictures/ü (1).jpg>')
      .replace('src="/media/2026/a%20b.jpg"', `src="${url}"`)
      .replace('srcset="/media/_w640/2026/a%20b.jpg.webp 1x', `srcset="${url.replace('media/', 'media/_w640/')}.webp 1x`),
  )
  t.match(await source(opened, 'posts', 'draft'), `![](${inMarkdown})`)
  t.match(await source(opened, 'menus', 'main'), url)
  t.equal(await source(opened, 'settings', 'site'), `logo: pictures/ü (1).jpg # ours\nfooter: "![](${inMarkdown})"\n`)
  t.match(
    await source(opened, 'media', 'pictures~ü (1).jpg'),
    /^alt: A # said\nuploaded_by: ada\naliases:\n {2}- \/media\/2026\/a%20b\.jpg\n$/,
  )
  const { changes } = await opened.store.changes(next, 100)
  t.equal(new Set(changes.map(({ request }) => request)).size, 1)
  t.equal((await app.ask(`GET /api/media/${OLD}`)).status, 404)
  const back = await move(app, '2026~a b.jpg', {}, 'admin', 'pictures~%C3%BC%20(1).jpg')
  t.equal(back.status, 200)
  t.match(await source(opened, 'media', '2026~a b.jpg'), /aliases:\n {2}- \/media\/pictures\/%C3%BC%20\(1\)\.jpg\n$/)
})

each('a move is told as far as its maker may see', async (t, app) => {
  const moved = await move(app, 'b.jpg', {}, 'content:read,media:write')
  t.match(moved.body, { data: { used_by: { length: 4 } }, meta: { rewritten: 2 } })
  t.notOk(moved.body.meta.left)
})

each('what can not be moved so', async (t, app, { store }) => {
  await store.write([{ key: keyOf('media', 'taken.jpg'), put: { set: { alt: 'x' } } }], by)
  t.equal((await move(app, 'taken.jpg')).status, 409)
  t.equal((await move(app, 'a.png')).status, 422, 'another type')
  t.equal((await move(app, 'b.png~a.jpg')).status, 422, 'a folder that is called as a file')
  t.equal((await move(app, 'a.jpeg')).status, 200, 'another ending of the same')
  t.equal((await move(app, 'b.jpg', {}, 'read', 'a.jpeg')).status, 403)
  t.equal((await move(app, 'b.jpg', { 'if-match': '"0000000000000000000000000000000000000000"' }, 'admin', 'a.jpeg')).status, 412)
  for (const id of ['', 'a', '../x.jpg', 'a/b.jpg', '.x.jpg', 'con.jpg', `${'x'.repeat(300)}.jpg`, 'x.jpg~'])
    t.equal((await move(app, id, {}, 'admin', 'a.jpeg')).status, 422, id)
  const key = { 'idempotency-key': 'one' }
  const [one, two] = [await move(app, 'c.jpg', key, 'admin', 'a.jpeg'), await move(app, 'c.jpg', key, 'admin', 'a.jpeg')]
  t.equal(one.status, 200)
  t.same(two.body.data, one.body.data)
})

each('bytes go along, and go with it', async (t, app, { store, blobs, site }) => {
  const bytes = await blobs.put(Readable.from([Buffer.from('some bytes')]), 1000)
  await store.write([{ key: keyOf('media', 'x.jpg'), put: { set: { size: 10, checksum: `sha256:${bytes.ref}` }, bytes } }], by)
  const moved = await move(app, 'sub~y.jpg', {}, 'admin', 'x.jpg')
  t.match(moved.body.data, { size: 10, checksum: `sha256:${bytes.ref}` })
  if (site) t.ok(existsSync(site.path('content/media/sub/y.jpg')) && !existsSync(site.path('content/media/x.jpg')))
  t.equal((await app.ask('DELETE /api/media/sub~y.jpg')).status, 200)
  if (site) t.notOk(existsSync(site.path('content/media/sub/y.jpg')))
  t.equal((await app.ask('GET /api/media/sub~y.jpg')).status, 404, 'no file without a sidecar is left')
})
