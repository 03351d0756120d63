import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { User } from '#features/users/user.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const by = { name: 'Op', email: 'op@example.org' }
const types = plainTypes({
  posts: { permalink: '/blog/{slug}' },
  notes: { permalink: '/{slug}' },
  pages: { permalink: '/{path}' },
})
const FILES = {
  'content/posts/hello.md': '---\ntitle: Hello\nauthor: bo\n---\nHi\n',
  'content/posts/plan.md': '---\ntitle: Plan\nauthor: bo\nstatus: draft\n---\nA plan\n',
  'content/notes/mine.md': '---\ntitle: Mine\nauthor: ada\n---\nMine\n',
  'content/pages/about.md': '---\ntitle: About\nauthor: bo\n---\nAbout\n',
}

interface Scene {
  readonly app: TestApp
  readonly ada: User
  readonly opened: OpenedStore
}

function each(name: string, body: (t: Test, scene: Scene) => Promise<void>, history = false): void {
  t.test(name, (t) =>
    eachStore(t, { files: FILES, types, ...(history && { history }) }, async (t, opened) => {
      const app = new TestApp(opened)
      const ada = await app.features.users.create({ email: 'ada@example.org', handle: 'ada', role: 'author' }, by)
      await body(t, { app, ada, opened })
    }),
  )
}

const asAda = ({ app, ada }: Scene, request: string, body: object) => app.askAs(ada, request, { body })
const url = async ({ app }: Scene, of: string) => (await app.ask(`GET /api/cms/${of}`)).body.data.url

each('no record is given the page of another by its permalink', async (t, scene) => {
  for (const permalink of ['/blog/hello', '/blog/hello/', '//blog//hello/index.html', '/blog/h%65llo']) {
    const live = { title: 'A', status: 'published', permalink }
    for (const [request, body] of [
      ['POST /api/cms/notes', live],
      ['POST /api/cms/notes', { ...live, status: 'draft' }],
      ['PUT /api/cms/notes/mine', { permalink }],
      ['PATCH /api/cms/notes/mine', { permalink }],
    ] as const) {
      const { status, body: answer } = await asAda(scene, request, body)
      t.match(
        [status, answer],
        [
          409,
          { message: 'The address "/blog/hello" is that of "posts/hello".', conflict: { field: 'permalink', value: permalink } },
        ],
        request,
      )
    }
  }
  t.equal((await scene.app.ask('GET /api/cms/notes')).body.meta.total, 1, 'nothing was made')
  t.equal(await url(scene, 'notes/mine'), '/mine')
  t.equal((await asAda(scene, 'PUT /api/cms/notes/mine', { permalink: '/free' })).body.data.url, '/free')
  t.equal((await asAda(scene, 'PUT /api/cms/notes/mine', { permalink: '/free/', title: 'X' })).status, 200, 'its own is free')
  t.match((await asAda(scene, 'POST /api/cms/notes', { title: 'B', permalink: '/free' })).body, {
    message: 'The address "/free" is that of "notes/mine".',
  })
})

each('nor by its slug or by a move; a made slug gives way', async (t, scene) => {
  t.match((await asAda(scene, 'POST /api/cms/notes', { title: 'A', slug: 'about' })).body, {
    message: 'The address "/about" is that of "pages/about".',
    conflict: { field: 'slug', value: 'about' },
  })
  t.match((await asAda(scene, 'PUT /api/cms/notes/mine', { slug: 'about' })).body.conflict, { field: 'slug' })
  t.match((await asAda(scene, 'POST /api/cms/notes/mine/move', { id: 'about' })).body.conflict, { field: 'id', value: 'about' })
  t.match((await asAda(scene, 'POST /api/cms/notes', { title: 'About' })).body.data, { id: 'about-2', url: '/about-2' })
})

each('what the writer may not see and is not live is not there; whichever goes live first has the address', async (t, scene) => {
  const made = await asAda(scene, 'POST /api/cms/notes', { title: 'A', status: 'published', permalink: '/blog/plan' })
  t.match([made.status, made.body.data], [201, { url: '/blog/plan' }], 'a draft of another is told of by nothing')
  const late = await scene.app.ask('PUT /api/cms/posts/plan', { body: { status: 'published' } })
  t.match([late.status, late.body], [409, { message: 'The address "/blog/plan" is that of "notes/a".' }])
  t.equal((await scene.app.ask('PUT /api/cms/posts/plan', { body: { title: 'Plans' } })).status, 200, 'all else may be changed')
  const soon = { status: 'published', published_at: '2099-01-01T00:00:00.000Z' }
  t.equal((await scene.app.ask('PUT /api/cms/posts/plan', { body: soon })).status, 409, 'nor later by itself')
  const seen = await scene.app.ask('POST /api/cms/notes', { body: { title: 'B', permalink: '/blog/plan' } })
  t.equal(seen.status, 409)
  await scene.app.ask('DELETE /api/cms/notes/a')
  const draft = await scene.app.ask('POST /api/cms/notes', { body: { title: 'B', permalink: '/blog/plan' } })
  t.match(
    [draft.status, draft.body],
    [409, { message: 'The address "/blog/plan" is that of "posts/plan".' }],
    'who sees it is told',
  )
})

each('a live record of a type that the writer may not see keeps its address, and is not named', async (t, scene) => {
  const options = { as: 'edit', types: ['notes'], body: { title: 'A', permalink: '/blog/hello' } }
  const { status, body } = await scene.app.ask('POST /api/cms/notes', options)
  t.match([status, body.message], [409, 'The address "/blog/hello" is taken.'])
  const hidden = { ...options, body: { title: 'A', permalink: '/blog/plan' } }
  t.equal((await scene.app.ask('POST /api/cms/notes', hidden)).status, 201)
})

each('addresses of Quire and of its lists are no permalinks', async (t, scene) => {
  const own = [
    '/api/x',
    '/Admin',
    '/media/x.jpg',
    '/healthz',
    '/sitemap.xml',
    '/sitemap-1.xml',
    '/feed.xml',
    '/rss.xml',
    '/404.html/x',
    '/robots.txt/x',
    '/mine.html/x',
    '/x\\y',
    'x',
  ]
  for (const permalink of own) {
    const { status, body } = await asAda(scene, 'POST /api/cms/notes', { title: 'A', permalink })
    t.match([status, Object.keys(body.errors ?? {})], [422, ['permalink']], permalink)
    t.equal((await asAda(scene, 'PUT /api/cms/notes/mine', { permalink })).status, 422, permalink)
  }
  for (const permalink of [
    '/',
    '/blog',
    '/page/2',
    '/blog/page/3/',
    '/tags',
    '/tags/news',
    '/categories/x/page/2',
    '/search',
    '/search/x',
  ]) {
    const { status, body } = await asAda(scene, 'POST /api/cms/notes', { title: 'A', permalink })
    t.match([status, body.conflict], [409, { field: 'permalink' }], permalink)
  }
  await scene.opened.store.write([{ key: keyOf('notes', 'mine'), put: { set: { permalink: '/tags' } } }], by)
  t.equal((await asAda(scene, 'PUT /api/cms/notes/mine', { title: 'New' })).status, 200, 'a file goes on to be written')
})

each('no record is given an old address that leads to another', async (t, scene) => {
  await scene.app.ask('PUT /api/cms/posts/hello', { body: { slug: 'hi' } })
  for (const aliases of [['/blog/hello'], ['/x', '/blog/hello/'], ['../blog/hello', '../../blog/hello']]) {
    const { status, body } = await asAda(scene, 'PUT /api/cms/notes/mine', { aliases })
    const said = { message: 'The old address "/blog/hello" leads to "posts/hello".', conflict: { field: 'aliases' } }
    t.match([status, body], aliases[0]?.startsWith('.') ? [200] : [409, said], JSON.stringify(aliases))
  }
  const made = await asAda(scene, 'POST /api/cms/notes', { title: 'A', status: 'published', aliases: ['/blog/hello'] })
  t.equal(made.status, 409)
  await scene.app.ask('PUT /api/cms/posts/hello', { body: { status: 'draft' } })
  t.equal((await asAda(scene, 'PUT /api/cms/notes/mine', { aliases: ['/blog/hello'] })).status, 200, 'of one that is not live')
  await scene.app.ask('PUT /api/cms/posts/hello', { body: { status: 'published' } })
  const same = { aliases: ['/blog/hello', '/new'] }
  t.equal((await asAda(scene, 'PUT /api/cms/notes/mine', same)).status, 200, 'what it has it may keep')
})

each('what another name would not mend is not tried under others', async (t, scene) => {
  const { app, opened } = scene
  await app.ask('PUT /api/cms/posts/hello', { body: { slug: 'hi' } })
  const { heads } = opened.store
  let names = 0
  opened.store.heads = (kind, query) => {
    if (query.where?.some(({ field, op }) => field === 'slug' && op === 'eq')) names++
    return heads.call(opened.store, kind, query)
  }
  for (const sent of [{ aliases: ['/blog/hello'] }, { permalink: '/mine' }]) {
    names = 0
    t.equal((await app.ask('POST /api/cms/notes', { body: { title: 'A', status: 'published', ...sent } })).status, 409)
    t.equal(names, 1, JSON.stringify(sent))
  }
})

each('of many that want one address at once, one has it', async (t, scene) => {
  await scene.app.token()
  const wishes = ['a', 'b', 'c', 'd', 'e'].map((slug) =>
    scene.app.ask('POST /api/cms/notes', { body: { title: 'A', slug, status: 'published', permalink: '/one' } }),
  )
  t.same((await Promise.all(wishes)).map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
})

each(
  'a rollback takes no address back that another has now',
  async (t, scene) => {
    const { app } = scene
    await app.ask('PUT /api/cms/notes/mine', { body: { permalink: '/then' } })
    await app.ask('PUT /api/cms/notes/mine', { body: { permalink: '/now' } })
    const revisions = (await app.ask('GET /api/cms/notes/mine/revisions')).body.data.map(({ ts }: { ts: string }) => ts)
    t.equal((await app.ask('POST /api/cms/posts', { body: { title: 'T', permalink: '/then', status: 'published' } })).status, 201)
    const back = await app.ask(`POST /api/cms/notes/mine/rollback/${revisions[1]}`)
    t.match([back.status, back.body], [409, { message: 'The address "/then" is that of "posts/t".' }])
    await app.ask('DELETE /api/cms/notes/mine')
    const restored = await app.ask(`POST /api/cms/notes/mine/rollback/${revisions[1]}`)
    t.match([restored.status, restored.body.conflict], [409, { field: 'permalink', value: '/then' }])
    t.equal((await app.ask(`POST /api/cms/notes/mine/rollback/${revisions[0]}`)).status, 200)
  },
  true,
)
