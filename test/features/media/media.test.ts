import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { long } from '#support/long.ts'
import { eachStore, everyStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const SUM = 'a'.repeat(64)
const CAT = `# A cat of Ada's
mime_type: image/jpeg
size: 1234
width: 1600
height: 1200
checksum: sha256:${SUM}
alt: A cat   # on a wall
uploaded_by: ada
`
const FILES = {
  'content/media/2026/cat.jpg.yaml': CAT,
  'content/media/2026/11/film.mp4.yaml': 'size: 99\nduration: 2.5\ncaption: "Été à Rome"\n',
  'content/media/notes.txt.yaml': 'size: 5000\n',
  'content/media/odd.png.yaml': 'alt: [\n',
}
const types = plainTypes({ posts: {} })
const by = { name: 'Somebody', email: 'somebody@example.org' }
const features = { api: true, media: true, revisions: true }

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    everyStore(t, { files: FILES, types }, async (t, opened) => {
      const app = new TestApp(opened, { config: { features } })
      await body(t, app, opened)
      await app.close()
    }),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
type Any = any

const ids = ({ body }: { body: Any }) => body.data.map(({ id }: Any) => id)
const source = async ({ store }: OpenedStore, id: string) => String((await store.get(keyOf('media', id)))?.source)

long(each)('a media file is what its sidecar says', async (t, app) => {
  const { status, body, headers } = await app.ask('GET /api/media/2026~cat.jpg', { as: 'read' })
  t.equal(status, 200)
  t.match(body.data, {
    ...{ id: '2026~cat.jpg', filename: 'cat.jpg', folder: '2026', url: '/media/2026/cat.jpg', mime_type: 'image/jpeg' },
    ...{ size: 1234, width: 1600, height: 1200, duration: null, checksum: `sha256:${SUM}`, alt: 'A cat', title: null },
    ...{ caption: null, focal_point: null, used_by: [], uploaded_by: 'ada', declared: true, version: /^[0-9a-f]{40}$/ },
  })
  t.match(headers.etag, new RegExp(`^"${body.data.version}-[0-9a-f]{8}"$`))
  const same = { 'if-none-match': String(headers.etag) }
  t.equal((await app.ask('GET /api/media/2026~cat.jpg', { as: 'read', headers: same })).status, 304)
  t.match((await app.ask('GET /api/media/2026~11~film.mp4')).body.data, {
    mime_type: 'video/mp4',
    duration: 2.5,
    folder: '2026/11',
  })
  for (const id of ['none.jpg', '2026', 'a~b', '..~x.jpg', 'x'])
    t.match(await app.ask(`GET /api/media/${id}`), { status: 404, body: { message: 'The media file was not found.' } }, id)
  t.equal((await app.ask('GET /api/media/odd.png')).status, 422, 'a sidecar that can not be read')
  t.equal((await app.bare('GET /api/media')).status, 401)
  t.equal((await app.ask('GET /api/media', { as: 'users:read' })).status, 403)
})

each('the list is narrowed and ordered', async (t, app) => {
  const list = async (query: string) => ids(await app.ask(`GET /api/media?${query}`, { as: 'read' }))
  const all = await app.ask('GET /api/media?per_page=2&sort=filename')
  t.same(ids(all), ['2026~cat.jpg', '2026~11~film.mp4'])
  t.same(all.body.meta, { total: 3, per_page: 2, current_page: 1, last_page: 2 })
  t.same(await list('sort=-size'), ['notes.txt', '2026~cat.jpg', '2026~11~film.mp4'])
  t.same(await list('folder=2026'), ['2026~cat.jpg'])
  t.same(await list('folder=2026/*&sort=filename'), ['2026~cat.jpg', '2026~11~film.mp4'])
  t.same(await list('folder='), ['notes.txt'])
  t.same(await list('folder=202/*'), [])
  t.same(await list('type=video'), ['2026~11~film.mp4'])
  t.same(await list('type=document'), ['notes.txt'])
  t.same(await list('q=ete'), ['2026~11~film.mp4'])
  t.same(await list('q=CAT'), ['2026~cat.jpg'])
  t.same((await list('unused=true')).length, 3)
  t.same(await list('page=9'), [])
  const bad = await app.ask('GET /api/media?type=picture&unused=no&sort=name&q=&page=0')
  t.equal(bad.status, 422)
  t.same(Object.keys(bad.body.errors).sort(), ['page', 'q', 'sort', 'type', 'unused'])
  t.match(await app.ask('GET /api/media?unsued=true'), { status: 400, body: { message: /Did you mean "unused"/ } })
})

long(each)('what is said of it is changed line by line', async (t, app, opened) => {
  const first = (await app.ask('GET /api/media/2026~cat.jpg')).body.data
  const put = (body: unknown, headers = {}, query = '') =>
    app.ask(`PUT /api/media/2026~cat.jpg${query}`, { body, headers, as: 'content:read,media:write' })
  const changed = await put({ ...first, alt: 'Two cats', focal_point: { x: 0.5, y: 0 } })
  t.equal(changed.status, 200, changed.text)
  t.match(changed.body.data, { alt: 'Two cats', focal_point: { x: 0.5, y: 0 }, width: 1600 })
  t.equal(await source(opened, '2026~cat.jpg'), `${CAT.replace('A cat   #', 'Two cats   #')}focal_point:\n  x: 0.5\n  "y": 0\n`)
  t.equal((await put({ alt: 'Two cats' })).body.data.version, changed.body.data.version, 'what changes nothing is no change')
  t.equal((await put({ alt: 'Three' }, { 'if-match': `"${first.version}"` })).status, 412)
  t.equal((await put({ alt: 'Three' }, { 'if-match': String(changed.headers.etag) })).status, 200)
  const merged = await put({ title: 'Cats' }, {}, `?base=${changed.body.data.version}`)
  t.match(merged.body, { data: { alt: 'Three', title: 'Cats' }, meta: { merged: true } })
  t.match(await put({ alt: 'Four' }, {}, `?base=${changed.body.data.version}`), {
    status: 409,
    body: { conflict: { fields: ['alt'], base: { alt: 'Two cats' }, yours: { alt: 'Four' }, theirs: { alt: 'Three' } } },
  })
  t.equal((await put({ focal_point: null, title: '' })).body.data.title, null)
  t.notMatch(await source(opened, '2026~cat.jpg'), /focal_point|title/)
  const bad = await put({ size: 1, atl: 'x', title: 'x'.repeat(201), caption: 7, focal_point: { x: 2, y: 0 } })
  t.equal(bad.status, 422)
  t.match(bad.body.errors, {
    size: ['The size is made by Quire and can not be set.'],
    atl: [/Did you mean "alt"/],
    title: [/200/],
    caption: [/text/],
    focal_point: [/0 to 1/],
  })
  t.match(await app.ask('PUT /api/media/2026~cat.jpg', { body: { alt: 'x' }, as: 'edit' }), { status: 200 })
  t.match(await app.ask('PUT /api/media/2026~cat.jpg', { body: { alt: 'x' }, as: 'read' }), {
    status: 403,
    body: { message: 'This needs the right media:write.' },
  })
  t.equal((await app.ask('PUT /api/media/odd.png', { body: { alt: 'x' } })).status, 422)
  t.equal((await app.ask('PUT /api/media/none.png', { body: { alt: 'x' } })).status, 404)
})

long(each)('it is removed, and its page is gone', async (t, app, { store }) => {
  const stale = { 'if-match': '"0000000000000000000000000000000000000000"' }
  t.equal((await app.ask('DELETE /api/media/notes.txt', { headers: stale })).status, 412)
  t.equal((await app.ask('DELETE /api/media/notes.txt', { as: 'read' })).status, 403)
  t.same((await app.ask('DELETE /api/media/notes.txt')).body, { data: { id: 'notes.txt', deleted: true } })
  t.equal((await app.ask('DELETE /api/media/notes.txt')).status, 404)
  t.equal(await store.get(keyOf('media', 'notes.txt')), undefined)
  t.same((await app.ask('GET /api/media')).body.meta.total, 2)
})

t.test('own files are those that were uploaded by oneself', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { ...features, auth: true } } })
    const user = (name: string, role: string) => app.features.users.create({ name, email: `${name}@example.org`, role }, by)
    const [ada, bob] = [await user('ada', 'contributor'), await user('bob', 'author')]
    const body = { alt: 'Mine' }
    t.equal((await app.askAs(ada, 'PUT /api/media/2026~cat.jpg', { body })).status, 200)
    t.match(await app.askAs(bob, 'PUT /api/media/2026~cat.jpg', { body }), { status: 403, body: { message: /uploaded/ } })
    t.equal((await app.askAs(bob, 'DELETE /api/media/2026~cat.jpg')).status, 403)
    t.equal((await app.askAs(ada, 'DELETE /api/media/notes.txt')).status, 403)
    t.equal((await app.askAs(ada, 'DELETE /api/media/2026~cat.jpg')).status, 200)
    await app.close()
  }),
)

t.test('a file without a sidecar is a media file, too', (t) =>
  eachStore(t, { files: { 'content/posts/a.md': '![](/media/b%20c.svg)\n' }, types, history: true }, async (t, opened) => {
    const { site, siteFiles } = opened
    if (!site || !siteFiles) return
    site.write('content/media/b c.svg', 'bytes')
    site.write('content/media/sub/README.md', 'no media')
    site.write('content/media/sub/none', 'no ending')
    const app = new TestApp(opened, { config: { features } })
    t.same(ids(await app.ask('GET /api/media')), ['b c.svg'])
    const { body, headers } = await app.ask('GET /api/media/b%20c.svg')
    t.match(body.data, {
      ...{ mime_type: 'image/svg+xml', size: 5, width: null, version: null, declared: false, url: '/media/b%20c.svg' },
      ...{ used_by: [{ type: 'posts', id: 'a' }], uploaded_by: null, created_at: null },
      checksum: 'sha256:277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9',
    })
    t.match(await app.ask('DELETE /api/media/b%20c.svg?force=true'), { status: 409, body: { message: /without Quire/ } })
    const changed = await app.ask('PUT /api/media/b%20c.svg', {
      body: { alt: 'B' },
      headers: { 'if-match': String(headers.etag) },
    })
    t.match(changed, { status: 200, body: { data: { alt: 'B', declared: true, size: 5 } } })
    t.equal(readFileSync(site.path('content/media/b c.svg.yaml'), 'utf8'), 'alt: B\n')
    site.write('content/media/b c.svg', 'other bytes')
    t.equal((await app.ask('GET /api/media/b%20c.svg')).body.data.size, 11, 'the bytes that lie beside are the truth')
    await app.close()
  }),
)

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

t.test('bytes beside a sidecar say more of themselves than it does', (t) =>
  eachStore(
    t,
    {
      files: { 'content/media/dot.png.yaml': 'width: 900\nheight: 900\nsize: 1\n' },
      beside: { 'content/media/dot.png': DOT, 'content/media/broken.png': 'no picture' },
      types,
    },
    async (t, opened) => {
      const app = new TestApp(opened, { config: { features } })
      t.match((await app.ask('GET /api/media/dot.png')).body.data, { width: 1, height: 1, size: DOT.length, declared: true })
      t.match((await app.ask('GET /api/media/broken.png')).body.data, { width: null, height: null, size: 10, declared: false })
      t.same(
        (await app.ask('GET /api/media?type=image&sort=size')).body.data.map(({ width }: Any) => width),
        [null, 1],
      )
      await app.close()
    },
  ),
)
