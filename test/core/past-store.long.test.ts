import t from 'tap'
import { PastStore } from '#core/history/past-store.ts'
import { keyOf } from '#core/key.ts'
import { everyStore } from '#support/stores.ts'

const BY = { name: 'A', email: 'a@example.org' }
const posts = (id: string) => keyOf('posts', id)

t.test('a store as it was has the documents of then, under the names of then, and takes no writes', (t) =>
  everyStore(t, { now: '2030-01-01T00:00:00.000Z' }, async (t, { store, clock }) => {
    const put = (id: string, title: string) => store.write([{ key: posts(id), put: { set: { title }, body: `${title}.` } }], BY)
    await put('a', 'One')
    await put('gone', 'Gone')
    await store.write([{ key: keyOf('menus', 'main'), put: { set: { items: [] } } }], BY)
    clock.advance(3_600_000)
    const then = clock.now()
    clock.advance(3_600_000)
    await put('a', 'Two')
    await put('new', 'New')
    await store.write([{ key: posts('gone'), remove: true }], BY)
    if (!(await store.past('posts', { at: { instant: then } }))) {
      await t.rejects(PastStore.open(store, { instant: then }), /need git/)
      return
    }
    const past = await PastStore.open(store, { instant: then })
    t.equal(past.time, then)
    t.same(await past.kinds(), ['menus', 'posts'])
    t.same(
      (await past.browse('posts', {})).items.map(({ key, fields, body }) => [key.id, fields.title, body.trim()]),
      [
        ['a', 'One', 'One.'],
        ['gone', 'Gone', 'Gone.'],
      ],
    )
    t.match(await past.head(posts('a')), { fields: { title: 'One' } })
    t.same(await past.get(posts('new')), undefined)
    await t.rejects(past.heads('posts', { limit: 1 }), /listed whole/)
    await t.rejects(past.write())
    t.match(await store.get(posts('a')), { fields: { title: 'Two' } })
  }),
)
