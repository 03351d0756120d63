import t from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { Receiver, signatureBy } from '#support/receiver.ts'
import { BY } from '#support/signing-in.ts'
import { eachStore } from '#support/stores.ts'

const FEATURES = { api: true, auth: true, events: true, webhooks: true }
const RECEIVERS = { isAllowed: () => true, patience: 1_000 }
const BASE = '/api/webhooks'

t.test('webhooks are made, read, changed and removed by who has webhooks:write', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: FEATURES } })
    t.teardown(() => app.close())
    const body = { url: 'https://example.org/hooks', events: ['record.*', 'term.created'], description: 'Search' }
    for (const as of ['edit', 'read', 'users:write'])
      for (const request of [
        `GET ${BASE}`,
        `POST ${BASE}`,
        `GET ${BASE}/wh_1`,
        `POST ${BASE}/wh_1/test`,
        `GET ${BASE}/wh_1/deliveries`,
      ])
        t.equal((await app.ask(request, { as, ...(request === `POST ${BASE}` && { body }) })).status, 403, `${as}: ${request}`)
    t.equal((await app.bare(`GET ${BASE}`)).status, 401)
    const made = await app.ask(`POST ${BASE}`, { body, headers: { 'idempotency-key': 'one' } })
    t.match(made, { status: 201, headers: { location: `${BASE}/${made.body.data.id}`, 'cache-control': 'no-store' } })
    const { secret, ...view } = made.body.data
    t.match(view, {
      ...body,
      ...{ enabled: true, disabled_at: null, disabled_reason: null, configured: false },
      ...{ owner: { kind: 'token' }, created_at: '2026-01-15T12:00:00.000Z' },
    })
    const repeated = await app.ask(`POST ${BASE}`, { body, headers: { 'idempotency-key': 'one' } })
    t.match(repeated.body.data, { id: view.id, secret: null }, 'one, and its secret is kept nowhere in an answer')
    t.same((await app.ask(`GET ${BASE}/${view.id}`)).body.data, view)
    const changed = await app.ask(`PUT ${BASE}/${view.id}`, { body: { events: ['*'] } })
    t.match(changed.body.data, { url: body.url, events: ['*'], description: 'Search' })
    t.match((await app.ask(`GET ${BASE}?per_page=1`)).body, { data: [{ id: view.id }], meta: { total: 1 } })
    const bad = [
      [{ url: 'ftp://example.org' }, 'url'],
      [{ url: 'https://me:word@example.org' }, 'url'],
      [{ url: 'nowhere' }, 'url'],
      ...['127.0.0.1', '[::1]', '10.0.0.1', '169.254.169.254', '0', '2130706433', '[::ffff:10.0.0.1]'].map((host) => [
        { url: `http://${host}/` },
        'url',
      ]),
      [{ events: ['record.eaten'] }, 'events'],
      [{ events: [] }, 'events'],
      [{ events: ['*.*.*'] }, 'events'],
    ] as const
    for (const [wrong, field] of bad) {
      const words = JSON.stringify(wrong)
      t.match(
        (await app.ask(`POST ${BASE}`, { body: { ...body, ...(wrong as object) } })).body.errors,
        { [String(field)]: [String] },
        words,
      )
      t.equal((await app.ask(`PUT ${BASE}/${view.id}`, { body: wrong })).status, 422, words)
    }
    t.equal((await app.ask(`DELETE ${BASE}/${view.id}`)).status, 200)
    t.equal((await app.ask(`DELETE ${BASE}/${view.id}`)).status, 404)
    t.same((await app.ask(`GET ${BASE}`)).body.data, [])
    t.notOk(await opened.store.head(keyOf('.webhook-secrets', view.id)), 'its secret is gone with it')
  }),
)

t.test('there are a hundred at most', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: FEATURES } })
    t.teardown(() => app.close())
    const body = { url: 'https://example.org/hooks', events: ['*'] }
    await opened.store.write(
      Array.from({ length: 99 }, (_, nth) => ({
        key: keyOf('.webhooks', `wh_${nth}`),
        put: { set: { ...body, maker: 'token:x' } },
      })),
      BY,
    )
    t.equal((await app.ask(`POST ${BASE}`, { body })).status, 201)
    t.match((await app.ask(`POST ${BASE}`, { body })).body, { message: /100 webhooks/ })
  }),
)

t.test('who gives a webhook another address or other events is its maker from then on', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: FEATURES } })
    t.teardown(() => app.close())
    const body = { url: 'https://example.org/hooks', events: ['record.*'] }
    const { id } = (await app.ask(`POST ${BASE}`, { body })).body.data
    const other = 'content:read,webhooks:write'
    const owner = async () => (await app.ask(`GET ${BASE}/${id}`)).body.data.owner.name
    await app.ask(`PUT ${BASE}/${id}`, { body: { ...body, description: 'x' }, as: other })
    t.equal(await owner(), 'admin', 'words change nothing of what is told')
    await app.ask(`PUT ${BASE}/${id}`, { body: { url: 'https://example.org/mine' }, as: other })
    t.equal(await owner(), other, 'else they would read with the rights of others')
    await app.ask(`PUT ${BASE}/${id}`, { body: { events: ['*'] } })
    t.equal(await owner(), 'admin')
  }),
)

t.test('those of the configuration are listed first, told everything, and not changed here', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const receiver = await Receiver.listen(t)
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const webhooks = [{ url: receiver.url, events: ['record.*', 'settings.*'], secret, private_addresses: true }]
    const open = () => new TestApp(opened, { config: { features: FEATURES, webhooks } })
    const app = open()
    const send = async (to = app) => {
      await to.features.events.due()
      await to.features.webhooks.drains.run()
    }
    await send()
    const [view] = (await app.ask(`GET ${BASE}`)).body.data
    t.match(view, { configured: true, enabled: true, owner: null, created_at: null, url: receiver.url })
    const ada = { name: 'Ada', email: 'ada@example.org' }
    const write = async (id: string, to = app) => {
      await opened.store.write([{ key: keyOf('posts', id), put: { set: { title: id, status: 'draft' } } }], ada)
      await send(to)
    }
    await write('a')
    const [first] = receiver.got
    t.equal(first?.headers['webhook-signature'], first && signatureBy(secret, first), 'to a private address, since it says so')
    await opened.store.write([{ key: keyOf('settings', 'site'), put: { set: { tagline: 'x' } } }], ada)
    await send()
    t.same(receiver.take(), ['record.created a', 'settings.created site'])
    for (const request of [`PUT ${BASE}/${view.id}`, `DELETE ${BASE}/${view.id}`, `POST ${BASE}/${view.id}/rotate`]) {
      const answer = await app.ask(request, request.startsWith('PUT') ? { body: { events: ['*'] } } : {})
      t.match([answer.status, answer.body.message], [409, /configuration/], request)
    }
    t.match((await app.ask(`POST ${BASE}/${view.id}/test`)).body.data, { status: 'delivered' })
    receiver.take()
    t.notMatch((await app.ask(`GET ${BASE}`)).text, 'whsec_')
    await app.close()

    const next = open()
    t.teardown(() => next.close())
    await write('b', next)
    t.same(receiver.take(), ['record.created b'], 'it goes on where it was')

    const without = new TestApp(opened, { config: { features: FEATURES } })
    t.teardown(() => without.close())
    await without.features.webhooks.forget()
    await write('c', without)
    const back = open()
    t.teardown(() => back.close())
    await send(back)
    await write('d', back)
    t.same(receiver.take(), ['record.created d'], 'one that was taken out is told of what comes from then on')
  }),
)

t.test('a setting that can be no webhook is named with its place, and without its secret', async (t) => {
  await eachStore(t, {}, async (t, opened) => {
    const url = 'https://example.org/hooks'
    for (const [settings, words] of [
      [[{ url: 'https://me:word@example.org', events: ['*'] }], /webhooks\.0\.url must be without a user name/],
      [[{ url, events: ['record.eaten'] }], /webhooks\.0\.events.*record\.eaten/s],
      [
        [
          { url, events: ['*'] },
          { url, events: ['*'] },
        ],
        /webhooks\.1\.url is there twice/,
      ],
    ] as const) {
      const webhooks = settings.map((one) => ({ ...one, secret: 'covert', private_addresses: false }))
      const app = new TestApp(opened, { config: { features: { ...FEATURES, webhooks: false }, webhooks } })
      t.throws(() => app.features.webhooks, words)
      try {
        void app.features.webhooks
      } catch (error) {
        t.notMatch(String(error), 'covert')
      }
      await app.close()
    }
  })
})

t.test('what was sent is kept with the place in one step: while the store is away nothing is sent twice', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const receiver = await Receiver.listen(t)
    let isAway = false
    const store = new Proxy(opened.store, {
      get: (target, name) => {
        const own = Reflect.get(target, name)
        if (name === 'write' && isAway) return () => Promise.reject(new Error('The store is away.'))
        return typeof own === 'function' ? own.bind(target) : own
      },
    })
    const app = new TestApp(opened, { config: { features: FEATURES }, deps: { store, receivers: RECEIVERS, isShared: true } })
    t.teardown(() => app.close())
    const { drains } = app.features.webhooks
    await app.features.events.due()
    await app.ask(`POST ${BASE}`, { body: { url: receiver.url, events: ['record.*'] } })
    await opened.store.write([{ key: keyOf('posts', 'a'), put: { set: { title: 'A', status: 'draft' } } }], BY)
    await app.features.events.due()
    isAway = true
    await t.rejects(drains.run(), /away/)
    await t.rejects(drains.run(), /away/)
    isAway = false
    await drains.run()
    await drains.run()
    t.same(receiver.take(), ['record.created a'])
    const [made] = (await app.ask(`GET ${BASE}`)).body.data
    t.match((await app.ask(`GET ${BASE}/${made.id}/deliveries`)).body.data, [{ status: 'delivered', attempts: 1 }])
  }),
)
