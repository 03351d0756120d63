import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/media/2026/ü a.jpg.yaml': 'alt: A\n',
  'content/media/b.png.yaml': 'alt: B\n',
  'content/media/c.pdf.yaml': 'alt: C\n',
  'content/media/hidden.jpg.yaml': 'alt: Hidden\n',
  'content/posts/draft.md': '---\ntitle: Draft\nstatus: draft\ncover: hidden.jpg\n---\n',
  'content/posts/old.md': '---\ntitle: Old\ncover: /media/gone.jpg\ngallery: [gone.jpg]\n---\n',
}
const types = plainTypes({
  posts: {
    fields: {
      cover: { type: 'media', accept: ['image'] },
      paper: { type: 'media', accept: ['pdf'] },
      gallery: { type: 'media', multiple: true },
      parts: { type: 'list', of: { type: 'object', fields: { picture: { type: 'media' } } } },
    },
  },
})
const features = { api: true, media: true, settings: true }

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) =>
    eachStore(t, { files: FILES, types, beside: { 'content/media/beside.webp': 'bytes' } }, async (t, opened) => {
      const app = new TestApp(opened, { config: { features } })
      await body(t, app, opened)
      await app.close()
    }),
  )
}

const create = (app: TestApp, fields: object, as = 'admin') =>
  app.ask('POST /api/cms/posts', { body: { title: 'New', status: 'published', ...fields }, as })

each('a media file is named by its path, its address or its id', async (t, app, { store }) => {
  const made = await create(app, {
    cover: '/media/2026/%C3%BC%20a.jpg',
    gallery: ['2026~ü a.jpg', 'https://example.org/media/b.png?v=1', 'b.png', 'beside.webp'],
    parts: [{ picture: '/media/_w640/b.png.webp' }],
    paper: 'c.pdf',
  })
  t.equal(made.status, 201, made.text)
  t.match(made.body.data, {
    cover: '2026/ü a.jpg',
    gallery: ['2026/ü a.jpg', 'b.png', 'b.png', 'beside.webp'],
    parts: [{ picture: 'b.png' }],
  })
  t.match((await store.get(keyOf('posts', 'new')))?.fields, { cover: '2026/ü a.jpg' })
  const { version } = made.body.data
  const same = await app.ask('PATCH /api/cms/posts/new', { body: { cover: '/media/2026/%C3%BC%20a.jpg' } })
  t.equal(same.body.data.version, version, 'the same file is no change')
  const changed = await app.ask('PATCH /api/cms/posts/new', { body: { cover: '/media/b.png' } })
  t.equal(changed.body.data.cover, 'b.png')
  t.match((await app.ask('GET /api/media/b.png')).body.data.used_by, [{ type: 'posts', id: 'new' }])
  const action = await app.ask('POST /api/cms/posts/actions', { body: { ids: ['new'], set: { cover: '/media/beside.webp' } } })
  t.equal(action.status, 200, action.text)
  t.equal((await app.ask('GET /api/cms/posts/new')).body.data.cover, 'beside.webp')
})

each('what is not there, or of another kind, is refused', async (t, app) => {
  const bad = await create(app, {
    cover: 'c.pdf',
    paper: 'b.png',
    gallery: ['b.png', 'none.jpg', '/media/none.jpg'],
    parts: [{ picture: 'b.png' }, { picture: 'https://elsewhere.org/media/b.png' }],
  })
  t.equal(bad.status, 422)
  t.same(bad.body.errors, {
    cover: ['The cover must be a file of: image.'],
    paper: ['The paper must be a file of: pdf.'],
    'gallery.1': ['The selected gallery.1 is invalid: there is no "none.jpg" in media.'],
    'gallery.2': ['The selected gallery.2 is invalid: there is no "none.jpg" in media.'],
    'parts.1.picture': ['The selected parts.1.picture is invalid: there is no "https://elsewhere.org/media/b.png" in media.'],
  })
  const hidden = await create(app, { cover: 'hidden.jpg' }, 'content:read,content:write,content:publish')
  const none = await create(app, { cover: 'absent.jpg' }, 'content:read,content:write,content:publish')
  t.same([hidden.status, hidden.text.replaceAll('hidden', 'absent')], [422, none.text], 'a file of a draft is not told of')
  t.equal((await create(app, { cover: 'hidden.jpg' })).status, 201)
})

each('what a record has already stays', async (t, app, opened) => {
  const source = async () => String((await opened.store.get(keyOf('posts', 'old')))?.source)
  const { data } = (await app.ask('GET /api/cms/posts/old')).body
  const changed = await app.ask('PUT /api/cms/posts/old', { body: { ...data, title: 'Older' } })
  t.equal(changed.status, 200, changed.text)
  t.equal(await source(), FILES['content/posts/old.md'].replace('Old', 'Older'))
  t.equal((await app.ask('PATCH /api/cms/posts/old', { body: { gallery: ['gone.jpg', 'b.png'] } })).status, 200)
  t.equal((await app.ask('PATCH /api/cms/posts/old', { body: { gallery: ['gone.jpg', 'lost.png'] } })).status, 422)
})

each('settings that are media', async (t, app) => {
  const set = (value: unknown) => app.ask('PUT /api/settings/site.logo', { body: { value } })
  t.match((await set('/media/b.png')).body.data, { value: 'b.png' })
  t.match(await set('c.pdf'), { status: 422, body: { errors: { value: ['The value must be a file of: image.'] } } })
  t.equal((await set('none.png')).status, 422)
  t.match((await app.ask('GET /api/media/b.png')).body.data.used_by, [{ type: 'setting', id: 'site.logo' }])
})

t.test('where media are switched off, any value is taken', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { api: true } } })
    t.match((await create(app, { cover: '/media/none.jpg' })).body.data, { cover: '/media/none.jpg' })
    await app.close()
  }),
)
