import t, { type Test } from 'tap'
import { type Access, localAccess } from '#core/access/access.ts'
import type { RoleSetting } from '#core/access/roles.ts'
import { keyOf } from '#core/key.ts'
import { type Answered, TestApp } from '#support/app.ts'
import { long } from '#support/long.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({
  posts: { fields: { price: { type: 'number' } } },
  notes: {},
  raw: { html: 'trusted' },
  listed: { fields: { author: { type: 'list', rules: 'required' } } },
  several: { fields: { author: { type: 'reference', to: 'authors', multiple: true } } },
  known: { fields: { author: { type: 'reference', to: 'authors', rules: 'exists:authors' } } },
})
const roles: Record<string, RoleSetting> = {
  translator: { extends: 'author', allow: ['content:write@posts'], fields: { posts: ['title', 'body'] } },
  junior: { extends: 'translator', allow: [], fields: { posts: ['body'], notes: ['title'] } },
  trusted: { extends: 'contributor', allow: ['content:publish'], fields: {} },
  writer: { extends: 'author', allow: ['content:write', 'content:drafts'], fields: {} },
  cleaner: { extends: 'viewer', allow: ['content:delete'], fields: {} },
  sharer: { extends: 'contributor', allow: ['content:write@posts'], fields: {} },
}
const FILES = {
  'content/posts/a.md': '---\ntitle: A\nauthor: bo\ntags: [one]\n---\nText.\n',
  'content/posts/draft.md': '---\ntitle: D\nauthor: bo\nstatus: draft\n---\nText.\n',
  'content/notes/n.md': '---\ntitle: N\nauthor: ada\n---\nText.\n',
  'content/notes/bad.md': '---\n- [\n---\n',
  'content/notes/draft.md': '---\ntitle: D\nauthor: [bo, zoe]\nstatus: draft\n---\nText.\n',
  'content/raw/r.md': '---\ntitle: R\nauthor: ada\nstatus: draft\n---\nText.\n',
  'content/posts/shared.md': '---\ntitle: S\nauthor: [bo, ada]\nstatus: draft\n---\nText.\n',
}
const by = { name: 'Somebody', email: 'somebody@example.org' }
const features = { api: true, revisions: true, search: true, taxonomy: true, auth: true }

type As = (role: string, request: string, body?: unknown) => Promise<Answered>

/** Each person is ada: of one role after another. */
function each(name: string, body: (t: Test, as: As, opened: OpenedStore, app: TestApp) => Promise<void>): void {
  t.test(name, { timeout: 300_000 }, (t) =>
    eachStore(t, { files: FILES, types, history: true, now: '2040-01-15T12:00:00Z' }, async (t, opened) => {
      const app = new TestApp(opened, { config: { features, roles } })
      const ada = await app.features.users.create({ email: 'ada@example.org', handle: 'ada', role: 'viewer' }, by)
      const as: As = async (role, request, sent) => {
        opened.clock.advance(1000)
        const user = await app.features.users.setRole(ada.id, role, by)
        return app.askAs(user, request, sent === undefined ? {} : { body: sent })
      }
      await body(t, as, opened, app)
    }),
  )
}

const refused = (t: Test, { status, body, text }: Answered, named: string | RegExp) => {
  t.equal(status, 403, text)
  t.match(body.message, named)
}

long(each)('a role for some fields alone writes these, and is told which others it may not', async (t, as, { store }) => {
  refused(
    t,
    await as('translator', 'PUT /api/cms/posts/a', { title: 'B', price: 3, tags: [] }),
    /fields title, body; not for (?:price, tags|tags, price)\.$/,
  )
  for (const body of [
    { slug: 'other' },
    { status: 'draft' },
    { published_at: '2039-01-01T00:00:00Z' },
    { expires_at: null, tags: ['two'] },
  ]) {
    refused(t, await as('translator', 'PUT /api/cms/posts/a', body), Object.keys(body).at(-1) ?? '')
  }
  const { body: before } = await as('translator', 'GET /api/cms/posts/a')
  const sent = await as('translator', 'PUT /api/cms/posts/a', { ...before.data, title: 'Nouveau', body: 'Texte.\n' })
  t.match(
    [sent.status, sent.body.data],
    [200, { title: 'Nouveau', body: 'Texte.\n', tags: ['one'], author: 'bo' }],
    'what is sent as it is read is no change',
  )
  t.equal((await as('translator', 'PUT /api/cms/notes/n', { tags: ['x'] })).status, 200, 'other types have no such limit')

  refused(t, await as('translator', 'POST /api/cms/posts', { title: 'New', price: 3 }), 'not for price')
  refused(t, await as('translator', 'POST /api/cms/posts', { title: 'New', slug: 'mine' }), 'not for slug')
  refused(t, await as('translator', 'POST /api/cms/posts', { title: 'New', author: 'bo' }), 'not for author')
  refused(t, await as('translator', 'POST /api/cms/posts', { title: 'New', status: 'published' }), 'not for status')
  const made = await as('translator', 'POST /api/cms/posts', {
    title: 'New',
    body: 'Text',
    tags: [],
    status: 'draft',
    author: 'ada',
  })
  t.match(
    [made.status, made.body.data],
    [201, { slug: 'new', status: 'draft', author: 'ada' }],
    'what Quire sets by itself is no breach',
  )
  refused(t, await as('translator', 'POST /api/cms/posts/new/move', { id: 'newer' }), 'not for slug')

  refused(t, await as('junior', 'PUT /api/cms/posts/a', { title: 'C' }), 'fields body; not for title')
  t.equal((await as('junior', 'PUT /api/cms/posts/a', { body: 'C' })).status, 200)
  refused(t, await as('junior', 'PUT /api/cms/notes/n', { body: 'C' }), 'fields title; not for body')
  t.equal((await store.get(keyOf('posts', 'a')))?.fields.price, undefined, 'nothing was written beside')
})

long(each)('a rollback changes no field that its reader may not', async (t, as) => {
  t.equal((await as('editor', 'PUT /api/cms/posts/a', { title: 'B', price: 3 })).status, 200)
  t.equal((await as('editor', 'PUT /api/cms/posts/a', { title: 'C' })).status, 200)
  const { body } = await as('editor', 'GET /api/cms/posts/a/revisions')
  const [, second, first] = body.data.map(({ ts }: { ts: string }) => ts)
  refused(t, await as('translator', `POST /api/cms/posts/a/rollback/${first}`), 'not for price')
  t.match((await as('translator', `POST /api/cms/posts/a/rollback/${second}`)).body.data, { title: 'B', price: 3 })

  t.equal((await as('editor', 'PUT /api/cms/notes/n', { author: 'bo' })).status, 200)
  t.equal((await as('editor', 'PUT /api/cms/notes/n', { author: 'ada', body: 'Two' })).status, 200)
  const notes = (await as('author', 'GET /api/cms/notes/n/revisions')).body.data.map(({ ts }: { ts: string }) => ts)
  refused(t, await as('author', `POST /api/cms/notes/n/rollback/${notes[1]}`), 'another author')
  t.equal((await as('author', `POST /api/cms/notes/n/rollback/${notes[2]}`)).status, 200, 'one by the same author')

  t.equal((await as('editor', 'DELETE /api/cms/notes/n')).status, 200)
  refused(t, await as('junior', `POST /api/cms/notes/n/rollback/${notes[0]}`), 'not for status, slug, body')
  t.equal((await as('author', `POST /api/cms/notes/n/rollback/${notes[0]}`)).status, 200)
  t.equal((await as('editor', 'DELETE /api/cms/posts/a')).status, 200)
  t.equal((await as('author', `POST /api/cms/posts/a/rollback/${second}`)).status, 404, 'what another had is gone')
})

long(each)('the loose files of a type become the own of nobody who may not write all of it', async (t, as, { store }) => {
  for (const [type, sent] of [
    ['posts', { title: 'Index' }],
    ['notes', { title: 'X', slug: 'index' }],
  ] as const) {
    const made = await as('author', `POST /api/cms/${type}`, sent)
    t.match([made.status, made.body.data], [201, { id: 'index-2', slug: 'index' }], type)
    t.equal((await as('author', `DELETE /api/cms/${type}/index-2`)).status, 200)
  }
  refused(t, await as('author', 'POST /api/cms/notes/n/move', { id: 'index' }), /"index" needs the right content:write for all/)
  t.equal((await as('author', 'POST /api/cms/notes/n/move', { id: 'x~Index' })).status, 422)
  t.equal(await store.head(keyOf('posts', 'index')), undefined)
  const made = await as('writer', 'POST /api/cms/notes', { title: 'Index', author: 'ada' })
  t.match([made.status, made.body.data.id], [201, 'index'], 'who may write all may')
  await as('writer', 'DELETE /api/cms/notes/index')
  const [, first] = (await store.history(keyOf('notes', 'index'), {}))?.items ?? []
  refused(t, await as('author', `POST /api/cms/notes/index/rollback/${first?.number}`), /"index" needs/)
})

each('who writes their own alone gives nothing away and takes nothing', async (t, as) => {
  t.equal((await as('author', 'PUT /api/cms/notes/n', { author: 'ada', title: 'M' })).status, 200, 'the author as it is')
  for (const author of ['bo', null, ['ada', 'bo']]) refused(t, await as('author', 'PUT /api/cms/notes/n', { author }), /author/)
  for (const author of ['bo', ['ada', 'bo'], 'ADA'])
    refused(t, await as('author', 'POST /api/cms/notes', { title: 'X', author }), /author/)
  refused(t, await as('author', 'PUT /api/cms/posts/a', { author: 'ada' }), /content:write/)
  t.equal((await as('author', 'PUT /api/cms/posts/draft', { author: 'ada' })).status, 404)
  t.equal((await as('contributor', 'GET /api/cms/posts/shared')).status, 200, 'a record of several is the own of each')
  t.equal((await as('contributor', 'PUT /api/cms/posts/shared', { title: 'T' })).status, 200)
  t.equal((await as('sharer', 'PUT /api/cms/posts/a', { author: 'ada' })).status, 200, 'who may write all may')
  t.equal((await as('sharer', 'PUT /api/cms/posts/draft', { title: 'T' })).status, 404, 'but not what they may not see')
})

long(each)('what goes away from a reader goes everywhere', async (t, as, { search }) => {
  await search.ready()
  const seen = async () => {
    const list = await as('contributor', 'GET /api/cms/posts?status=draft&facets=author')
    const found = await as('contributor', 'GET /api/cms/search?q=text&type=posts&status=draft')
    const one = await as('contributor', 'GET /api/cms/posts/shared')
    const revisions = await as('contributor', 'GET /api/cms/posts/shared/revisions')
    const then = await as('contributor', 'GET /api/cms/posts?status=draft&at=2040-01-15T12:00:00Z')
    return [list.body.meta.total, found.body.meta.total, one.status, revisions.status, then.body.meta.total]
  }
  t.strictSame(await seen(), [1, 1, 200, 200, 1])
  t.equal((await as('editor', 'PUT /api/cms/posts/shared', { author: 'bo' })).status, 200)
  await search.ready()
  t.strictSame(await seen(), [0, 0, 404, 404, 0], 'also as it was')
  t.equal((await as('editor', 'PUT /api/cms/posts/draft', { author: 'ada' })).status, 200)
  await search.ready()
  t.strictSame(await seen(), [1, 1, 404, 404, 0])
  const { body } = await as('contributor', 'GET /api/cms/posts/draft/revisions')
  t.equal(body.meta.total, 1, 'of when it was the draft of another nothing is told')
})

each('two readers of one address are told apart', async (t, as, _, app) => {
  const bo = await app.features.users.create({ email: 'bo@example.org', handle: 'bo', role: 'contributor' }, by)
  const urls = [
    'GET /api/cms/posts',
    'GET /api/cms/posts?fields=id',
    'GET /api/cms/search?q=text&type=posts',
    'GET /api/cms/types/posts',
    'GET /api/cms/taxonomy/tags',
  ]
  for (const url of urls) {
    const [his, hers] = [await app.askAs(bo, url), await as('contributor', url)]
    const [total, other] = [his, hers].map(({ body }) => body.meta?.total ?? body.data.count)
    if (!url.includes('taxonomy')) t.ok(total > other, url)
    const headers = { 'if-none-match': hers.headers.etag ?? '' }
    if (hers.headers.etag && total !== other)
      t.equal((await app.askAs(bo, url, { headers })).status, 200, `${url}: an ETag is not another's`)
  }
})

each('a right in the configuration goes as far as it says', async (t, as) => {
  const made = await as('trusted', 'POST /api/cms/posts', { title: 'Mine', status: 'published' })
  t.match([made.status, made.body.data.author], [201, 'ada'], 'a contributor who may publish')
  refused(t, await as('trusted', 'PUT /api/cms/posts/mine', { title: 'Again' }), 'your own drafts')
  refused(t, await as('trusted', 'PUT /api/cms/posts/a', { title: 'Again' }), /content:write/)
  t.equal((await as('sharer', 'PUT /api/cms/posts/a', { title: 'T' })).status, 200)
  refused(t, await as('sharer', 'PUT /api/cms/notes/n', { title: 'T' }), /content:write for all of "notes"/)
})

each('who may write all makes nothing public by making it theirs first', async (t, as) => {
  refused(t, await as('writer', 'PUT /api/cms/notes/draft', { author: 'ada', status: 'published' }), /content:publish/)
  t.equal((await as('writer', 'PUT /api/cms/notes/n', { status: 'draft' })).status, 200, 'what was theirs they may withdraw')
})

each('an unreadable record and unclean HTML are for who may publish or write all', async (t, as) => {
  refused(t, await as('author', 'DELETE /api/cms/notes/bad'), /content:delete for all/)
  const [shown, told] = [await as('author', 'GET /api/cms/notes/bad'), await as('editor', 'GET /api/cms/notes/bad')]
  t.strictSame([shown.status, told.status], [422, 422])
  t.notMatch(shown.text, 'bad.md', 'what is wrong with it is for who sees all drafts')
  t.match(told.body.message, /bad\S*:\d/)
  refused(t, await as('contributor', 'PUT /api/cms/raw/r', { body: '<script>' }), /content:publish/)
  refused(t, await as('contributor', 'POST /api/cms/raw', { title: 'X', body: '<script>' }), /content:publish/)
  t.equal((await as('contributor', 'POST /api/cms/raw', { title: 'X' })).status, 201)
  t.equal((await as('author', 'PUT /api/cms/raw/r', { body: '<b>' })).status, 200)
})

each('who may delete all and see no drafts deletes none, nor what may be one', async (t, as) => {
  t.equal((await as('cleaner', 'DELETE /api/cms/notes/draft')).status, 404)
  t.equal((await as('cleaner', 'DELETE /api/cms/notes/bad')).status, 422)
  t.equal((await as('cleaner', 'DELETE /api/cms/notes/n')).status, 200)
  t.equal((await as('editor', 'DELETE /api/cms/notes/bad')).status, 200)
})

long(each)('who makes a record is its author, whatever the type asks of other authors', async (t, as) => {
  for (const type of ['listed', 'several'])
    t.strictSame((await as('author', `POST /api/cms/${type}`, { title: 'X' })).body.data.author, ['ada'], type)
  t.equal((await as('author', 'PATCH /api/cms/several/x', { title: 'Y' })).status, 200, 'and it is their own')
  for (const [n, role] of ['contributor', 'author', 'editor'].entries()) {
    const made = await as(role, 'POST /api/cms/known', { title: `X ${n}`, ...(n === 1 && { author: 'ada' }) })
    t.match([made.status, made.body.data?.author], [201, 'ada'], `${role} needs no record among authors`)
  }
  const { status, body } = await as('editor', 'POST /api/cms/known', { title: 'Y', author: 'nobody' })
  t.match([status, Object.keys(body.errors ?? {})], [422, ['author']], 'any other has to be there')
})

each('who has no handle has nothing of their own', async (t, _, { store }, app) => {
  await store.write([{ key: keyOf('posts', 'nameless'), put: { set: { title: 'N', status: 'draft', author: '' } } }], by)
  for (const handle of [undefined, '']) {
    const access: Access = { ...localAccess(by), handle, may: (scope) => scope === 'content:read', reach: () => 'own' }
    const failed = async (work: Promise<unknown>) => (await work.catch((error: Error) => error))?.constructor.name
    t.equal(await failed(app.features.records.get(access, 'posts', 'nameless')), 'NotFound')
    t.equal(await failed(app.features.records.update(access, 'posts', 'nameless', { title: 'M' })), 'NotFound')
    t.equal(await failed(app.features.records.create(access, 'posts', { title: 'M' })), 'Forbidden')
    t.equal((await app.features.records.browse(access, 'posts', { status: 'draft' })).meta.total, 0)
  }
})
