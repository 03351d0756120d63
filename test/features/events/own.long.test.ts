import t from 'tap'
import { ChangeDelivery } from '#core/feed/change-delivery.ts'
import { type Key, keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { shownTo } from '#features/events/shown.ts'
import type { Json } from '#lib/json.ts'
import { TestApp } from '#support/app.ts'
import { eachStore } from '#support/stores.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const FEATURES = { api: true, auth: true, events: true }
const key = (id: string): Key => keyOf('posts', id)
const put = (id: string, set: Record<string, Json>): Change => ({ key: key(id), put: { set } })

t.test('who may see their own drafts is told of these, and of nobody else’s', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { store, ledger, clock } = opened
    const app = new TestApp(opened, { config: { features: FEATURES } })
    t.teardown(() => app.close())
    const { events, log, shown } = app.features.events
    const followParts: NonNullable<ConstructorParameters<typeof ChangeDelivery>[0]['followParts']> = (changes, after, next) =>
      events.take(changes, after, next)
    const delivery = new ChangeDelivery({ name: 'events', store, ledger, clock, isShared: false, followParts })
    await delivery.run()
    const of = async (role: string) => {
      const user = await app.features.users.create({ email: `${role}@example.org`, handle: role, role }, BY)
      return app.features.users.access(user)
    }
    const [contributor, author, viewer] = [await of('contributor'), await of('author'), await of('viewer')]
    await store.write([put('own', { title: 'Own', status: 'draft', author: 'contributor' })], BY)
    await store.write([put('own', { title: 'Again' })], BY)
    await store.write([put('both', { title: 'Both', status: 'draft', author: ['author', 'contributor'] })], BY)
    await store.write([put('other', { title: 'Other', status: 'draft', author: 'somebody' })], BY)
    await store.write([put('nobody', { title: 'Nobody', status: 'draft' })], BY)
    await store.write([put('taken', { title: 'Taken', status: 'draft', author: 'contributor' })], BY)
    await store.write([put('taken', { author: 'somebody', covert: 'x' })], BY)
    await store.write([put('taken', { title: 'Theirs' })], BY)
    await store.write([put('taken', { author: 'contributor' })], BY)
    await store.write([put('long', { title: 'Long', status: 'draft', author: ['contributor', 'x'.repeat(200)] })], BY)
    await store.write([{ key: key('moved'), from: key('own'), put: {} }], BY)
    await store.write([{ key: key('moved'), remove: true }], BY)
    await store.write([{ key: key('other'), remove: true }], BY)
    await delivery.run()
    await events.takeNew()
    const kept = (await log.after(-1)).flatMap((part) => part.events)
    const told = async (access: typeof viewer) => {
      const found = await Promise.all(kept.map((one) => shownTo(access, one, shown)))
      return found.flatMap((event) => (event ? [`${event.type} ${event.data.id}`] : []))
    }
    t.same(await told(contributor), [
      ...['record.created own', 'record.updated own', 'record.created both', 'record.created taken'],
      ...['record.moved moved', 'record.deleted moved'],
    ])
    t.same(await told(author), ['record.created both'])
    t.same(await told(viewer), [])
  }),
)
