import t from 'tap'
import type { Visit } from '#module/module.ts'
import { makeAnalytics } from '#modules/analytics/analytics.ts'
import { TestModule } from '#support/module-context.ts'
import { eachStore, type OpenedStore, openNode } from '#support/stores.ts'

const VISITS = 100_000
const FIRST = Date.parse('2026-11-20T00:00:00.000Z')
const DAYS = 8

t.test('100,000 visits of two nodes over eight days, with restarts and roll-ups, are as counted by hand', (t) =>
  eachStore(t, { now: '2026-11-20T00:00:00.000Z' }, async (t, opened) => {
    const random = randomOf(17)
    const second = 'url' in opened ? await openNode(t, opened as OpenedStore & { url: string }) : opened
    const nodes = [opened, second].map(begin)
    const sums = new Count()
    for (let n = 0; n < VISITS; n++) {
      const at = FIRST + Math.floor((n / VISITS) * DAYS * 86_400_000)
      opened.clock.advance(at - opened.clock.now())
      const visit = madeUp(random, at)
      sums.add(visit)
      const node = random(2)
      const { definition, context } = nodes[node] as TestModule
      definition.visited?.(visit, context)
      // As the timer does, and now and then a process ends and another begins.
      if (n % 2000 === 1999) await ask(nodes[n % 4000 === 1999 ? 0 : 1] as TestModule)
      if (n % 15_000 === 14_999) {
        await definition.close?.(context)
        nodes[node] = begin(node === 0 ? opened : second)
      }
      if (n % 5000 === 4999) await nodes[0]?.work('roll-up')
    }
    for (const node of nodes) await node.definition.close?.(node.context)
    const [first] = nodes as [TestModule]
    const before = await ask(first)
    t.strictSame(before, sums.report())
    opened.clock.advance(86_400_000 + 3_600_000)
    await first.work('roll-up')
    t.equal((await first.context.store.collection('parts').list()).total, 0)
    t.equal((await first.context.store.collection('days').list()).total, DAYS + 1, 'in Berlin they are of nine days')
    t.strictSame(await ask(first), sums.report(), 'rolled up, too')
    await Promise.all(nodes.map((node) => node.definition.close?.(node.context)))
  }),
)

function begin(opened: OpenedStore): TestModule {
  return new TestModule('analytics', makeAnalytics(), opened, { config: { days: 365, ignore: [] }, timezone: 'Europe/Berlin' })
}

async function ask(module: TestModule): Promise<unknown> {
  const { body } = await module.ask('GET /api/analytics?from=2026-11-20&to=2026-11-28')
  return (body as { data: unknown }).data
}

/** Pages in the order of how often they are read, visitors of whom some come each day, and what is not counted among them. */
function madeUp(random: (below: number) => number, at: number): Visit {
  const who = random(3000)
  const from = random(40)
  const headers = {
    'user-agent': who % 50 === 0 ? 'SomeBot/1.0' : `Browser/${who % 7}`,
    ...(from < 30 ? {} : from < 35 ? { referer: 'https://example.org/' } : { referer: `https://host-${from}.example/x` }),
    ...(who % 77 === 0 ? { dnt: '1' } : {}),
  }
  const ip = who % 3 === 0 ? `2001:db8:0:${who.toString(16)}::${random(65_000).toString(16)}` : `10.0.${who >> 8}.${who & 255}`
  const path = `/page-${Math.min(random(60), random(60), random(60))}`
  return { path, host: 'example.org', ip, headers, isSignedIn: who % 97 === 0, method: who % 41 === 0 ? 'HEAD' : 'GET', at }
}

/** Counts what a report should say, by sets of texts. */
class Count {
  readonly #days = new Map<string, { views: number; visitors: Set<string> }>()
  readonly #pages = new Map<string, { views: number; visitors: Set<string> }>()
  readonly #hosts = new Map<string, number>()

  add({ path, ip, headers, isSignedIn, method, at }: Visit): void {
    if (isSignedIn || method === 'HEAD' || headers.dnt || headers['user-agent']?.includes('Bot')) return
    const day = new Date(at + 3_600_000).toISOString().slice(0, 10)
    const network = ip.includes(':') ? ip.split(':').slice(0, 4).join(':') : ip
    const who = `${day} ${network} ${headers['user-agent']}`
    for (const [sums, name] of [
      [this.#days, day],
      [this.#pages, path],
    ] as const) {
      const sum = sums.get(name) ?? { views: 0, visitors: new Set() }
      sum.views++
      sum.visitors.add(who)
      sums.set(name, sum)
    }
    const host = headers.referer ? new URL(headers.referer).host : 'example.org'
    if (host !== 'example.org') this.#hosts.set(host, (this.#hosts.get(host) ?? 0) + 1)
  }

  report(): unknown {
    const rows = <T extends { views: number }>(list: T[], name: (row: T) => string) =>
      list.sort((a, b) => b.views - a.views || (name(a) < name(b) ? -1 : 1))
    const days = [...this.#days].map(([date, { views, visitors }]) => ({ date, views, visitors: visitors.size }))
    const pages = [...this.#pages].map(([path, { views, visitors }]) => ({ path, views, visitors: visitors.size }))
    const referrers = [...this.#hosts].map(([host, views]) => ({ host, views }))
    return {
      days: days.sort((a, b) => (a.date < b.date ? -1 : 1)),
      pages: rows(pages, ({ path }) => path),
      referrers: rows(referrers, ({ host }) => host),
    }
  }
}

/** A source of whole numbers below a bound, the same for each seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
