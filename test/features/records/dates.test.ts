import t from 'tap'
import { TestApp } from '#support/app.ts'
import { openFiles } from '#support/stores.ts'

t.test('dates from history', async (t) => {
  const files = {
    'content/posts/a.md': 'One\n',
    'content/posts/b.md': '---\ncreated_at: 2020-01-01\nupdated_at: 2020-01-02\n---\n',
  }
  const opened = await openFiles({ files, history: true })
  t.teardown(opened.close)
  const app = new TestApp(opened)
  const get = (id: string, headers = {}) => app.ask(`GET /api/cms/posts/${id}`, { headers })
  const before = await get('a')
  const list = await app.ask('GET /api/cms/posts')
  const part = await app.ask('GET /api/cms/posts/a?fields=updated_at')
  t.match(before.body.data, { created_at: null, updated_at: null }, 'until they are known there are none')
  t.equal(before.headers.etag, `"${before.body.data.version}"`)
  await opened.store.dated()
  const after = await get('a', { 'if-none-match': before.headers.etag })
  t.equal(after.status, 200, 'what was answered before they came is not the same')
  t.match(after.body.data, { created_at: /^2\d{3}-/, updated_at: /^2\d{3}-/, version: before.body.data.version })
  t.match(after.headers.etag, new RegExp(`^"${before.body.data.version}-[0-9a-f]{8}"$`))
  t.equal((await get('a', { 'if-none-match': after.headers.etag })).status, 304)
  const listed = await app.ask('GET /api/cms/posts', { headers: { 'if-none-match': list.headers.etag ?? '' } })
  t.same([listed.status, listed.body?.data[0].updated_at], [200, after.body.data.updated_at])
  const parted = await app.ask('GET /api/cms/posts/a?fields=updated_at', {
    headers: { 'if-none-match': part.headers.etag ?? '' },
  })
  t.same([parted.status, parted.body?.data.updated_at], [200, after.body.data.updated_at])
  const own = await get('b')
  t.equal(own.headers.etag, `"${own.body.data.version}"`, 'where the file says all, the bytes say all')
  t.match(own.body.data, { created_at: '2020-01-01T00:00:00.000Z', updated_at: '2020-01-02T00:00:00.000Z' })
  const [newest] = (await app.ask('GET /api/cms/posts?sort=-updated_at')).body.data
  t.equal(newest.id, 'a')

  const put = (body: object, headers = {}) => app.ask('PUT /api/cms/posts/a', { body, headers })
  t.equal((await put(before.body.data)).status, 200, 'a record may be sent back as it was read before they came')
  t.equal((await put(after.body.data)).status, 200)
  t.match(await put({ updated_at: '2001-01-01T00:00:00.000Z' }), { status: 422, body: { errors: { updated_at: [String] } } })
  t.match(await app.ask('PUT /api/cms/posts/b', { body: { updated_at: null } }), { status: 422 }, 'the file says when')
  t.equal((await put({ title: 'New' }, { 'if-match': before.headers.etag })).status, 200, 'it is the version that counts')
  const changed = await get('a')
  t.ok(changed.body.data.updated_at > after.body.data.updated_at)
  t.equal(changed.body.data.created_at, after.body.data.created_at)
})

t.test('none without a history', async (t) => {
  const opened = await openFiles({ files: { 'content/posts/a.md': 'One\n' } })
  t.teardown(opened.close)
  await opened.store.dated()
  t.match((await new TestApp(opened).ask('GET /api/cms/posts/a')).body.data, { created_at: null, updated_at: null })
})
