import t from 'tap'
import { FeedFollower, type FollowOptions } from '#core/feed/feed-follower.ts'
import { type Key, keyOf, keyText } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import { eachStore } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const put = (kind: string, id: string, title: string): Change => ({ key: keyOf(kind, id), put: { set: { title } } })

/** A follower that notes down what it is given. */
function noting(store: Store, options: FollowOptions) {
  const told: string[] = []
  let isAway = false
  const note = (text: string) => {
    if (isAway) throw new Error('It is away.')
    told.push(text)
  }
  const readAll = async () => note('all')
  const take = async (keys: readonly Key[]) => note(keys.map(keyText).join(' '))
  const follower = new FeedFollower(store, { readAll, take }, options)
  const run = async () => {
    await follower.runs.run()
    return told.splice(0)
  }
  return { follower, run, away: (is: boolean) => (isAway = is) }
}

t.test('all is read once, and then what changed, each document once a part', (t) =>
  eachStore(t, {}, async (t, { store }) => {
    const { run } = noting(store, { part: 3 })
    t.same(await run(), ['all'])
    t.same(await run(), [])
    for (const title of ['One', 'Two', 'Three', 'Four']) await store.write([put('posts', 'a', title)], ada)
    await store.write([put('posts', 'b', 'B')], ada)
    t.same(await run(), ['posts/a', 'posts/a posts/b'])
    t.same(await run(), [])
  }),
)

t.test('a part of private changes alone is not the end of the feed', (t) =>
  eachStore(t, {}, async (t, { store }) => {
    const { run } = noting(store, { part: 2 })
    await run()
    for (const id of ['a', 'b', 'c']) await store.write([put('.tokens', id, id)], ada)
    await store.write([put('posts', 'a', 'A')], ada)
    t.same(await run(), ['posts/a'])
  }),
)

t.test('who skips reads everything anew instead of many documents', (t) =>
  eachStore(t, {}, async (t, { store }) => {
    const { run } = noting(store, { part: 2, skips: true })
    await run()
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store.write([put('posts', id, id)], ada)
    t.same(await run(), ['all'])
    await store.write([put('posts', 'a', 'A')], ada)
    t.same(await run(), ['posts/a'])
  }),
)

t.test('what could not be taken in is taken in by the next run', (t) =>
  eachStore(t, {}, async (t, { store }) => {
    const { run, away, follower } = noting(store, { part: 10 })
    away(true)
    await t.rejects(run(), /away/)
    away(false)
    t.same(await run(), ['all'])
    await store.write([put('posts', 'a', 'A')], ada)
    away(true)
    await t.rejects(run(), /away/)
    t.ok(follower.runs.isBehind)
    away(false)
    t.same(await run(), ['posts/a'])
    follower.forget()
    t.same(await run(), ['all'])
    await follower.close()
    await store.write([put('posts', 'a', 'B')], ada)
    t.same(await run(), [], 'a closed one does nothing')
  }),
)
