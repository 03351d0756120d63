import t from 'tap'
import { keyOf } from '#core/key.ts'
import { EventLoop } from '#features/metrics/event-loop.ts'
import { exposition } from '#features/metrics/exposition.ts'
import { RequestCounts } from '#features/metrics/requests.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, openMemory } from '#support/stores.ts'

const FILES = { 'content/posts/a.md': '---\ntitle: A\n---\nText.\n', 'content/posts/b.md': '---\ntitle: B\n---\n' }
const FEATURES = { api: true, search: true, metrics: true, docs: true }
const by = { name: 'Test', email: 'test@example.org' }

/** The grammar of the text format: comments, then samples of the metric they are about. */
const LINE =
  /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="(?:[^"\\\n]|\\[\\"n])*"(?:,\w+="(?:[^"\\\n]|\\[\\"n])*")*\})? (?:[\d.e+-]+|\+Inf|NaN))$/

/** Samples by name and labels. */
function samples(text: string): Map<string, number> {
  const lines = text.trimEnd().split('\n')
  const bad = lines.filter((line) => !LINE.test(line))
  if (bad.length > 0 || !text.endsWith('\n')) throw new Error(`Not of the format: ${bad.join('\n')}`)
  const pairs = lines
    .filter((line) => !line.startsWith('#'))
    .map((line): [string, number] => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    })
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) throw new Error('A sample is there twice.')
  return new Map(pairs)
}

t.test('a server tells how it does, on every store', async (t) => {
  await eachStore(t, { files: FILES }, async (t, opened) => {
    const api = new TestApp(opened, { config: { features: FEATURES } })
    t.teardown(() => api.close())
    await opened.search.ready()
    const { store } = opened
    const first = { key: keyOf('posts', 'c'), put: { set: { title: 'C' } } }
    const second = { key: keyOf('posts', 'd'), put: { set: { title: 'D' } } }
    await Promise.all([store.write([first], by), store.write([second], by)])
    await api.ask('GET /api/cms/posts/a', { as: 'read' })
    await api.ask('GET /api/cms/posts/b', { as: 'read' })
    await api.ask('GET /api/cms/posts/none', { as: 'read' })
    await api.ask('HEAD /api/cms/posts/a', { as: 'read' })
    for (const path of ['/nothing', '/nothing/at/all', '/a"b\\c']) await api.bare(`GET ${path}`)
    const { status, headers, text } = await api.bare('GET /metrics')
    t.equal(status, 200)
    t.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    t.equal(headers['cache-control'], 'no-store')
    const found = samples(text)
    const requests = (labels: string) => found.get(`quire_http_requests_total{${labels}}`)
    t.equal(requests('method="GET",route="/api/cms/:type/:id",status="200"'), 2)
    t.equal(requests('method="GET",route="/api/cms/:type/:id",status="404"'), 1)
    t.equal(requests('method="HEAD",route="/api/cms/:type/:id",status="200"'), 1)
    t.equal(requests('method="GET",route="none",status="404"'), 3, 'what no route answers is one')
    const duration = 'quire_http_request_duration_seconds'
    const labels = 'method="GET",route="/api/cms/:type/:id"'
    t.equal(found.get(`${duration}_count{${labels}}`), 3)
    t.equal(found.get(`${duration}_bucket{${labels},le="+Inf"}`), 3)
    t.ok((found.get(`${duration}_sum{${labels}}`) ?? 0) > 0)
    // One more write is that of the token.
    t.equal(found.get('quire_writes_total'), 3)
    t.equal(found.get('quire_commit_groups_total'), 2, 'writes at the same time are one group')
    t.equal(found.get('quire_store_up'), 1)
    t.equal(found.get('quire_unreadable_documents'), 0)
    t.ok((found.get('quire_documents') ?? 0) >= 4)
    t.ok((found.get('quire_search_index_bytes') ?? 0) > 100)
    t.equal(found.get('quire_info{version="0"}'), 1)
    t.ok((found.get('process_cpu_seconds_total') ?? 0) > 0)
    t.ok((found.get('process_resident_memory_bytes') ?? 0) > 1e6)
    t.ok(Math.abs((found.get('process_start_time_seconds') ?? 0) - Date.now() / 1000) < 86_400)
  })
})

t.test('messages that are not sent yet are the outbox, with the age of the oldest', async (t) => {
  const opened = await openMemory({})
  const jobs = { waiting: async () => [{ name: 'mail', count: 3, oldest: opened.clock.now() - 90_500 }] }
  const api = new TestApp(opened, { config: { features: FEATURES }, deps: { jobs: () => jobs as never } })
  const found = samples((await api.bare('GET /metrics')).text)
  t.equal(found.get('quire_outbox_messages'), 3)
  t.equal(found.get('quire_outbox_oldest_seconds'), 90.5)
  t.equal(found.get('quire_jobs_waiting{job="mail"}'), 3)
  const none = new TestApp(opened, { config: { features: FEATURES } })
  t.equal(samples((await none.bare('GET /metrics')).text).get('quire_outbox_oldest_seconds'), 0)
})

t.test('while the store is away the rest is told', async (t) => {
  const opened = await openMemory({})
  opened.store.health = () => Promise.reject(new Error('away'))
  const api = new TestApp(opened, { config: { features: FEATURES } })
  const { status, text } = await api.bare('GET /metrics')
  t.equal(status, 200)
  const found = samples(text)
  t.equal(found.get('quire_store_up'), 0)
  t.notOk(found.has('quire_documents'))
  t.ok(found.has('process_cpu_seconds_total'))
})

t.test('metrics are off by default, and for this machine or a right alone', async (t) => {
  const opened = await openMemory({})
  const off = new TestApp(opened, { config: { features: { api: true } } })
  t.equal((await off.bare('GET /metrics')).status, 404)

  const app = (trust_proxy: unknown) => new TestApp(opened, { config: { features: FEATURES, server: { trust_proxy } } })
  const asked = async (trusted: unknown, headers: Record<string, string>, from?: string) =>
    (await app(trusted).bare('GET /metrics', { headers, ...(from && { from }) })).status
  const cases: [number, unknown, Record<string, string>, string?][] = [
    [200, false, {}],
    [200, false, { accept: 'text/plain;version=0.0.4' }],
    [401, false, {}, '192.0.2.1'],
    // A proxy that nobody told of, and what it sends.
    [401, false, { 'x-forwarded-for': '192.0.2.1' }],
    [401, false, { 'x-forwarded-for': '127.0.0.1' }],
    [401, false, { forwarded: 'for=127.0.0.1' }],
    [401, false, { host: 'example.org' }],
    [401, false, { 'x-forwarded-for': '127.0.0.1' }, '192.0.2.1'],
    // One that is trusted, with and without headers.
    [401, 1, {}],
    [401, 1, { 'x-forwarded-for': '127.0.0.1' }],
    [401, 2, { 'x-forwarded-for': '127.0.0.1, 127.0.0.1' }],
    [401, ['127.0.0.1'], {}],
    [401, ['127.0.0.1'], {}, '::ffff:127.0.0.1'],
    [401, ['127.0.0.0/8'], { 'x-forwarded-for': '127.0.0.1' }],
    [401, ['::1'], {}, '::1'],
    [200, ['10.0.0.0/8'], {}],
    [401, ['10.0.0.0/8'], {}, '10.0.0.1'],
    [401, ['10.0.0.0/8'], { 'x-forwarded-for': '127.0.0.1' }, '10.0.0.1'],
  ]
  for (const [expected, trusted, headers, from] of cases)
    t.equal(await asked(trusted, headers, from), expected, JSON.stringify([trusted, headers, from]))
})

t.test('a token needs audit:read, wherever it comes from', async (t) => {
  const opened = await openMemory({})
  const api = new TestApp(opened, { config: { features: FEATURES } })
  const headers = { 'x-forwarded-for': '192.0.2.1', accept: 'text/plain' }
  t.equal((await api.ask('GET /metrics', { as: 'audit:read', headers })).status, 200)
  t.equal((await api.ask('GET /metrics', { as: 'edit', headers })).status, 403)
  t.equal((await api.ask('GET /metrics', { as: 'edit' })).status, 403, 'who says who they are is held to it')
  t.equal((await api.bare('GET /metrics', { headers: { authorization: 'Bearer nothing' } })).status, 401)
})

t.test('any text is a label, and a sample is one line', (t) => {
  const value = { labels: { a: 'x\\y"z\nw' }, value: 1 }
  const text = exposition([
    { name: 'm', type: 'gauge', help: 'One\nline \\.', samples: [value, { value: Number.POSITIVE_INFINITY }] },
    { name: 'none', type: 'gauge', help: 'Nothing.', samples: [] },
  ])
  t.equal(text, '# HELP m One\\nline \\\\.\n# TYPE m gauge\nm{a="x\\\\y\\"z\\nw"} 1\nm +Inf\n')
  t.end()
})

t.test('words for methods are not made up by clients, and buckets are cumulative', (t) => {
  const counts = new RequestCounts()
  for (const seconds of [0.001, 0.0011, 0.3, 60]) counts.add('/a', 'GET', 200, seconds)
  for (const method of ['BREW', 'X1', 'X2']) counts.add(undefined, method, 404, 0)
  const found = samples(exposition(counts.metrics()))
  const bucket = (le: string) => found.get(`quire_http_request_duration_seconds_bucket{method="GET",route="/a",le="${le}"}`)
  t.strictSame(['0.001', '0.0025', '0.25', '0.5', '10', '+Inf'].map(bucket), [1, 2, 2, 3, 3, 4])
  t.equal(found.get('quire_http_requests_total{method="other",route="none",status="404"}'), 3)
  t.end()
})

t.test('the delay of the event loop is told since the last time', async (t) => {
  const loop = new EventLoop()
  t.strictSame(loop.metric().samples, [], 'nothing is known before it begins')
  loop.begin()
  t.teardown(() => loop.close())
  const turn = () => new Promise((resolve) => setTimeout(resolve, 50))
  let told = loop.metric()
  for (let tries = 0; tries < 100 && !told.samples.some(({ value }) => value >= 0.05); tries++) {
    // The timer has to have come once before one that is late.
    await turn()
    const end = performance.now() + 150
    while (performance.now() < end);
    await turn()
    told = loop.metric()
  }
  t.strictSame(
    told.samples.map(({ labels }) => labels?.stat),
    ['mean', 'p50', 'p99', 'max'],
  )
  t.ok(told.samples.some(({ value }) => value >= 0.05))
  t.strictSame(loop.metric(), told, 'who asks right after is told the same')
})
