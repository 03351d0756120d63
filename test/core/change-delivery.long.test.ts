import t from 'tap'
import { ChangeDelivery, type DeliveryDeps } from '#core/feed/change-delivery.ts'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const put = (id: string, title = id, kind = 'posts'): Change => ({ key: keyOf(kind, id), put: { set: { title } } })

/** A delivery that notes down what it delivered; `refuse` says of which ids nothing is taken. */
function noting({ store, ledger, clock }: OpenedStore, deps: Partial<DeliveryDeps> = {}) {
  const told: string[] = []
  const refused = new Set<string>()
  const delivery = new ChangeDelivery({
    ...{ name: 'test', store, ledger, clock, isShared: true },
    follow: async ({ key, action }) => {
      if (refused.has(key.id)) throw new Error(`${key.id} is refused.`)
      told.push(`${action} ${key.id}`)
    },
    lost: async () => void told.push('lost'),
    ...deps,
  })
  const run = async () => {
    await delivery.run()
    return told.splice(0)
  }
  return { delivery, run, told, refused }
}

t.test('each change is delivered once, from the first delivery on, also after a restart', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { store } = opened
    await store.write([put('before')], ada)
    const first = noting(opened)
    t.same(await first.run(), [], 'what was before the first delivery is not delivered')
    await store.write([put('a')], ada)
    await store.write([put('a', 'A')], ada, { action: 'published' })
    t.same(await first.run(), ['created a', 'published a'])
    t.same(await first.run(), [])
    await first.delivery.close()
    await store.write([put('b')], ada)
    await store.write([{ key: keyOf('posts', 'a'), remove: true }], ada)
    t.same(await noting(opened).run(), ['created b', 'deleted a'])
    t.same(await noting(opened, { name: 'other' }).run(), [], 'another receiver has a cursor of its own')
  }),
)

t.test('many changes come in their order, however many parts of the feed they are', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { run } = noting(opened)
    await run()
    const ids = Array.from({ length: 250 }, (_, n) => `p${String(n).padStart(3, '0')}`)
    await opened.store.write(
      ids.map((id) => put(id)),
      ada,
    )
    t.same(
      await run(),
      ids.map((id) => `created ${id}`),
    )
  }),
)

t.test('a change that is rejected holds up those after it, and is delivered again alone', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { run, told, refused } = noting(opened)
    await run()
    for (const id of ['a', 'b', 'c']) await opened.store.write([put(id)], ada)
    refused.add('b')
    await t.rejects(run(), /b is refused/)
    await t.rejects(run(), /b is refused/)
    t.same(told.splice(0), ['created a'])
    await opened.store.write([put('d')], ada)
    refused.clear()
    t.same(await run(), ['created b', 'created c', 'created d'])
    t.same(await noting(opened).run(), [])
  }),
)

t.test('one node delivers at a time', (t) =>
  eachStore(t, {}, async (t, opened) => {
    let enter: () => void = () => undefined
    let leave: () => void = () => undefined
    const entered = new Promise<void>((resolve) => (enter = resolve))
    const left = new Promise<void>((resolve) => (leave = resolve))
    const one = noting(opened, {
      follow: async () => {
        enter()
        await left
      },
    })
    const other = noting(opened)
    await one.run()
    await opened.store.write([put('a')], ada)
    const running = one.delivery.run()
    await entered
    await t.rejects(other.run(), /Another node/)
    leave()
    await running
    t.same(await other.run(), [], 'the other has done it')
    await opened.store.write([put('b')], ada)
    t.same(await other.run(), ['created b'])
    await Promise.allSettled([one.delivery.run(), other.delivery.run()])
    t.same(other.told, [])
  }),
)

t.test('where the node that was at it died, another goes on once its lease is over', (t) =>
  eachStore(t, {}, async (t, opened) => {
    let enter = (): void => undefined
    // It gives its lease back where the clock goes on before it has begun with a change.
    const entered = new Promise<void>((resolve) => (enter = resolve))
    const follow = (): Promise<void> => {
      enter()
      return new Promise(() => undefined)
    }
    const died = noting(opened, { follow })
    await died.run()
    await opened.store.write([put('a')], ada)
    void died.delivery.run()
    const other = noting(opened)
    await entered
    await t.rejects(other.run(), /Another node/)
    opened.clock.advance(19_000)
    await t.rejects(other.run(), /Another node/)
    opened.clock.advance(1_001)
    t.same(await other.run(), ['created a'])
  }),
)

t.test('a turn ends before its lease does', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { clock, store, ledger } = opened
    const told: string[] = []
    const slow = noting(opened, {
      follow: async ({ key }) => {
        told.push(key.id)
        clock.advance(11_000)
      },
    })
    await slow.run()
    for (const id of ['a', 'b', 'c']) await store.write([put(id)], ada)
    await slow.run()
    t.same([told, await ledger.peek('follow/test/lease')], [['a'], undefined])
    await slow.run()
    await slow.run()
    t.same(told, ['a', 'b', 'c'])
    await slow.delivery.close()
    t.same(await noting(opened).run(), [])
  }),
)

t.test('where changes were lost the receiver hears of it, and it goes on from there', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { run } = noting(opened)
    await run()
    await opened.ledger.put('follow/test/cursor', 'elsewhere.1', 1000)
    await opened.store.write([put('a')], ada)
    t.same(await run(), ['lost'])
    await opened.store.write([put('b')], ada)
    t.same(await run(), ['created b'])
  }),
)

t.test('what is private is not delivered, and writes nothing to the ledger', (t) =>
  eachStore(t, {}, async (t, opened) => {
    let writes = 0
    const { ledger } = opened
    const counting: DeliveryDeps['ledger'] = {
      ...{ take: (name) => ledger.take(name), peek: (name) => ledger.peek(name), facts: () => ledger.facts() },
      ...{ addAll: (counts, ttl) => ledger.addAll(counts, ttl), close: () => ledger.close() },
      put: async (name, value, ttl) => {
        writes++
        await ledger.put(name, value, ttl)
      },
      add: async (name, n, ttl) => {
        writes++
        return ledger.add(name, n, ttl)
      },
    }
    const { run } = noting(opened, { ledger: counting })
    await run()
    writes = 0
    for (let n = 0; n < 5; n++) await opened.store.write([put(`t${n}`, 'x', '.tokens')], ada)
    t.same([await run(), writes], [[], 0])
    for (let n = 0; n < 120; n++) await opened.store.write([put(`u${n}`, 'x', '.tokens')], ada)
    await opened.store.write([put('a')], ada)
    t.same(await run(), ['created a'])
  }),
)

t.test('once begun it delivers by itself, until it is closed', (t) =>
  eachStore(t, {}, async (t, opened) => {
    let tell: (id: string) => void = () => undefined
    const next = () => new Promise<string>((resolve) => (tell = resolve))
    let isAway = true
    const { delivery } = noting(opened, {
      follow: async ({ key }) => {
        if (isAway) throw new Error('It is away.')
        tell(key.id)
      },
    })
    await delivery.begin()
    await opened.store.write([put('a')], ada)
    await t.rejects(delivery.run(), /away/)
    isAway = false
    const stay = setInterval(() => undefined, 1000)
    t.equal(await next(), 'a', 'it is tried again')
    const second = next()
    await opened.store.write([put('b')], ada)
    t.equal(await second, 'b')
    clearInterval(stay)
    await delivery.close()
    await opened.store.write([put('c')], ada)
    t.same(await noting(opened).run(), ['created c'])
  }),
)
