import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { type Delivery, DeliveryStore } from '#features/webhooks/delivery-store.ts'
import { afterAttempt } from '#features/webhooks/sending/attempts.ts'
import { type AppOptions, TestApp } from '#support/app.ts'
import type { TestClock } from '#support/clock.ts'
import { Receiver, signatureBy } from '#support/receiver.ts'
import { BY } from '#support/signing-in.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const put = (id: string, set: Record<string, string>): Change => ({ key: keyOf('posts', id), put: { set } })
const draft = (id: string) => put(id, { title: id, status: 'draft' })
const live = (id: string) => put(id, { title: id, status: 'published' })
const [SECOND, HOUR, DAY] = [1_000, 3_600_000, 86_400_000]

interface Given {
  readonly app: TestApp
  readonly opened: OpenedStore
  readonly clock: TestClock
  readonly receiver: Receiver
  /** Writes, makes the events of it, and sends what is due. */
  readonly write: (...changes: Change[]) => Promise<void>
  readonly send: () => Promise<void>
  /** Makes a webhook, and gives its id and secret. */
  readonly hook: (body?: object, as?: string) => Promise<{ id: string; secret: string }>
  readonly deliveries: (id: string) => Promise<readonly Delivered[]>
}

interface Delivered {
  readonly id: string
  readonly type: string
  readonly event: string
  readonly status: string
  readonly attempts: number
  readonly response: { readonly status: number | null; readonly body: string } | null
  readonly next_at: string | null
}

const FEATURES = { api: true, auth: true, events: true, webhooks: true }
const RECEIVERS = { isAllowed: () => true, patience: 300 }

async function given(t: Test, opened: OpenedStore, { config, deps }: AppOptions = {}): Promise<Given> {
  const receiver = await Receiver.listen(t)
  const app = new TestApp(opened, {
    config: { features: FEATURES, ...config },
    deps: { receivers: RECEIVERS, isShared: true, ...deps },
  })
  t.teardown(() => app.close())
  const send = async () => {
    await app.features.events.due()
    await app.features.webhooks.drains.run()
  }
  await send()
  return {
    ...{ app, opened, receiver, send },
    clock: opened.clock as TestClock,
    write: async (...changes) => {
      for (const change of changes) await opened.store.write([change], ada)
      await send()
    },
    hook: async (body = {}, as) => {
      const made = await app.ask('POST /api/webhooks', {
        body: { url: receiver.url, events: ['record.*'], ...body },
        ...(as && { as }),
      })
      if (made.status !== 201) throw new Error(made.text)
      return made.body.data
    },
    deliveries: async (id) => (await app.ask(`GET /api/webhooks/${id}/deliveries`)).body.data,
  }
}

const each = (name: string, body: (t: Test, given: Given) => Promise<void>, options?: AppOptions) =>
  t.test(name, (t) => eachStore(t, {}, async (t, opened) => body(t, await given(t, opened, options))))

each(
  'what happens is sent once, signed, in order, and nothing of before',
  async (t, { receiver, write, hook, send, deliveries }) => {
    await write(live('before'))
    const { id, secret } = await hook()
    t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    await write(draft('a'), put('a', { status: 'published' }), draft('b'))
    const [first] = receiver.got
    t.ok(first)
    if (!first) return
    t.match(first.headers, {
      'content-type': 'application/json; charset=utf-8',
      'webhook-id': first.event.id,
      'webhook-signature': signatureBy(secret, first),
    })
    t.equal(first.headers['webhook-timestamp'], String(Date.parse('2026-01-15T12:00:00Z') / 1000))
    const of = (name: string) => receiver.got.filter(({ event }) => event.data.id === name).map(({ event }) => event.type)
    t.same(of('a'), ['record.created', 'record.published'])
    t.same(of('b'), ['record.created'])
    t.equal(receiver.got.length, 3)
    await send()
    t.equal(receiver.got.length, 3, 'once')
    const [newest] = await deliveries(id)
    t.match(newest, { status: 'delivered', attempts: 1, response: { status: 200, body: '' }, next_at: null })
  },
)

each('what was not taken is sent again under its id, later and later, up to sixteen times', async (t, given) => {
  const { receiver, write, hook, send, clock, deliveries } = given
  const { id, secret } = await hook()
  receiver.answer = (response) => response.writeHead(500).end('Away')
  await write(draft('a'))
  t.match(await deliveries(id), [{ status: 'pending', attempts: 1, response: { status: 500, body: 'Away' } }])
  const waits: number[] = []
  for (let tries = 2; tries <= 16; tries++) {
    const [{ next_at: next } = { next_at: null }] = await deliveries(id)
    waits.push(Date.parse(next ?? '') - clock.now())
    clock.set(new Date(Date.parse(next ?? '') - 1).toISOString())
    await send()
    t.equal(receiver.got.length, tries - 1, 'not before its time')
    clock.advance(1)
    await send()
    t.equal(receiver.got.length, tries)
  }
  t.same(
    waits.slice(0, 5),
    [5, 30, 120, 600, 1800].map((seconds) => seconds * SECOND),
  )
  const all = waits.reduce((sum, ms) => sum + ms, 0)
  t.ok(all > 20 * HOUR && all < 28 * HOUR, 'about a day')
  t.match(await deliveries(id), [{ status: 'failed', attempts: 16, next_at: null }])
  t.equal(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size, 1)
  for (const one of receiver.got) t.equal(one.headers['webhook-signature'], signatureBy(secret, one), 'signed anew')
  clock.advance(DAY)
  await send()
  t.equal(receiver.got.length, 16, 'no more')
})

each('of one record a later event waits until the earlier was taken, or has failed once', async (t, given) => {
  const { receiver, write, hook } = given
  await hook()
  const under: string[] = []
  receiver.answer = (response, { event }) => {
    under.push(`begin ${event.data.id} ${event.type}`)
    setImmediate(() => {
      under.push(`end ${event.data.id} ${event.type}`)
      response.writeHead(event.type === 'record.created' ? 503 : 204).end()
    })
  }
  await write(...['a', 'b', 'c'].flatMap((id) => [draft(id), put(id, { status: 'published' }), put(id, { title: 'x' })]))
  for (const id of ['a', 'b', 'c']) {
    const types = ['record.created', 'record.published', 'record.updated']
    t.same(
      under.filter((line) => line.includes(` ${id} `)),
      types.flatMap((type) => [`begin ${id} ${type}`, `end ${id} ${type}`]),
    )
  }
})

each('one that hangs, breaks off, redirects or sends without end is told so, and holds up no other', async (t, given) => {
  const { receiver, hook, write, deliveries } = given
  const others = await Promise.all(['hangs', 'breaks', 'leads', 'floods'].map(() => Receiver.listen(t)))
  const [hangs, breaks, leads, floods] = others as [Receiver, Receiver, Receiver, Receiver]
  hangs.answer = () => {}
  breaks.answer = (response) => response.destroy()
  leads.answer = (response) => response.writeHead(302, { location: receiver.url }).end('Elsewhere')
  let sent = 0
  floods.answer = (response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x'))) sent += 65_536
    }
    response.writeHead(200).on('drain', more)
    more()
  }
  const ids = []
  for (const { url } of others) ids.push((await hook({ url })).id)
  const { id } = await hook()
  await write(draft('a'))
  t.same(receiver.take(), ['record.created a'], 'once: no redirect led here')
  const [hung, broken, led, flooded] = await Promise.all(ids.map(async (one) => (await deliveries(one))[0]))
  t.match(hung, { status: 'pending', response: { status: null, body: /no answer within 0.3 seconds/ } })
  t.match(broken, { status: 'pending', response: { status: null, body: /no answer/ } })
  t.match(led, { status: 'pending', response: { status: 302, body: 'Elsewhere' } })
  t.match(flooded, { status: 'delivered', response: { status: 200 } })
  t.equal(flooded?.response?.body, 'x'.repeat(1024))
  t.ok(sent < 8 * 1024 * 1024, 'the rest is left unread')
  t.match(await deliveries(id), [{ status: 'delivered' }])
})

each('a new secret is good at once, and the one before for a day', async (t, { app, receiver, hook, write, clock }) => {
  const { id, secret: old } = await hook()
  const rotated = await app.ask(`POST /api/webhooks/${id}/rotate`)
  const { secret } = rotated.body.data
  t.not(secret, old)
  await write(draft('a'))
  clock.advance(DAY - 1)
  await write(draft('b'))
  clock.advance(1)
  await write(draft('c'))
  const [a, b, c] = receiver.got
  if (!a || !b || !c) throw new Error('Three were to come.')
  for (const one of [a, b]) t.equal(one.headers['webhook-signature'], `${signatureBy(secret, one)} ${signatureBy(old, one)}`)
  t.equal(c.headers['webhook-signature'], signatureBy(secret, c))
  for (const path of ['', `/${id}`, `/${id}/deliveries`])
    t.notMatch((await app.ask(`GET /api/webhooks${path}`)).text, /whsec_|"secret"/, 'shown once')
})

t.test('what was answered with 410 is given up in that step, whatever comes of the webhook', async (t) => {
  const sent = { event: { id: 'evt_1', type: 'record.created' } } as unknown as Delivery['sent']
  const createdAt = 1
  const delivery = {
    id: 'dlv_1',
    webhook: 'w',
    sent,
    state: 'pending',
    attempts: 0,
    answer: undefined,
    nextAt: 2,
    createdAt,
  } as const
  const gone = { status: 410, body: '' }
  t.match(afterAttempt({ delivery, answer: gone }, 5), { state: 'failed', attempts: 1, nextAt: undefined, answer: gone })
  t.match(afterAttempt({ delivery, answer: { status: 500, body: '' } }, 5), { state: 'pending', nextAt: 5 + 5 * SECOND })
})

each('three days of failures, or 410, disable it: owners get a letter, and it is enabled by hand', async (t, given) => {
  const { app, receiver, hook, write, send, clock, deliveries } = given
  await app.features.users.create({ email: 'own@example.org', name: 'Own', role: 'owner' }, BY)
  await app.features.users.create({ email: 'edit@example.org', name: 'Edit', role: 'editor' }, BY)
  const { id } = await hook()
  receiver.answer = (response) => response.writeHead(500).end()
  await write(draft('a'))
  clock.advance(3 * DAY - 1)
  await write(draft('b'))
  t.match((await app.ask(`GET /api/webhooks/${id}`)).body.data, { enabled: true })
  clock.advance(1)
  await write(draft('c'))
  t.match((await app.ask(`GET /api/webhooks/${id}`)).body.data, {
    ...{ enabled: false, disabled_at: '2026-01-18T12:00:00.000Z', disabled_reason: 'Nothing was taken for three days.' },
  })
  t.same(
    app.messages.map(({ to }) => to),
    ['own@example.org'],
  )
  const [message] = app.messages
  t.match(message && (await app.compose(message)), { name: 'Own', values: { host: new URL(receiver.url).host } })
  t.same([...new Set((await deliveries(id)).map(({ status }) => status))], ['failed'])
  receiver.take()
  receiver.answer = (response) => response.end()
  clock.advance(DAY)
  await write(draft('d'))
  t.same(receiver.take(), [])
  const [last] = await deliveries(id)
  t.equal((await app.ask(`POST /api/webhooks/deliveries/${last?.id}/replay`)).status, 409)
  t.match((await app.ask(`POST /api/webhooks/${id}/enable`)).body.data, {
    enabled: true,
    disabled_at: null,
    disabled_reason: null,
  })
  await send()
  await write(draft('e'))
  t.same(receiver.take(), ['record.created e'], 'of what happens from then on')
  receiver.answer = (response) => response.writeHead(410).end()
  await write(draft('f'))
  t.match((await app.ask(`GET /api/webhooks/${id}`)).body.data, { enabled: false, disabled_reason: /410 Gone/ })
  t.equal(app.messages.length, 1, 'who says so needs no letter')
})

each('one is told what its maker may read at that moment, and nothing once they are gone', async (t, given) => {
  const { app, receiver, hook, write, send, opened } = given
  const scopes = 'content:read,webhooks:write'
  await hook({ events: ['*'] }, scopes)
  await write(put('secret', { title: 'Covert', status: 'draft' }), live('a'), put('a', { status: 'draft', title: 'Covert' }))
  t.notMatch(JSON.stringify(receiver.got), 'ecret', 'no draft')
  t.same(receiver.take(), ['record.unpublished a'], 'by now it is public no more')
  await write(live('b'))
  t.same(receiver.take(), ['record.created b', 'record.published b'])
  const tokens: { id: string; name: string }[] = (await app.ask('GET /api/tokens')).body.data
  await app.ask(`DELETE /api/tokens/${tokens.find(({ name }) => name === scopes)?.id}`)
  await write(live('c'))
  t.same(receiver.take(), [])
  const user = await app.features.users.create({ email: 'own@example.org', name: 'Own', role: 'admin' }, BY)
  const made = await app.askAs(user, 'POST /api/webhooks', { body: { url: receiver.url, events: ['record.*'] } })
  t.match(made.body.data, { enabled: true, owner: { kind: 'user', name: 'Own' } })
  await write(draft('d'))
  t.same(receiver.take(), ['record.created d'])
  receiver.answer = (response) => response.writeHead(500).end()
  await write(draft('e'))
  receiver.take()
  await app.features.users.setDisabled(user.id, true, BY)
  opened.clock.advance(DAY)
  await write(draft('f'))
  await send()
  t.same(receiver.take(), [], 'nor is what waited sent again')
  t.match((await app.ask(`GET /api/webhooks/${made.body.data.id}`)).body.data, {
    enabled: false,
    disabled_reason: /gone, or disabled/,
  })
})

each('a delivery is sent again by hand, and a test at once', async (t, { app, receiver, hook, write, send, deliveries }) => {
  const { id } = await hook()
  await write(draft('a'))
  const [first] = receiver.got
  const [delivery] = await deliveries(id)
  t.match((await app.ask(`POST /api/webhooks/deliveries/${delivery?.id}/replay`)).body.data, {
    status: 'pending',
    event: delivery?.event,
  })
  await send()
  const [, again] = receiver.got
  t.equal(again?.headers['webhook-id'], first?.headers['webhook-id'])
  t.equal(again?.text, first?.text)
  t.match(await deliveries(id), [{ status: 'delivered', attempts: 1 }])
  receiver.answer = (response) => response.writeHead(400).end('No')
  const tested = await app.ask(`POST /api/webhooks/${id}/test`)
  t.match(tested.body.data, { type: 'webhook.test', status: 'failed', response: { status: 400, body: 'No' }, next_at: null })
  t.match(receiver.got.at(-1)?.event, { type: 'webhook.test', data: { type: 'webhook', id } })
  t.equal((await deliveries(id)).length, 2)
  t.equal((await app.ask('POST /api/webhooks/deliveries/dlv_none/replay')).status, 404)
})

each('a server that ends in the middle leaves nothing out, and sends nothing twice', async (t, given) => {
  const { app, receiver, hook, opened } = given
  await hook()
  await opened.store.write(
    Array.from({ length: 20 }, (_, nth) => draft(`r${nth}`)),
    ada,
  )
  await app.features.events.due()
  let ending: Promise<void> | undefined
  receiver.answer = (response) => {
    ending ??= app.features.webhooks.drains.close()
    setImmediate(() => response.end())
  }
  await app.features.webhooks.drains.run()
  await ending
  const before = receiver.got.length
  t.ok(before > 0 && before < 20, 'it was in the middle')
  const next = new TestApp(opened, { config: { features: FEATURES }, deps: { receivers: RECEIVERS, isShared: true } })
  t.teardown(() => next.close())
  await next.features.webhooks.drains.run()
  t.equal(receiver.got.length, 20)
  t.equal(new Set(receiver.got.map(({ event }) => event.id)).size, 20)
})

each('what was withheld is not told later, whatever its maker may by then', async (t, { app, receiver, write, opened }) => {
  await write(draft('before'))
  const user = await app.features.users.create({ email: 'own@example.org', name: 'Own', role: 'admin' }, BY)
  await app.askAs(user, 'POST /api/webhooks', { body: { url: receiver.url, events: ['record.*'] } })
  await app.features.users.setRole(user.id, 'viewer', BY)
  await write(draft('covert'))
  await app.features.users.setRole(user.id, 'admin', BY)
  const next = new TestApp(opened, { config: { features: FEATURES }, deps: { receivers: RECEIVERS, isShared: true } })
  t.teardown(() => next.close())
  await next.features.webhooks.drains.run()
  await write(draft('later'))
  await next.features.webhooks.drains.run()
  t.same(receiver.take(), ['record.created later'])
})

each('who enables one whose maker is gone is its maker from then on', async (t, { app, receiver, write }) => {
  const user = await app.features.users.create({ email: 'own@example.org', name: 'Own', role: 'admin' }, BY)
  const made = await app.askAs(user, 'POST /api/webhooks', { body: { url: receiver.url, events: ['record.*'] } })
  await app.features.users.setDisabled(user.id, true, BY)
  await write(draft('a'))
  const enabled = await app.ask(`POST /api/webhooks/${made.body.data.id}/enable`)
  t.match(enabled.body.data, { enabled: true, owner: { kind: 'token' } })
  await write(draft('b'))
  t.same(receiver.take(), ['record.created b'])
})

each('deliveries are kept for thirty days', async (t, { app, opened, hook, write, clock }) => {
  const { id } = await hook()
  await write(draft('a'))
  const deliveries = new DeliveryStore({ store: opened.store, clock })
  const total = async () => (await app.ask(`GET /api/webhooks/${id}/deliveries`)).body.meta.total
  clock.advance(30 * DAY)
  await deliveries.sweep()
  t.equal(await total(), 1)
  clock.advance(1)
  await deliveries.sweep()
  t.equal(await total(), 0)
})

each(
  'after it is removed nothing is sent, and what waits is given up',
  async (t, { app, opened, receiver, hook, write, clock, send }) => {
    const { id } = await hook()
    receiver.answer = (response) => response.writeHead(500).end()
    await write(draft('a'))
    t.match((await app.ask(`DELETE /api/webhooks/${id}`)).body.data, { id, deleted: true })
    receiver.take()
    clock.advance(HOUR)
    await write(draft('b'))
    await send()
    t.same(receiver.take(), [])
    for (const path of ['', '/deliveries']) t.equal((await app.ask(`GET /api/webhooks/${id}${path}`)).status, 404)
    const { items } = await opened.store.heads('.deliveries', {})
    t.same(
      items.map(({ fields }) => fields.state),
      ['failed'],
    )
  },
)

t.test('by itself nothing is sent to a private address, whatever its name', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, receiver, hook, write, deliveries } = await given(t, opened, { deps: { receivers: undefined } })
    const refused = await app.ask('POST /api/webhooks', { body: { url: receiver.url, events: ['record.*'] } })
    t.match([refused.status, refused.body.errors.url[0]], [422, /private network/])
    const { id } = await hook({ url: receiver.url.replace('127.0.0.1', 'localhost') })
    await write(draft('a'))
    t.match(await deliveries(id), [{ status: 'pending', response: { status: null, body: /private address/ } }])
    t.same(receiver.got, [])
  }),
)
