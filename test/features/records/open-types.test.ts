import t from 'tap'
import { TestApp } from '#support/app.ts'
import { longTest } from '#support/long.ts'
import { panelOf } from '#support/panel.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({
  notes: { permalink: '/n/{slug}' },
  closed: { additional_fields: false },
  fielded: { fields: { mood: { type: 'text' } } },
})
const FILES = {
  'content/notes/a.md': '---\ntitle: A\nmood: calm\nstars: 2\n---\n',
  'content/notes/b.md': '---\ntitle: B\nmood: wild\nstars: 10\n---\n',
}

t.test('a type that is declared without fields takes, filters and sorts by any', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const app = new TestApp(opened)
    t.teardown(() => app.app.close())
    const body = { title: 'New', excerpt: 'In short', mood: 'calm', deep: { list: [1, null] } }
    const made = await app.ask('POST /api/cms/notes', { body: { ...body, status: 'published' } })
    t.equal(made.status, 201)
    t.match(made.body.data, { ...body, url: '/n/new' })
    const changed = await app.ask('PATCH /api/cms/notes/new', { body: { mood: null, stars: 5 } })
    t.match(changed.body.data, { excerpt: 'In short', stars: 5 })
    t.notOk('mood' in changed.body.data)

    const ids = async (query: string) => {
      const { status, body } = await app.ask(`GET /api/cms/notes?${query}`)
      return status === 200 ? body.data.map(({ id }: { id: string }) => id).join(' ') : body.message
    }
    t.equal(await ids('filter[mood]=calm'), 'a')
    t.equal(await ids('filter[mood][ne]=null&sort=-mood'), 'b a')
    t.equal(await ids('fields=id,excerpt&sort=excerpt,id'), 'new a b')
    t.match(await ids('filter[body]=x'), /can't be filtered/)
    t.match((await app.ask('GET /api/cms/notes?facets=mood')).body.meta.facets, { mood: { calm: 1, wild: 1 } })
  }),
)

t.test('one that says otherwise, or declares fields, takes those it knows alone', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const app = new TestApp(opened)
    t.teardown(() => app.app.close())
    for (const type of ['closed', 'fielded']) {
      const { status, body } = await app.ask(`POST /api/cms/${type}`, { body: { title: 'New', excerpt: 'In short' } })
      t.equal(status, 422, type)
      t.match(Object.keys(body.errors), ['excerpt'])
      t.equal((await app.ask(`GET /api/cms/${type}?filter[excerpt]=x`)).status, 400, type)
    }
  }),
)

longTest('a folder that makes a type is told to those who see something in it, or may write there', (t) => {
  const files = {
    ...FILES,
    'content/hush/draft.md': '---\ntitle: D\nstatus: draft\n---\n',
    'content/hush/later.md': '---\ntitle: L\npublished_at: 2099-01-01\n---\n',
    'content/said/a.md': '---\ntitle: A\n---\n',
  }
  const setup = { files, types, now: '2026-01-15T12:00:00Z' }
  return eachStore(t, setup, async (t, opened) => {
    const app = new TestApp(opened)
    t.teardown(() => app.app.close())
    const write = 'content:read,content:write'
    const statusOf = async (as: string, path: string) => (await app.ask(`GET /api/cms/${path}`, { as })).status
    const typesFor = async (as: string) =>
      (await app.ask('GET /api/cms/types', { as })).body.data.map(({ name }: { name: string }) => name).join(' ')
    // A list that is kept for who may write is none for who may not.
    for (const as of [write, 'read', 'edit', 'read'])
      for (const path of ['hush', 'types/hush', 'search?q=x&type=hush', 'hush?status=draft'])
        t.equal(await statusOf(as, path), as === 'read' ? 404 : 200, `${path} for ${as}`)
    t.match((await app.ask('GET /api/cms/hush', { as: 'read' })).body, { message: 'There is no content type "hush".' })
    t.equal(await typesFor('read'), 'notes closed fielded said')
    for (const as of [write, 'edit']) t.equal(await typesFor(as), 'notes closed fielded hush said')
    await app.ask('PATCH /api/cms/hush/draft', { body: { status: 'published' } })
    for (const path of ['hush', 'types/hush', 'search?q=x&type=hush']) t.equal(await statusOf('read', path), 200, path)
  })
})

t.test('the panel tells of it as the API does', (t) =>
  panelOf(
    t,
    { 'content/hush/draft.md': '---\ntitle: D\nstatus: draft\n---\n', 'content/said/a.md': '---\ntitle: A\n---\n' },
    async (t, { as }) => {
      for (const [role, isTold] of [
        ['viewer', false],
        ['contributor', true],
      ] as const) {
        const { html } = await (await as(role)).browser.get('/admin/content/said')
        t.match(html, 'href="/admin/content/said"')
        t.equal(html.includes('/admin/content/hush'), isTold, role)
      }
    },
  ),
)
