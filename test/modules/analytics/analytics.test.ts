import t, { type Test } from 'tap'
import type { Visit } from '#module/module.ts'
import { makeAnalytics } from '#modules/analytics/analytics.ts'
import { type ContextOptions, TestModule } from '#support/module-context.ts'
import { eachStore, type OpenedStore, openNode } from '#support/stores.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const DAY = 86_400_000

function open(opened: OpenedStore, options: ContextOptions = {}): TestModule {
  return new TestModule('analytics', makeAnalytics(), opened, { config: { days: 365, ignore: [] }, ...options })
}

/** A visit of somebody; `headers` beside those of a browser. */
function visit(module: TestModule, path: string, { headers = {}, ...rest }: Partial<Visit> = {}): void {
  const { context, definition } = module
  const whole: Visit = {
    ...{ path, host: 'example.org', ip: '192.0.2.1', isSignedIn: false, method: 'GET', at: context.now() },
    ...rest,
    headers: { 'user-agent': FIREFOX, ...headers },
  }
  definition.visited?.(whole, context)
}

async function report(module: TestModule, query = '') {
  const { body } = await module.ask(`GET /api/analytics${query}`)
  return (body as { data: { days: Row[]; pages: Row[]; referrers: Row[] } }).data
}
type Row = Record<string, string | number>

/** The days with views. */
async function days(module: TestModule, query = '') {
  return (await report(module, query)).days.filter(({ views }) => views !== 0)
}

const each = (name: string, body: (t: Test, opened: OpenedStore) => Promise<void>) =>
  t.test(name, (t) => eachStore(t, { now: '2026-11-28T12:00:00.000Z' }, body))

each('views, visitors, pages and referrers are counted by day', async (t, opened) => {
  const module = open(opened)
  visit(module, '/')
  visit(module, '/?utm_source=x')
  visit(module, '/caf%C3%A9', { ip: '192.0.2.2', headers: { referer: 'https://News.example:8443/item?id=1' } })
  visit(module, '/caf%c3%a9', { headers: { referer: 'https://example.org/' } })
  visit(module, '/', { headers: { 'user-agent': `${FIREFOX} Other` } })
  const { days, pages, referrers } = await report(module)
  t.equal(days.length, 30)
  t.strictSame(days[0], { date: '2026-10-30', views: 0, visitors: 0 })
  t.strictSame(days.at(-1), { date: '2026-11-28', views: 5, visitors: 3 })
  t.strictSame(pages, [
    { path: '/', views: 3, visitors: 2 },
    { path: '/café', views: 2, visitors: 2 },
  ])
  t.strictSame(referrers, [{ host: 'news.example', views: 1 }])
  opened.clock.advance(DAY)
  visit(module, '/')
  t.strictSame((await report(module, '?days=2')).days, [
    { date: '2026-11-28', views: 5, visitors: 3 },
    { date: '2026-11-29', views: 1, visitors: 1 },
  ])
  const one = await report(module, '?from=2026-11-28&to=2026-11-28&path=/caf%C3%A9')
  t.strictSame(one, {
    days: [{ date: '2026-11-28', views: 2, visitors: 2 }],
    pages: [{ path: '/café', views: 2, visitors: 2 }],
    referrers: [{ host: 'news.example', views: 1 }],
  })
  await module.definition.close?.(module.context)
})

each('who does not want to be counted, or is no person, is not', async (t, opened) => {
  const module = open(opened, { config: { days: 365, ignore: ['/private/**', '/thanks'] } })
  const uncounted: Partial<Visit>[] = [
    { method: 'HEAD' },
    { isSignedIn: true },
    { headers: { dnt: '1' } },
    { headers: { 'sec-gpc': '1' } },
    { headers: { 'sec-purpose': 'prefetch' } },
    { headers: { 'sec-purpose': 'prefetch;prerender' } },
    ...BOTS.map((agent) => ({ headers: { 'user-agent': agent } })),
  ]
  for (const options of uncounted) visit(module, '/', options)
  visit(module, '/private/a/b')
  visit(module, '/thanks?x=1')
  t.strictSame(await days(module), [])
  for (const agent of BROWSERS) visit(module, '/', { headers: { 'user-agent': agent } })
  visit(module, '/', { headers: { dnt: '0', 'sec-gpc': '0' } })
  visit(module, '/thanks/again')
  t.match(await days(module), [{ views: BROWSERS.length + 2 }])
})

each('a visitor is an address, a browser and a host; of IPv6 a network', async (t, opened) => {
  const module = open(opened)
  const ips = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:3::1', '::ffff:192.0.2.9', '192.0.2.9']
  for (const ip of ips) visit(module, '/', { ip })
  t.match(await days(module), [{ views: 5, visitors: 3 }])
  visit(module, '/', { ip: '192.0.2.9', host: 'www.example.org' })
  t.match(await days(module), [{ views: 6, visitors: 4 }])
})

each('days begin at midnight of the site', async (t, opened) => {
  const module = open(opened, { timezone: 'Pacific/Auckland' })
  for (const at of ['2026-11-28T10:59:59.999Z', '2026-11-28T11:00:00.000Z']) visit(module, '/', { at: Date.parse(at) })
  t.strictSame(await days(module), [
    { date: '2026-11-28', views: 1, visitors: 1 },
    { date: '2026-11-29', views: 1, visitors: 1 },
  ])
})

each('parameters that are no span are refused', async (t, opened) => {
  const module = open(opened)
  const wrong = [
    ['?days=0', 'days'],
    ['?days=3661', 'days'],
    ['?days=1.5', 'days'],
    ['?days=x', 'days'],
    ['?days=', 'days'],
    ['?days=3&from=2026-11-01', 'days'],
    ['?from=2026-02-30', 'from'],
    ['?to=yesterday', 'to'],
    ['?from=2026-11-03&to=2026-11-02', 'from'],
    ['?from=1999-01-01', 'from'],
    ['?path=about', 'path'],
  ] as const
  for (const [query, field] of wrong) {
    const refused = await module.ask(`GET /api/analytics${query}`).catch((error: unknown) => error)
    t.match(refused, { status: 422, errors: { [field]: [String] } }, query)
  }
  t.equal((await report(module, '?days=3660')).days.length, 3660)
  t.equal((await report(module, '?from=2026-11-01')).days.length, 28)
  t.equal((await report(module, '?to=2026-11-01')).days[0]?.date, '2026-10-03')
  t.equal((await module.ask('GET /api/analytics')).auth, 'settings:write')
})

each('a table of all of it is CSV', async (t, opened) => {
  const module = open(opened)
  visit(module, '/a,"b"', { headers: { referer: 'https://news.example/' } })
  const { body, headers } = await module.ask('GET /api/analytics?days=1', { headers: { accept: 'text/csv' } })
  t.equal(headers['content-type'], 'text/csv; charset=utf-8')
  t.equal(body, 'table,name,views,visitors\r\nday,2026-11-28,1,1\r\npage,"/a,""b""",1,1\r\nreferrer,news.example,1,\r\n')
})

each('days that are over become one document each, with the same figures and no visitors', async (t, opened) => {
  const module = open(opened, { config: { days: 3, ignore: [] } })
  const other = open(opened)
  for (const [n, node] of [module, other, module].entries()) {
    visit(node, '/', { ip: `192.0.2.${n + 10}`, headers: { referer: 'https://news.example/' } })
    visit(node, `/page-${n}`)
  }
  const before = await report(module, '?days=4')
  await report(other)
  t.match(before.days.at(-1), { views: 4, visitors: 3 }, 'what the other node has in memory is not there yet')
  const whole = await report(module, '?days=4')
  t.match(whole.days.at(-1), { views: 6, visitors: 4 })
  const { store } = module.context
  await module.work('roll-up')
  t.equal((await store.collection('parts').list()).total, 2, 'the day is not over')
  opened.clock.advance(DAY / 2 + 59 * 60_000)
  await module.work('roll-up')
  t.equal((await store.collection('parts').list()).total, 2, 'other nodes may not have kept all of it')
  opened.clock.advance(60_000)
  await module.work('roll-up')
  await module.work('roll-up')
  t.equal((await store.collection('parts').list()).total, 0)
  const kept = await store.collection('days').list()
  t.strictSame(
    kept.items.map(({ id }) => id),
    ['2026-11-28'],
  )
  const rolled = await report(module, '?from=2026-11-25&to=2026-11-28')
  t.strictSame(rolled, whole)
  opened.clock.advance(2 * DAY)
  await module.work('roll-up')
  t.match(await days(module), [], 'it is forgotten after so many days')
  t.equal((await store.collection('days').list()).total, 0)
})

each('a part that is late is added, and one that was added is not added again', async (t, opened) => {
  const module = open(opened)
  visit(module, '/')
  await report(module)
  const parts = module.context.store.collection('parts')
  const [part] = (await parts.list()).items
  opened.clock.advance(2 * DAY)
  await module.work('roll-up')
  await parts.put(part?.id ?? '', { ...part?.fields })
  t.match(await days(module), [{ views: 1 }], 'the process was killed before it was removed')
  await module.work('roll-up')
  t.equal((await parts.list()).total, 0)
  visit(module, '/late', { at: opened.clock.now() - 2 * DAY })
  t.match(await days(module), [{ views: 2, visitors: 2 }])
  await module.work('roll-up')
  t.match(await days(module), [{ views: 2, visitors: 2 }])
  t.equal((await parts.list()).total, 0)
})

each('visits that can not be kept are kept later', async (t, opened) => {
  const module = open(opened)
  const { store } = module.context
  const collection = store.collection.bind(store)
  const parts = collection('parts')
  let isAway = true
  const flaky = {
    ...parts,
    put: (id: string, fields: object) => (isAway ? Promise.reject(new Error('away')) : parts.put(id, { ...fields })),
  }
  Object.assign(store, { collection: (name: string) => (name === 'parts' ? flaky : collection(name)) })
  visit(module, '/')
  t.strictSame(await days(module), [])
  visit(module, '/')
  t.strictSame(await days(module), [])
  t.equal(module.logged.length, 1, 'it is said once')
  isAway = false
  t.match(await days(module), [{ views: 2, visitors: 1 }])
})

t.test('nodes share a salt, and a visitor of both is one', (t) =>
  eachStore(t, { now: '2026-11-28T12:00:00.000Z' }, async (t, opened) => {
    const nodes = [opened, 'url' in opened ? await openNode(t, opened as OpenedStore & { url: string }) : opened].map((one) =>
      open(one),
    )
    for (const node of nodes) {
      visit(node, '/')
      visit(node, '/')
    }
    await Promise.all(nodes.map((node) => node.definition.close?.(node.context)))
    const [first] = nodes
    if (first) t.match(await days(first), [{ views: 4, visitors: 1 }])
  }),
)

const BOTS = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'Mozilla/5.0 (compatible; Claude-User/1.0; +claude@example.com)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)',
  'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
  'Baiduspider+(+http://www.baidu.com/search/spider.htm)',
  'UptimeRobot/2.0; http://www.uptimerobot.com/',
  'curl/8.5.0',
  'Wget/1.21.4',
  'python-requests/2.32.0',
  'Go-http-client/2.0',
]

const BROWSERS = [
  FIREFOX,
  'Mozilla/5.0 (Linux; Android 11; CUBOT NOTE 20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
  'Lynx/2.9.0 libwww-FM/2.14 SSL-MM/1.4.1',
]
