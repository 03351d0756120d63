import t, { type Test } from 'tap'
import { TestApp } from '../../support/app.ts'
import { eachStore, type OpenedStore } from '../../support/stores.ts'
import { plainTypes } from '../../support/types.ts'

const types = plainTypes({ posts: { fields: { n: { type: 'number' } } }, a: {}, 'a count': {} })
const FILES = {
  'content/posts/a.md': '---\ntitle: A\nn: 1\n---\nText.\n',
  'content/posts/b.md': '---\ntitle: B\n---\nText.\n',
  'content/posts/a b.md': '---\ntitle: A b\nn: 3\n---\nAnother text.\n',
  'content/a/one.md': '---\ntitle: One\nheads: x\n---\n',
  'content/a count/other.md': '---\ntitle: Other\n---\n',
}

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, { files: FILES, types }, (t, opened) => body(t, new TestApp(opened), opened)))
}

each('what one request asks is never answered to another', async (t, app) => {
  const ids = async (query: string) => {
    const { status, body } = await app.ask(`GET /api/cms/posts?${query}`, { as: 'read' })
    return status === 200 ? body.data.map(({ id }: { id: string }) => id) : status
  }
  t.same(await ids('status=published%0Aper_page=9'), [])
  t.same(await ids('status=published&per_page=9'), ['a', 'a b', 'b'])
  t.same(await ids('sort=title%0Apage=2'), 422)
  t.same(await ids(`filter[n][ne]=${'9'.repeat(400)}`), 422, 'no number is so large')
  t.same(await ids('filter[n][ne]=null'), ['a', 'a b'])
})

each('a base is a version of the record itself', async (t, app) => {
  const { version } = (await app.ask('GET /api/cms/posts/a%20b')).body.data
  const { status, body } = await app.ask(`PUT /api/cms/posts/a?base=b%20${version}`, { body: { title: 'Mine' } })
  t.equal(status, 409)
  t.equal(body.conflict.base, null)
})

t.test('a list of the store is kept by what it asks, to the last number', (t) =>
  eachStore(t, { files: FILES, types }, async (t, { store }) => {
    const beside = async (value: number | null) => {
      const where = [{ field: 'n', op: 'ne' as const, value, as: 'number' as const }]
      return (await store.heads('posts', { where })).items.map(({ key }) => key.id)
    }
    await beside(Number.POSITIVE_INFINITY)
    t.same(await beside(null), ['a', 'a b'])
    t.same([...(await store.count('a', {}, 'heads'))], [['x', 1]])
    t.equal((await store.heads('a count', {})).total, 1, 'nor is a count of one kind a list of another')
  }),
)
