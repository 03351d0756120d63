import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { git, isSound, statusOf } from '#support/git.ts'
import { eachStore, type OpenedStore, openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({ posts: { permalink: '/blog/{slug}' } })

const FILES = {
  'content/posts/trip/index.md': '---\ntitle: Trip\ndraft: true\n---\n![a](cat.jpg)\n',
  'content/posts/trip/day/index.md': '---\ntitle: Day\n---\n',
  'content/posts/trip/flat.md': '---\ntitle: Flat\n---\n',
  'content/posts/trip/broken.md': '---\ntitle: [\n---\n',
  'content/posts/index.md': '---\ntitle: All\n---\n',
  'content/posts/odd/index.md': '---\ntitle: [\n---\n',
  'content/posts/single.md': '---\ntitle: Single\n---\n',
}

const BESIDE = {
  'content/posts/trip/cat.jpg': 'cat',
  'content/posts/trip/pics/my cat.jpg': 'my cat',
  'content/posts/trip/notes.zip': 'no picture',
  'content/posts/trip/flat/cat.jpg': 'cat of a folder that is no record’s',
  'content/posts/trip/broken/cat.jpg': 'cat of what can’t be read',
  'content/posts/trip/day/cat.jpg': 'cat of the day',
  'content/posts/trip/day/deep/er.jpg': 'deeper',
  'content/posts/odd/cat.jpg': 'odd',
  'content/posts/trips.jpg': 'near',
  'content/posts/cat.jpg': 'cat of the type',
}

const BY = { name: 'A', email: 'a@example.org' }
const below = (path: string) => path.slice('content/'.length)
const STAYING = Object.keys(BESIDE).map(below)
const paths = async ({ siteFiles }: OpenedStore) => (await siteFiles.list('content', { limit: 100 })).map(({ path }) => path)
const OF_TRIP = ['cat.jpg', 'flat/cat.jpg', 'notes.zip', 'pics/my cat.jpg'].map((name) => `posts/trip/${name}`)
const without = (gone: readonly string[]) => STAYING.filter((path) => !gone.includes(path)).sort()

t.test('the files of a record go with it when it is removed, and no others', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types, history: true }, async (t, opened) => {
    const app = new TestApp(opened)
    t.same(await paths(opened), without([]))
    t.equal((await app.ask('DELETE /api/cms/posts/trip')).status, 200)
    t.same(await paths(opened), without(OF_TRIP))
    if (opened.site) {
      const { root } = opened.site
      const lines = git(root, ['show', '--no-renames', '--name-status', '--format=%s', 'HEAD']).split('\n')
      const gone = ['posts/trip/index.md', ...OF_TRIP].sort().map((path) => `D\tcontent/${path}`)
      t.same(lines, ['Delete posts/trip', '', ...gone])
      t.same(statusOf(opened.site), [])
      t.ok(isSound(opened.site))
    }
    t.equal((await app.ask('DELETE /api/cms/posts/single')).status, 200)
    t.equal((await app.ask('DELETE /api/cms/posts/index')).status, 200)
    t.same(await paths(opened), without(OF_TRIP), 'the folder of a type is no record’s alone')
    await opened.store.write([{ key: keyOf('posts', 'odd'), remove: true }], { name: 'A', email: 'a@example.org' })
    t.same(await paths(opened), without([...OF_TRIP, 'posts/odd/cat.jpg']), 'one that can’t be read had some, too')
  }),
)

t.test('several at once take theirs, each', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types }, async (t, opened) => {
    const app = new TestApp(opened)
    const both = { ids: ['trip', 'trip~day'], delete: true }
    t.equal((await app.ask('POST /api/cms/posts/actions', { body: both })).status, 200)
    t.same(await paths(opened), without([...OF_TRIP, 'posts/trip/day/cat.jpg', 'posts/trip/day/deep/er.jpg']))
  }),
)

t.test('a file in the way of one is never written over', (t) =>
  eachStore(t, { files: FILES, beside: { ...BESIDE, 'content/posts/taken/cat.jpg': 'another' }, types }, async (t, opened) => {
    const app = new TestApp(opened)
    const refused = await app.ask('POST /api/cms/posts/trip/move', { body: { id: 'taken' } })
    t.equal(refused.status, 409)
    t.match(refused.body.message, /posts\/taken\/cat.jpg" is in the way/)
    t.same(await paths(opened), [...without([]), 'posts/taken/cat.jpg'].sort())
    t.ok(await opened.store.head(keyOf('posts', 'trip')))
  }),
)

t.test('a thousand files go with a record, and no more', (t) => {
  const many = Array.from({ length: 1001 }, (_, n) => [`content/posts/trip/day/${n}.jpg`, 'x'])
  const beside = Object.fromEntries([...many, ['content/posts/trip/cat.jpg', 'cat'], ['content/posts/trip/z.jpg', 'z']])
  return eachStore(t, { files: FILES, beside, types }, async (t, opened) => {
    const app = new TestApp(opened)
    const refused = await app.ask('DELETE /api/cms/posts/trip~day')
    t.equal(refused.status, 409)
    t.match(refused.body.message, /has more than 1,000 files/)
    const body = { ids: ['single', 'trip~day'], delete: true }
    const several = await app.ask('POST /api/cms/posts/actions', { body })
    t.equal(several.status, 409)
    t.same(several.body.errors, { 'trip~day': ['The folder of this record has more than 1,000 files.'] }, 'it is named')
    t.equal((await paths(opened)).length, 100)
    t.equal((await app.ask('POST /api/cms/posts/trip/move', { body: { id: 'journey' } })).status, 200)
    const moved = await opened.siteFiles.list('content', { below: 'posts/journey', limit: 10 })
    t.same(
      moved.map(({ path }) => path),
      ['posts/journey/cat.jpg', 'posts/journey/z.jpg'],
      'those of another record are not counted',
    )
    t.equal((await app.ask('DELETE /api/cms/posts/journey')).status, 200)
  })
})

t.test('in git, nothing of an author is lost', async (t) => {
  const opened = await openFiles({ files: FILES, beside: BESIDE, types, history: true })
  t.teardown(() => opened.close())
  const app = new TestApp(opened)
  const { site } = opened
  site.write('.gitignore', '*.tmp.jpg\n/content/posts/trip/kept.tmp.jpg\n')
  site.write('content/posts/trip/held.tmp.jpg', 'ignored, but in git')
  git(site.root, ['add', '-f', '.gitignore', 'content/posts/trip/held.tmp.jpg'])
  git(site.root, ['commit', '-q', '-m', 'Ignore'])
  site.write('content/posts/trip/kept.tmp.jpg', 'ignored')
  site.write('content/posts/trip/.secret', 'private')
  site.write('content/posts/trip/_drafts.jpg', 'private')
  git(site.root, ['init', '-q', 'content/posts/trip/module'])
  site.write('content/posts/trip/module/cat.jpg', 'of another repository')
  site.write('content/posts/trip/cat.jpg', 'staged')
  git(site.root, ['add', 'content/posts/trip/cat.jpg'])
  site.write('content/posts/trip/cat.jpg', 'edited by hand')
  const refused = await app.ask('DELETE /api/cms/posts/trip')
  t.equal(refused.status, 409)
  t.match(refused.body.message, /"content\/posts\/trip\/cat.jpg" was staged and then edited further/)
  t.ok(existsSync(site.path('content/posts/trip/index.md')))
  git(site.root, ['restore', '--staged', 'content/posts/trip/cat.jpg'])
  site.write('content/posts/trip/new.jpg', 'new by hand')
  t.match(await app.ask('DELETE /api/cms/posts/trip'), { status: 200 })
  for (const name of ['cat.jpg', 'new.jpg', 'held.tmp.jpg', 'index.md'])
    t.notOk(existsSync(site.path(`content/posts/trip/${name}`)), name)
  for (const name of ['kept.tmp.jpg', '.secret', '_drafts.jpg', 'module/cat.jpg'])
    t.ok(existsSync(site.path(`content/posts/trip/${name}`)), name)
  t.equal(git(site.root, ['show', 'HEAD~1:content/posts/trip/cat.jpg']), 'edited by hand')
  t.equal(git(site.root, ['show', 'HEAD~1:content/posts/trip/new.jpg']), 'new by hand')
  t.ok(isSound(site))
})

const revisions = async (app: TestApp, id: string) => (await app.ask(`GET /api/cms/posts/${id}/revisions`)).body.data
const restored = async (app: TestApp, id: string) => {
  const [, before] = await revisions(app, id)
  return app.ask(`POST /api/cms/posts/${id}/rollback/${before.ts}`)
}

t.test('in git, a record that comes back has its files with it, in the same commit', async (t) => {
  const opened = await openFiles({ files: FILES, beside: BESIDE, types, history: true })
  t.teardown(() => opened.close())
  const app = new TestApp(opened)
  const { site } = opened
  const edited = 'lines\r\nof $Id$\nboth kinds'
  git(site.root, ['config', 'core.autocrlf', 'true'])
  site.write('content/posts/trip/new.csv', edited)
  await app.ask('DELETE /api/cms/posts/trip')
  site.write('content/posts/trip/notes.zip', 'another by now')
  const back = await restored(app, 'trip')
  t.match(back.body, { data: { id: 'trip', status: 'draft' }, meta: { changed: true } })
  t.same((await paths(opened)).sort(), [...without([]), 'posts/trip/new.csv'].sort())
  t.equal(readFileSync(site.path('content/posts/trip/pics/my cat.jpg'), 'utf8'), 'my cat')
  t.equal(readFileSync(site.path('content/posts/trip/new.csv'), 'utf8'), edited, 'byte for byte')
  t.equal(
    readFileSync(site.path('content/posts/trip/notes.zip'), 'utf8'),
    'another by now',
    'what lies there is not written over',
  )
  const came = OF_TRIP.filter((path) => !path.endsWith('.zip'))
  const lines = git(site.root, ['show', '--no-renames', '--name-status', '--format=', 'HEAD']).split('\n')
  t.same(
    lines,
    [...came, 'posts/trip/index.md', 'posts/trip/new.csv'].sort().map((path) => `A\tcontent/${path}`),
  )
  t.same(statusOf(site), ['?? content/posts/trip/notes.zip'])
  t.notOk(existsSync(site.path('.cms/cache/returning')))
  t.equal((await app.ask('POST /api/cms/posts/actions', { body: { ids: ['trip', 'trip~day'], delete: true } })).status, 200)
  t.same(await paths(opened), without([...OF_TRIP, 'posts/trip/day/cat.jpg', 'posts/trip/day/deep/er.jpg']), 'zip and all')
  t.equal((await restored(app, 'trip')).status, 200)
  t.same(await paths(opened), [...without(['posts/trip/day/cat.jpg', 'posts/trip/day/deep/er.jpg']), 'posts/trip/new.csv'].sort())
  t.equal((await restored(app, 'trip~day')).status, 200)
  t.same(await paths(opened), [...without([]), 'posts/trip/new.csv'].sort(), 'each its own')
  t.ok(isSound(site))
})

t.test(
  'a record that was removed by hand comes back with the files that its commit removed, and none of a record that is there',
  async (t) => {
    const opened = await openFiles({ files: FILES, beside: BESIDE, types, history: true })
    t.teardown(() => opened.close())
    const app = new TestApp(opened)
    const { site, store } = opened
    git(site.root, ['rm', '-q', 'content/posts/trip/index.md', 'content/posts/trip/cat.jpg', 'content/posts/trip/day/cat.jpg'])
    git(site.root, ['commit', '-q', '-m', 'Away'])
    await store.reconcile()
    t.equal((await restored(app, 'trip')).status, 200)
    t.same(await paths(opened), without(['posts/trip/day/cat.jpg']))
  },
)

t.test('files of others stay theirs: no record comes into their folder', (t) => {
  const files = {
    ...FILES,
    'content/posts/mine/index.md': '---\ntitle: Mine\n---\n',
    'content/posts/shared/other.md': '---\ntitle: Other\n---\n',
    'content/posts/alone/index/index.md': '---\ntitle: Below\n---\n',
  }
  const others = { 'content/posts/shared/deep/notes.txt': 'N', 'content/posts/alone/index/cat.jpg': 'cat' }
  const beside = { ...BESIDE, ...others, 'content/posts/mine/own.jpg': 'own' }
  return eachStore(t, { files, beside, types, history: true }, async (t, opened) => {
    const app = new TestApp(opened)
    const move = async (id: string, to: string) => (await app.ask(`POST /api/cms/posts/${id}/move`, { body: { id: to } })).status
    for (const [folder, why] of [
      ['trip~pics', 'those of a draft'],
      ['shared', 'those of the type'],
      ['trip~flat', 'those beside a record without a folder'],
    ] as const)
      t.equal(await move('mine', folder), 409, why)
    t.match((await app.ask('POST /api/cms/posts/mine/move', { body: { id: 'shared' } })).body, {
      message: 'The folder "posts/shared" has files already, which would become this record\'s.',
    })
    t.same(await paths(opened), Object.keys(beside).map(below).sort())
    t.equal(await move('mine', 'mine~deeper'), 200, 'its own files go along')
    t.equal(await move('mine~deeper', 'mine'), 200)
    t.equal(await move('mine', 'alone'), 200, 'those of a record in the folder stay its own')
    t.equal(await move('alone', 'mine'), 200)
    const { store } = opened
    const write = (key: string, change: object) => store.write([{ key: keyOf('posts', key), ...change } as never], BY)
    // In one turn, so that they are written together.
    await Promise.all([write('trip', { remove: true }), write('trip', { from: keyOf('posts', 'mine'), put: {} })])
    t.ok(await store.head(keyOf('posts', 'trip')), 'those that go in the same turn are in nobody’s way')
  })
})

t.test('a removed record does not come back to a folder that others have filled since', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types, history: true }, async (t, opened) => {
    const app = new TestApp(opened)
    const other = { key: keyOf('posts', 'trip~later'), put: { file: 'posts/trip/later/index.md', set: { title: 'Later' } } }
    await app.ask('DELETE /api/cms/posts/trip')
    await opened.store.write([other], BY)
    await app.ask('POST /api/cms/posts/single/move', { body: { id: 'trip~single' } })
    t.equal((await restored(app, 'trip')).status, 200, 'records are no files')
    await app.ask('DELETE /api/cms/posts/trip')
    const { site, store } = opened
    if (!site) return
    site.write('content/posts/trip/later.jpg', 'of the type')
    const refused = await restored(app, 'trip')
    t.match(refused, { status: 409, body: { message: /The folder "posts\/trip" has files already/ } })
    t.notOk(await store.head(keyOf('posts', 'trip')))
    site.write('.gitignore', 'later.jpg\n')
    t.equal((await restored(app, 'trip')).status, 200, 'what git ignores stayed when it went')
  }),
)

t.test('without git, a record comes back alone', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types, history: true }, async (t, opened) => {
    if (opened.site) return
    const app = new TestApp(opened)
    await app.ask('DELETE /api/cms/posts/trip')
    t.equal((await restored(app, 'trip')).status, 200)
    t.same(await paths(opened), without(OF_TRIP))
  }),
)

t.test('a record that is put in its own place in one write keeps its files, and one that is made anew after it has none', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types, history: true }, async (t, opened) => {
    const { store, site } = opened
    const [trip, odd] = [keyOf('posts', 'trip'), keyOf('posts', 'odd')]
    const put = { source: Buffer.from('---\ntitle: Odd\n---\n'), file: 'posts/odd/index.md' }
    await store.write(
      [
        { key: odd, remove: true },
        { key: odd, put },
      ],
      BY,
    )
    t.same(await paths(opened), without([]))
    const anew = { file: 'posts/trip/index.md', set: { title: 'Anew' } }
    // In one turn, so that they are written together.
    await Promise.all([store.write([{ key: trip, remove: true }], BY), store.write([{ key: trip, put: anew }], BY)])
    t.equal((await store.head(trip))?.fields.title, 'Anew')
    t.same(await paths(opened), without(OF_TRIP))
    await Promise.all([
      store.write([{ key: trip, remove: true }], BY),
      store.write([{ key: trip, put: anew }], BY),
      store.write([{ key: trip, remove: true }], BY),
    ])
    t.notOk(await store.head(trip))
    if (site) {
      t.same(statusOf(site), [])
      t.ok(isSound(site))
    }
  }),
)
