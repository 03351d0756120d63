import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { mediaLike } from '#features/media/uses/media-like.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const by = { name: 'Somebody', email: 'somebody@example.org' }
const PICTURES = ['a.jpg', '2026~b.jpg', '2026~ü c.jpg', 'd.mp4', 'e.jpg', 'f.jpg', 'g.jpg', 'unused.jpg']
const LONG = `${'A word, and a [link](https://example.org/x). '.repeat(500)}\n\n![](/media/a.jpg)\n`
const types = plainTypes({
  posts: {
    additional_fields: true,
    fields: {
      cover: { type: 'media' },
      gallery: { type: 'media', multiple: true },
      parts: { type: 'list', of: { type: 'object', fields: { picture: { type: 'media' }, text: { type: 'markdown' } } } },
      link: { type: 'url' },
      summary: { type: 'markdown' },
    },
  },
  pages: {},
  notes: { wikilinks: true },
})
const features = { api: true, media: true, menus: true, settings: true, revisions: true, auth: true }

interface Tried {
  readonly fields?: object
  readonly body?: string
  readonly uses: readonly string[]
}

/** Ways in which a record uses media, and what looks like one. */
const WAYS: Readonly<Record<string, Tried>> = {
  picture: { body: '![A](/media/a.jpg "title")\n', uses: ['a.jpg'] },
  escaped: { body: '[B](</media/2026/ü c.jpg>) ![](/media/2026/%C3%BC%20c.jpg?v=1#x)\n', uses: ['2026~ü c.jpg'] },
  whole: { body: '<https://example.org/media/a.jpg> and [x](//example.org/media/2026/b.jpg)\n', uses: ['a.jpg', '2026~b.jpg'] },
  reference: { body: '![x][y]\n\n[y]: /media/a.jpg\n', uses: ['a.jpg'] },
  entities: {
    body: '![](/media/&#97;.jpg) ![](&#x2f;&#109;edia/2026/b.jpg) <img src="/media/2026/&uuml; c.jpg">\n',
    uses: ['a.jpg', '2026~b.jpg', '2026~ü c.jpg'],
  },
  html: {
    body: '<img src="/media/a.jpg" srcset="/media/2026/b.jpg 1x, /media/e.jpg 2x">\n\n<video poster=/media/f.jpg src=\'/media/d.mp4\'></video>\n',
    uses: ['a.jpg', '2026~b.jpg', 'e.jpg', 'f.jpg', 'd.mp4'],
  },
  file: { body: '![](../media/a.jpg) ![](/content/media/2026/b.jpg)\n', uses: ['a.jpg', '2026~b.jpg'] },
  dots: { body: '![](/media/./a.jpg) ![](/posts/../media/%2e/2026/b.jpg) ![](/media/../a.jpg)\n', uses: ['a.jpg', '2026~b.jpg'] },
  smaller: {
    body: '<img srcset="/media/_w640/a.jpg.webp 640w, https://example.org/media/_w640x320/2026/b.jpg.avif 2x">\n',
    uses: ['a.jpg', '2026~b.jpg'],
  },
  code: { body: '`![](/media/a.jpg)`\n\n    ![](/media/a.jpg)\n\n<!-- ![](/media/a.jpg) -->\n', uses: [] },
  other: { body: '![](https://elsewhere.org/media/a.jpg) ![](/blog/media/a.jpg) ![](/mediax/a.jpg) /media/a.jpg\n', uses: [] },
  long: { body: LONG, uses: ['a.jpg'] },
  cover: { fields: { cover: '2026/b.jpg' }, uses: ['2026~b.jpg'] },
  id: { fields: { cover: '2026~b.jpg', gallery: ['a.jpg', '/media/e.jpg'] }, uses: ['2026~b.jpg', 'a.jpg', 'e.jpg'] },
  deep: {
    fields: { parts: [{ picture: 'a.jpg', text: '![](/media/f.jpg)' }], summary: 'a ![](/media/g.jpg)' },
    uses: ['a.jpg', 'f.jpg', 'g.jpg'],
  },
  url: { fields: { link: 'https://example.org/media/a.jpg' }, uses: ['a.jpg'] },
  undeclared: { fields: { og: { image: ['/media/a.jpg'] }, text: 'a.jpg /media/2026/b.jpg' }, uses: ['a.jpg'] },
}

const key = (id: string) => keyOf('media', id)
const put = (type: string, id: string, set: object, body = ''): Change => ({
  key: keyOf(type, id),
  put: { set: { ...set }, body },
})
const data = (kind: string, id: string, set: object): Change => ({ key: keyOf(kind, id), put: { set: { ...set } } })

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    eachStore(t, { types, history: true }, async (t, opened) => {
      await opened.store.write(
        PICTURES.map((id) => ({ key: key(id), put: { set: { size: 1, uploaded_by: 'ada' } } })),
        by,
      )
      const app = new TestApp(opened, { config: { features } })
      await body(t, app, opened)
      await app.close()
    }),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
type Any = any

const usedBy = async (app: TestApp, id: string, as = 'admin', asked: { types?: string[] } = {}) => {
  const { status, body } = await app.ask(`GET /api/media/${encodeURIComponent(id)}`, { as, ...asked })
  return status === 200 ? body.data.used_by.map((use: Any) => `${use.type}/${use.id}`) : status
}
const ids = ({ body }: { body: Any }) => body.data.map(({ id }: Any) => id).sort()

each('whatever uses a media file is found, and follows what is written', async (t, app, { store }) => {
  t.same(await usedBy(app, 'a.jpg'), [], 'before anything is written')
  await store.write(
    Object.entries(WAYS).map(([id, { fields = {}, body }]) =>
      put('posts', id, { title: id, status: 'published', ...fields }, body),
    ),
    by,
  )
  for (const id of PICTURES) {
    const users = Object.entries(WAYS).flatMap(([name, { uses }]) => (uses.includes(id) ? [`posts/${name}`] : []))
    t.same(await usedBy(app, id), users.sort(), id)
  }
  t.same(ids(await app.ask('GET /api/media?unused=true')), ['unused.jpg'])
  await store.write([put('posts', 'cover', { cover: 'unused.jpg' }), { key: keyOf('posts', 'id'), remove: true }], by)
  t.same(await usedBy(app, 'unused.jpg'), ['posts/cover'])
  t.notOk((await usedBy(app, '2026~b.jpg')).includes('posts/id'))
})

each('names of pictures in double brackets are uses where a type says so', async (t, app, { store }) => {
  const body = '![[../media/a.jpg]] ![[/media/e.jpg|300]] [[/media/d.mp4]] `![[/media/g.jpg]]`\n'
  await store.write([put('notes', 'n', { title: 'N', status: 'published' }, body)], by)
  await store.write([put('posts', 'p', { title: 'P', status: 'published' }, body)], by)
  for (const id of ['a.jpg', 'e.jpg', 'd.mp4']) t.same(await usedBy(app, id), ['notes/n'], id)
  t.same(await usedBy(app, 'g.jpg'), [])
  await app.ask('POST /api/media/e.jpg/move', { body: { id: '2026~new.jpg' } })
  t.match((await store.get(keyOf('notes', 'n')))?.body, '![[/media/2026/new.jpg|300]]')
})

each('of very many uses the first are told, and lists stay below 8 MiB', async (t, app, { store }) => {
  const many = 1_050
  const cover = (n: number) => put('posts', `p${String(n).padStart(4, '0')}${'x'.repeat(180)}`, { title: 'P', cover: 'a.jpg' })
  await store.write(
    Array.from({ length: many }, (_, n) => cover(n)),
    by,
  )
  const one = await app.ask('GET /api/media/a.jpg')
  t.equal(one.body.data.used_by.length, 1_000)
  t.match(one.body.data.used_by.at(-1).id, /^p0999/)
  const removed = await app.ask('DELETE /api/media/a.jpg')
  t.match([removed.status, removed.body.conflict.used_by.length], [409, 1_000])
  t.match(removed.body.message, 'and 1049 more')
  const list = await app.ask('GET /api/media')
  t.equal(list.body.meta.omitted, undefined)
  t.equal(list.body.data.find(({ id }: Any) => id === 'a.jpg').used_by.length, 1_000)
  const pictures = Array.from({ length: 50 }, (_, n) => `many/${n}.jpg`)
  await store.write(
    pictures.map((path) => ({ key: key(path.replace('/', '~')), put: { set: { size: 1 } } })),
    by,
  )
  const body = pictures.map((path) => `![](/media/${path})`).join('\n')
  await store.write(
    Array.from({ length: many }, (_, n) => ({ ...cover(n), put: { set: { title: 'P' }, body } })),
    by,
  )
  const long = await app.ask('GET /api/media?per_page=100&folder=many')
  t.match([long.status, long.body.data.length, long.body.meta], [200, 50, { total: 50, omitted: ['used_by'] }])
  t.notOk(long.body.data.some((one: object) => 'used_by' in one))
  t.ok(long.text.length < 8 * 1024 * 1024)
  t.equal((await app.ask('GET /api/media/many~7.jpg')).body.data.used_by.length, 1_000)
  t.same(ids(await app.ask('GET /api/media?folder=many&unused=true')), [])
})

each('lists go without long texts, where these are too long', async (t, app, { store }) => {
  const long = 'é'.repeat(500_000)
  const keys = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg'].map((id) => key(`long~${id}`))
  const write = (set: Record<string, string>) =>
    store.write(
      keys.map((key) => ({ key, put: { set } })),
      by,
    )
  const asked = async (query = '') => (await app.ask(`GET /api/media?folder=long${query}`)).body
  await write({ caption: long, alt: 'Short', title: 'T' })
  t.equal((await asked()).data[0].caption.length, 500_000)
  await write({ caption: long, alt: long, title: 'T' })
  const { data, meta } = await asked()
  t.same(meta.omitted, ['used_by', 'caption'])
  t.match([data.length, data[0].alt.length, 'caption' in data[0]], [5, 500_000, false])
  t.same((await asked('&at=2100-01-01T00:00:00Z')).meta.omitted, ['used_by', 'caption'])
  t.equal((await app.ask('GET /api/media/long~a.jpg')).body.data.caption.length, 500_000)
})

each('menus and settings use media, and settings are told to those who may see them', async (t, app, { store }) => {
  const items = [{ label: 'A', children: [{ label: 'B', url: '/media/a.jpg' }] }]
  await store.write(
    [
      data('menus', 'main', { items }),
      data('settings', 'site', { logo: '2026/b.jpg', footer: '![](/media/a.jpg)' }),
      data('settings', 'custom', { secret: { picture: '/media/e.jpg' } }),
    ],
    by,
  )
  t.same(await usedBy(app, 'a.jpg', 'read'), ['menu/main', 'setting/site.footer'])
  t.same(await usedBy(app, '2026~b.jpg', 'read'), ['setting/site.logo'])
  t.same(await usedBy(app, 'e.jpg'), ['setting/custom.secret'])
  t.same(await usedBy(app, 'e.jpg', 'read'), [], 'a private setting is told to nobody else')
})

each('what only drafts use is not there for who sees no drafts', async (t, app, { store, clock }) => {
  const drafts = [
    put('posts', 'draft', { title: 'Draft', status: 'draft', author: 'bob', cover: 'a.jpg' }),
    put('posts', 'live', { title: 'Live', status: 'published', cover: '2026/b.jpg' }, '![](/media/e.jpg)'),
    put('posts', 'mixed', { title: 'Mixed', status: 'draft' }, '![](/media/e.jpg)'),
    put('pages', 'soon', { title: 'Soon', status: 'published', published_at: '2100-01-01T00:00:00.000Z' }, '![](/media/f.jpg)'),
  ]
  await store.write(drafts, by)
  clock.advance(2000)
  const body = { alt: 'x' }
  for (const [request, options] of [
    ['GET /api/media/a.jpg', {}],
    ['PUT /api/media/a.jpg', { body }],
    ['DELETE /api/media/a.jpg', {}],
    ['GET /api/media/f.jpg', {}],
  ] as const) {
    const as = 'content:read,media:write'
    const hidden = await app.ask(request, { as, ...options })
    const none = await app.ask(request.replace(/[af]\.jpg/, 'none.jpg'), { as, ...options })
    t.same([hidden.status, hidden.body], [404, none.body], request)
  }
  const seen = ['2026~b.jpg', '2026~ü c.jpg', 'd.mp4', 'e.jpg', 'g.jpg', 'unused.jpg'].sort()
  const list = await app.ask('GET /api/media', { as: 'read' })
  t.same(ids(list), seen)
  t.equal(list.body.meta.total, seen.length)
  t.same(await usedBy(app, 'e.jpg', 'read'), ['posts/live'])
  t.same(await usedBy(app, 'e.jpg', 'content:read,content:drafts'), ['posts/live', 'posts/mixed'])
  t.same(await usedBy(app, 'e.jpg', 'content:read,content:drafts', { types: ['pages'] }), 404, 'other types are not there')
  t.same(await usedBy(app, 'f.jpg', 'content:read,content:drafts', { types: ['pages'] }), ['pages/soon'])
  const user = (name: string, role: string) => app.features.users.create({ name, email: `${name}@example.org`, role }, by)
  const [ada, bob, eve] = [await user('ada', 'author'), await user('bob', 'author'), await user('eve', 'author')]
  const asks = async (who: Any) => {
    const { status, body: answer } = await app.askAs(who, 'GET /api/media/a.jpg')
    return status === 200 ? answer.data.used_by : status
  }
  t.same(await asks(bob), [{ type: 'posts', id: 'draft' }], 'by a draft of his own')
  t.same(await asks(ada), [], 'she uploaded it, and is not told who uses it')
  t.same(await asks(eve), 404)
  const own = (status: string) =>
    put('posts', 'own', { title: 'Own', status, author: 'eve' }, '![](/media/a.jpg) ![](/media/g.jpg)')
  await store.write([own('draft')], by)
  t.same(await asks(eve), 404, 'a link in a draft of her own does not show her what she may not see')
  t.notOk(ids(await app.askAs(eve, 'GET /api/media')).includes('a.jpg'))
  t.equal((await app.askAs(eve, 'GET /api/media/g.jpg')).body.data.used_by[0].id, 'own')
  t.notOk(ids(await app.askAs(eve, 'GET /api/media?unused=true')).includes('g.jpg'))
  await store.write([own('published')], by)
  t.same(await asks(eve), [{ type: 'posts', id: 'own' }], 'what is live shows it to everyone')
  await store.write([{ key: keyOf('posts', 'own'), remove: true }], by)
  clock.advance(100 * 365 * 24 * 3600 * 1000)
  t.same(await usedBy(app, 'f.jpg', 'read'), ['pages/soon'], 'what the clock makes live shows it')
})

each('what is used is not removed by accident', async (t, app, { store }) => {
  await store.write([put('posts', 'one', { title: 'One', status: 'published', cover: 'a.jpg' })], by)
  const refused = await app.ask('DELETE /api/media/a.jpg')
  t.match(refused, { status: 409, body: { conflict: { used_by: [{ type: 'posts', id: 'one' }] }, message: /posts\/one/ } })
  t.ok(await store.get(key('a.jpg')))
  t.equal((await app.ask('DELETE /api/media/a.jpg?force=false')).status, 409)
  t.equal((await app.ask('DELETE /api/media/a.jpg?force=true')).status, 200)
  t.equal(await store.get(key('a.jpg')), undefined)
})

/** Ways in which files that can't be read name media. */
const UNREAD = {
  path: ['cover: 2026/b.jpg', '2026~b.jpg'],
  id: ['cover: 2026~b.jpg # the cover', '2026~b.jpg'],
  quoted: ["cover: '2026/ü c.jpg'", '2026~ü c.jpg'],
  spaced: ['cover: 2026/ü c.jpg', '2026~ü c.jpg'],
  items: ['gallery:\n  - a.jpg\n  - x.jpg', 'a.jpg'],
  flow: ['gallery: [2026/ü c.jpg,a.jpg]', 'a.jpg'],
  address: ['cover: /media/a.jpg', 'a.jpg'],
  addresses: ['x: [/media/e.jpg,/media/a.jpg]', 'a.jpg'],
  whole: ['x: https://example.org/media/a.jpg', 'a.jpg'],
  text: ['x: "see ../media/a.jpg."', 'a.jpg'],
  escaped: ['x: "![](\\/media\\/a\\.jpg)"', 'a.jpg'],
  coded: ['x: <img src=/media/&#97;.jpg>', 'a.jpg'],
} as const

t.test('a file that can not be read uses what it names, in a field or as an address', (t) => {
  const broken = Object.entries(UNREAD).map(([name, [line]]) => [
    `content/posts/${name}.md`,
    `---\ntitle: A\ndraft: true\n<<<<<<< a\n${line}\n=======\n>>>>>>> b\n---\n`,
  ])
  const files = {
    ...Object.fromEntries(broken),
    'content/menus/main.yaml': 'items: [\n  url: /media/f.jpg',
    'content/settings/site.yaml': 'logo: [\n/media/g.jpg',
  }
  return eachStore(t, { types, files }, async (t, opened) => {
    await opened.store.write(
      [...PICTURES, 'x.jpg'].map((id) => ({ key: key(id), put: { set: { size: 1 } } })),
      by,
    )
    const app = new TestApp(opened, { config: { features } })
    for (const [name, [line, id]] of Object.entries(UNREAD)) t.ok((await usedBy(app, id)).includes(`posts/${name}`), line)
    t.same(await usedBy(app, 'x.jpg', 'read'), 404, 'it may be that of a draft')
    t.same(await usedBy(app, 'd.mp4', 'read'), [])
    t.same(await usedBy(app, 'f.jpg'), ['menu/main'])
    t.same(await usedBy(app, 'g.jpg'), ['setting/site'])
    await app.close()
  })
})

t.test('what looks like uses is found in linear time', async (t) => {
  const site = { host: 'example.org', base: '' }
  for (const part of ['http://', 'https://x', '/media/', '.', ',/media/a.', '- ', '[']) {
    const text = part.repeat(1_000_000 / part.length)
    const start = process.cpuUsage()
    await mediaLike(`${text}/media/a.jpg`, { site, hasFields: true })
    t.ok(process.cpuUsage(start).user < 3_000_000, part)
  }
})

t.test('a record that can not be read uses what looks like an address in it', (t) =>
  eachStore(
    t,
    { types, files: { 'content/posts/x.md': '---\ntitle: [\n---\n![](/media/a.jpg)\n', 'content/media/a.jpg.yaml': 'alt: A\n' } },
    async (t, opened) => {
      const app = new TestApp(opened, { config: { features } })
      t.same(await usedBy(app, 'a.jpg'), ['posts/x'])
      t.same(await usedBy(app, 'a.jpg', 'read'), 404, 'it may be a draft')
      await app.close()
    },
  ),
)
