import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Throttles } from '#http/guarding/throttles.ts'
import { type AppOptions, TestApp } from '#support/app.ts'
import { type OpenedStore, openMemory } from '#support/stores.ts'

type Asked = { status: number; remaining: number; body: { id?: string } }

/** One more node of a site, and how to ask it as the bearer of a token that all nodes know. */
interface Node {
  app: TestApp
  throttles: Throttles
  ask(request: string, headers?: Record<string, string>, body?: unknown): Promise<Asked>
}

/** Two nodes on one store and one ledger, or on what `seen` makes of it for the second. */
async function openNodes(t: Test, options: AppOptions, seen = (ledger: Ledger) => ledger) {
  const opened = await openMemory({ files: { 'content/posts/a.md': '# A\n' } })
  const first = nodeOf(t, opened, options)
  const authorization = `Bearer ${await first.app.token()}`
  const second = nodeOf(t, { ...opened, ledger: seen(opened.ledger) }, options)
  const asked = ({ app, throttles }: Omit<Node, 'ask'>): Node => ({
    app,
    throttles,
    ask: async (request, headers = {}, body) => {
      const { status, headers: answered, body: told } = await app.bare(request, { headers: { authorization, ...headers }, body })
      return { status, remaining: Number(answered['ratelimit-remaining']), body: told }
    },
  })
  return { nodes: [asked(first), asked(second)] as const, ...opened }
}

function nodeOf(t: Test, opened: OpenedStore, options: AppOptions): Omit<Node, 'ask'> {
  const app = new TestApp(opened, { ...options, deps: { ...options.deps, isShared: true } })
  t.teardown(() => app.close())
  return { app, throttles: app.features.throttles }
}

/** A ledger that counts how often it is asked, and fails while it is away. */
function watched(ledger: Ledger): Ledger & { asked: number; isAway: boolean } {
  const addAll: Ledger['addAll'] = async (counts, ttl) => {
    seen.asked += 1
    if (seen.isAway) throw new Error('away')
    return ledger.addAll(counts, ttl)
  }
  const seen = { ...bound(ledger), addAll, asked: 0, isAway: false }
  return seen
}

function bound(ledger: Ledger): Ledger {
  return {
    put: (...of) => ledger.put(...of),
    take: (...of) => ledger.take(...of),
    add: (...of) => ledger.add(...of),
    addAll: (...of) => ledger.addAll(...of),
    peek: (...of) => ledger.peek(...of),
    facts: () => ledger.facts(),
    close: () => ledger.close(),
  }
}

const LIST = 'GET /api/cms/posts'
const FIVE_A_MINUTE = { config: { throttle: { api: '5,1' } } }

t.test('throttles of two nodes count as one', async (t) => {
  const { nodes, clock } = await openNodes(t, FIVE_A_MINUTE)
  const [one, two] = nodes
  const exchange = async () => {
    for (const node of [...nodes, ...nodes]) await node.throttles.exchange()
  }
  t.match(await one.ask(LIST), { status: 200, remaining: 4 })
  t.match(await one.ask(LIST), { status: 200, remaining: 3 })
  t.match(await two.ask(LIST), { status: 200, remaining: 4 }, 'until then each counts its own')
  await exchange()
  t.match(await two.ask(LIST), { status: 200, remaining: 1 })
  await exchange()
  t.match(await one.ask(LIST), { status: 200, remaining: 2 }, 'who had nothing to tell learns the total when it has')
  await exchange()
  t.match([await one.ask(LIST), await two.ask(LIST)], [{ status: 429 }, { status: 200 }])
  await exchange()
  t.match([await one.ask(LIST), await two.ask(LIST)], [{ status: 429 }, { status: 429 }])
  clock.advance(60_000)
  await exchange()
  t.match(
    [await one.ask(LIST), await two.ask(LIST)],
    [
      { status: 200, remaining: 4 },
      { status: 200, remaining: 4 },
    ],
  )
})

t.test('an exchange asks nothing where nothing was counted, and a ledger that is away stops nobody', async (t) => {
  const opened = await openMemory({})
  const ledger = watched(opened.ledger)
  const { app, throttles } = nodeOf(t, { ...opened, ledger }, FIVE_A_MINUTE)
  const other = nodeOf(t, opened, FIVE_A_MINUTE)
  await throttles.exchange()
  t.equal(ledger.asked, 0)
  const remaining = async (node: TestApp) => Number((await node.bare(LIST)).headers['ratelimit-remaining'])
  ledger.isAway = true
  t.equal(await remaining(app), 4)
  await throttles.exchange()
  t.equal(await remaining(app), 3, 'it counts alone')
  ledger.isAway = false
  await throttles.exchange()
  await throttles.exchange()
  t.equal(ledger.asked, 2)
  await other.app.bare(LIST)
  await other.throttles.exchange()
  t.equal(await remaining(other.app), 1, 'and tells later what it counted meanwhile')
})

t.test('what is counted while totals are on their way is not lost, and one exchange is under way at a time', async (t) => {
  const opened = await openMemory({})
  let answer = () => {}
  const slow = watched(opened.ledger)
  const { addAll } = slow
  slow.addAll = async (...of) => {
    const sums = await addAll(...of)
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return sums
  }
  const { app, throttles } = nodeOf(t, { ...opened, ledger: slow }, FIVE_A_MINUTE)
  await app.bare(LIST)
  const running = [throttles.exchange(), throttles.exchange()]
  t.equal((await app.bare(LIST)).headers['ratelimit-remaining'], '3')
  const ended: string[] = []
  running.push(...running.splice(0).map((exchange) => exchange.then(() => void ended.push('exchange'))))
  running.push(throttles.close().then(() => void ended.push('close')))
  await new Promise((resolve) => setImmediate(resolve))
  answer()
  await Promise.all(running)
  t.equal(ended.at(-1), 'close', 'and closing waits for it')
  t.equal(slow.asked, 1)
  t.equal((await app.bare(LIST)).headers['ratelimit-remaining'], '2')
})

t.test('a listening node exchanges by itself', async (t) => {
  const opened = await openMemory({})
  const told = new Promise<void>((resolve) => {
    const addAll = async () => {
      resolve()
      return []
    }
    const ledger = { ...bound(opened.ledger), addAll }
    const { app } = nodeOf(t, { ...opened, ledger }, FIVE_A_MINUTE)
    const listening = app.app.listen({ port: 0, host: '127.0.0.1' })
    listening.then(() => app.lives.begin()).then(() => app.bare(LIST))
  })
  await t.resolves(told)
})

t.test('Idempotency-Key: one answer from two nodes', async (t) => {
  const { nodes, store } = await openNodes(t, {})
  const [one, two] = nodes
  const create = (node: Node, key: string) => node.ask('POST /api/cms/posts', { 'idempotency-key': key }, { title: 'New' })
  const total = async () => (await store.heads('posts', {})).total
  const first = await create(one, 'k')
  t.same([first, first.status], [await create(two, 'k'), 201])
  t.equal(await total(), 2)
  const both = await Promise.all([create(one, 'l'), create(two, 'l')])
  const statuses = both.map(({ status }) => status).sort()
  t.ok(statuses[0] === 201 && [201, 409].includes(statuses[1] ?? 0), String(statuses))
  t.equal(await total(), 3)
  t.equal((await create(two, 'l')).status, 201)
  t.equal(await total(), 3)
})

t.test('Idempotency-Key: an answer that another node gives between the look and the claim', async (t) => {
  let meanwhile = async () => {}
  const late = (ledger: Ledger): Ledger => ({
    ...bound(ledger),
    peek: async (name) => {
      const found = await ledger.peek(name)
      const work = meanwhile
      meanwhile = async () => {}
      await work()
      return found
    },
  })
  const { nodes, store } = await openNodes(t, {}, late)
  const [one, two] = nodes
  const create = (node: Node) => node.ask('POST /api/cms/posts', { 'idempotency-key': 'k' }, { title: 'New' })
  await two.ask(LIST)
  let first: Asked | undefined
  meanwhile = async () => {
    first = await create(one)
  }
  const second = await create(two)
  t.equal(second.status, 201)
  t.same(second, first)
  t.equal((await store.heads('posts', {})).total, 2)
})

t.test('Idempotency-Key: what a node that died had in hand', async (t) => {
  let dies: 'before' | 'after' = 'after'
  const dying = (ledger: Ledger): Ledger => {
    const gone = async () => Promise.reject(new Error('died'))
    const claimed = new Set<string>()
    return {
      ...bound(ledger),
      add: (name, ...of) => {
        claimed.add(name)
        return ledger.add(name, ...of)
      },
      peek: (name) => (claimed.has(`${name}.claim`) && dies === 'before' ? gone() : ledger.peek(name)),
      put: (name, ...of) => (claimed.has(`${name}.claim`) ? gone() : ledger.put(name, ...of)),
      take: gone,
    }
  }
  const { nodes, store, clock } = await openNodes(t, {}, dying)
  const [one, two] = nodes
  const create = (node: Node, key: string) => node.ask('POST /api/cms/posts', { 'idempotency-key': key }, { title: 'New' })
  const total = async () => (await store.heads('posts', {})).total
  t.equal((await create(two, 'k')).status, 500)
  t.equal(await total(), 2, 'it was done')
  t.equal((await create(one, 'k')).status, 201, 'and another node tells so at once')
  t.equal(await total(), 2)
  dies = 'before'
  t.equal((await create(two, 'l')).status, 500)
  t.equal((await create(one, 'l')).status, 409, 'it may be at it yet')
  clock.advance(2000)
  t.equal((await create(one, 'l')).status, 201, 'another takes over')
  t.equal(await total(), 3)
  dies = 'after'
  const act = (node: Node, key: string, action: object) =>
    node.ask('POST /api/cms/posts/actions', { 'idempotency-key': key }, action)
  for (const [key, action] of Object.entries({ set: { set: { title: 'Both' } }, remove: { delete: true } })) {
    const asked = { ids: ['new-2', 'new'], ...action }
    t.equal((await act(two, key, asked)).status, 500)
    const { status, body } = await act(one, key, asked)
    const versions = await Promise.all(asked.ids.map(async (id) => (await store.get(keyOf('posts', id)))?.version ?? null))
    const data = asked.ids.map((id, n) => ({ id, version: versions[n] }))
    t.same([status, body], [200, { data, meta: { changed: 2 } }])
  }
})
