import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { TestApp } from '#support/app.ts'
import { counting, NAMES, namesFrom, PRIVATE_HOSTS } from '#support/private-network.ts'
import { Receiver } from '#support/receiver.ts'
import { eachStore } from '#support/stores.ts'

const FEATURES = { api: true, auth: true, events: true, webhooks: true }
const ADA = { name: 'Ada', email: 'ada@example.org' }
/** Milliseconds within which a receiver is told, whatever others do. */
const SOON_MS = 5_000
const STEP_MS = 300_000

const write = (store: Store, id: string) =>
  store.write([{ key: keyOf('posts', id), put: { set: { title: id, status: 'draft' } } }], ADA)

async function send(app: TestApp): Promise<void> {
  await app.features.events.due()
  await app.features.webhooks.drains.run()
}

t.test('no connection is made to an address that is not public, whatever address a webhook is made with', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { port, connections } = await counting(t)
    const app = new TestApp(opened, { config: { features: FEATURES } })
    t.teardown(() => app.close())
    await send(app)
    namesFrom(t, (name) => NAMES[name] ?? ['127.0.0.1'])
    t.ok(PRIVATE_HOSTS.length >= 60)
    const taken: string[] = []
    for (const host of PRIVATE_HOSTS) {
      const body = { url: `http://${host}:${port}/`, events: ['*'] }
      const { status, body: answer } = await app.ask('POST /api/webhooks', { body })
      if (status === 201) taken.push(answer.data.id)
      else t.match([status, answer.errors.url], [422, [String]], host)
    }
    // A name is looked up when it is sent to: then, and each time anew.
    t.ok(taken.length >= Object.keys(NAMES).length && taken.length < 20, `${taken.length} are names`)
    await write(opened.store, 'a')
    await send(app)
    for (const id of taken) {
      const { url } = (await app.ask(`GET /api/webhooks/${id}`)).body.data
      const { data } = (await app.ask(`GET /api/webhooks/${id}/deliveries`)).body
      t.match(data, [{ status: 'pending', response: { status: null, body: /private address/ } }], url)
      const tested = (await app.ask(`POST /api/webhooks/${id}/test`)).body.data
      t.match(tested, { status: 'failed', response: { status: null, body: /private address/ } }, url)
    }
    t.equal(connections(), 0)
  }),
)

t.test('a name that stands for a private address the second time is sent to once', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { port, connections } = await counting(t)
    const receivers = { isAllowed: (address: string) => address === '127.0.0.1', patience: 1_000 }
    const app = new TestApp(opened, { config: { features: FEATURES }, deps: { receivers } })
    t.teardown(() => app.close())
    await send(app)
    const asked = namesFrom(t, (_, nth) => (nth === 1 ? ['127.0.0.1'] : ['127.0.0.9']))
    const body = { url: `http://turns.test:${port}/`, events: ['record.*'] }
    const { id } = (await app.ask('POST /api/webhooks', { body })).body.data
    for (const record of ['a', 'b']) {
      await write(opened.store, record)
      await send(app)
      opened.clock.advance(1_000)
    }
    const { data } = (await app.ask(`GET /api/webhooks/${id}/deliveries`)).body
    t.match(
      data.map(({ status, response }: { status: string; response: object }) => ({ status, response })),
      [
        { status: 'pending', response: { status: null, body: /private address/ } },
        { status: 'delivered', response: { status: 200 } },
      ],
    )
    t.same([asked, connections()], [['turns.test', 'turns.test'], 1])
  }),
)

t.test('whatever some receivers do for an hour, another is told of all within five seconds', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const receivers = { isAllowed: () => true, patience: 10_000 }
    const app = new TestApp(opened, { config: { features: FEATURES }, deps: { receivers, isShared: true } })
    t.teardown(() => app.close())
    const { drains } = app.features.webhooks
    await send(app)
    const listen = async () => {
      const receiver = await Receiver.listen(t)
      await app.ask('POST /api/webhooks', { body: { url: receiver.url, events: ['record.*'] } })
      return receiver
    }
    const [hangs, breaks, leads, floods, good] = [await listen(), await listen(), await listen(), await listen(), await listen()]
    const hung: (() => void)[] = []
    hangs.answer = (response) => void hung.push(() => response.destroy())
    breaks.answer = (response) => response.writeHead(500).end('Away')
    leads.answer = (response) => response.writeHead(307, { location: good.url }).end()
    let sent = 0
    floods.answer = (response) => {
      const block = Buffer.alloc(1024 * 1024, 'x')
      const more = () => {
        for (let room = true; room && sent < 1024 ** 3 && !response.destroyed; sent += block.length) room = response.write(block)
      }
      response.writeHead(200, { 'content-length': String(1024 ** 3) }).on('drain', more)
      more()
    }
    drains.begin()
    let slowest = 0
    const hour = Array.from({ length: 3_600_000 / STEP_MS }, (_, nth) => `r${nth}`)
    for (const id of hour) {
      await write(opened.store, id)
      await app.features.events.due()
      drains.wake()
      const from = performance.now()
      while (!good.got.some(({ event }) => event.data.id === id) && performance.now() - from < SOON_MS) await pause(2)
      slowest = Math.max(slowest, performance.now() - from)
      opened.clock.advance(STEP_MS)
    }
    t.ok(slowest < SOON_MS, `the slowest took ${Math.round(slowest)} ms`)
    t.same(
      good.take(),
      hour.map((id) => `record.created ${id}`),
      'each once: no redirect led here',
    )
    t.ok(hung.length > 0)
    t.ok(breaks.got.length > hour.length, 'what was not taken is sent again')
    t.ok(sent < hour.length * 16 * 1024 * 1024, 'the rest of what is sent without end is left unread')
    for (const end of hung) end()
  }),
)
