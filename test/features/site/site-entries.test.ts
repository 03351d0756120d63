import t from 'tap'
import { keyOf } from '#core/key.ts'
import { SiteEntries } from '#features/site/outline/site-entries.ts'
import { openMemory } from '#support/stores.ts'

const BY = { name: 'Ada', email: 'ada@example.org' }

t.test('who has the records of before has all of them while they are read anew', async (t) => {
  const files = { 'content/posts/a.md': '---\ntitle: A\n---\n', 'content/posts/b.md': '---\ntitle: B\n---\n' }
  const { store, types, clock } = await openMemory({ files })
  const entries = new SiteEntries(store, types, clock)
  t.teardown(() => entries.close())
  await entries.current()
  await store.dated()
  const before = await entries.current()
  t.equal(before.entries.size, 2)
  const heads = store.heads.bind(store)
  let goOn = () => {}
  const reading = new Promise<void>((resolve) => {
    store.heads = async (...given) => {
      resolve()
      await new Promise<void>((done) => {
        goOn = done
      })
      store.heads = heads
      return heads(...given)
    }
  })
  // What records mean may be another with a new term.
  await store.write([{ key: keyOf('taxonomy/tags', 'news'), put: { set: { name: 'News' } } }], BY)
  const later = entries.current()
  await reading
  t.equal(before.entries.size, 2)
  goOn()
  const after = await later
  t.equal(after.entries.size, 2)
  t.ok(after.revision > before.revision)
})
