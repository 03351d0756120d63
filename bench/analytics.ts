import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock } from '#lib/clock.ts'
import type { Visit } from '#module/module.ts'
import { makeAnalytics } from '#modules/analytics/analytics.ts'
import { FilesLedger } from '#stores/files/ledger/ledger.ts'
import { FilesStore } from '#stores/files/store.ts'
import { TestModule } from '#support/module-context.ts'
import { plainTypes } from '#support/types.ts'
import { fire, median, type Round } from './load.ts'
import { type Server, startQuire } from './servers.ts'
import { idOf, type Layout, makeSite } from './site.ts'

/**
 * Pages of a site that counts visits, beside the same site without, in turn; then what one visit costs by itself, of many visitors.
 * `npm run bench:analytics -- [records] [rounds] [seconds]`.
 */
const records = Number(process.argv[2] ?? 1000)
const rounds = Number(process.argv[3] ?? 7)
const seconds = Number(process.argv[4] ?? 3)
const CONNECTIONS = 10
const VISITS = 200_000
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const print = (line: string) => process.stdout.write(`${line}\n`)

await beside()
await alone()

/** Two servers, asked for the same pages in turn, which first changing from round to round. */
async function beside(): Promise<void> {
  const layout: Layout = { records, size: 2048, folders: 256 }
  const roots = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'quire-bench-'))) as [string, string]
  try {
    makeSite(roots[0], layout, 'features: { analytics: true }\n')
    makeSite(roots[1], layout)
    const counting = await startQuire(roots[0])
    const plain = await startQuire(roots[1])
    let n = 0
    const path = () => `/posts/${idOf(10 * (n++ % 50) + 1, layout).replace('~', '/')}`
    const ask = async (server: Server): Promise<Round & { cpu: number }> => {
      const before = server.cpu()
      const headers = { host: 'example.org', 'user-agent': BROWSER, referer: 'https://news.example/' }
      const round = await fire({ url: server.url, path, headers }, CONNECTIONS, seconds)
      return { ...round, cpu: ((server.cpu() - before) / round.answered) * 1e6 }
    }
    for (const server of [counting, plain]) await ask(server)
    const pairs: { rate: number; cpu: number; own: number; failed: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const first = await ask(round % 2 ? plain : counting)
      const second = await ask(round % 2 ? counting : plain)
      const [own, other] = round % 2 ? [second, first] : [first, second]
      pairs.push({
        rate: own.perSecond / other.perSecond,
        cpu: own.cpu / other.cpu,
        own: own.cpu,
        failed: own.failed + other.failed,
      })
    }
    const of = (key: 'rate' | 'cpu' | 'own') => median(pairs.map((pair) => pair[key]))
    const failed = pairs.reduce((sum, pair) => sum + pair.failed, 0)
    print(`${records} records, ${CONNECTIONS} connections, ${rounds} rounds of ${seconds} s each in turn, ${failed} failed`)
    print(
      `with analytics beside without: ${of('rate').toFixed(3)} of the answers a second, ${of('cpu').toFixed(3)} of the CPU (${of('own').toFixed(0)} µs)`,
    )
    await Promise.all([counting.stop(), plain.stop()])
  } finally {
    for (const root of roots) rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The function that is called for each page, with 50,000 visitors on 500 pages, and what keeping it all takes. */
async function alone(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
  const files = { root, content: 'content', privateDir: '.cms' }
  const store = await FilesStore.open({ ...files, types: plainTypes(), clock, watch: false, fingerprint: 'bench' })
  const ledger = await FilesLedger.open(join(root, '.cms/ledger.log'), clock)
  try {
    const module = new TestModule(
      'analytics',
      makeAnalytics(),
      { store, ledger, clock },
      { config: { days: 365, ignore: ['/private/**'] } },
    )
    const { definition, context } = module
    const visits = Array.from(
      { length: VISITS },
      (_, n): Visit => ({
        ...{ path: `/posts/${n % 500}`, host: 'example.org', ip: `10.${n % 200}.${(n >> 8) % 250}.1` },
        ...{ isSignedIn: false, method: 'GET', at: context.now() },
        headers: { 'user-agent': BROWSER, referer: 'https://news.example/' },
      }),
    )
    for (const visit of visits.slice(0, 1)) definition.visited?.(visit, context)
    await module.ask('GET /api/analytics')
    const before = process.cpuUsage()
    for (const visit of visits) definition.visited?.(visit, context)
    const counted = process.cpuUsage(before)
    const begun = performance.now()
    await definition.close?.(context)
    const kept = performance.now() - begun
    print(
      `a visit by itself: ${((counted.user + counted.system) / VISITS).toFixed(2)} µs of CPU; keeping ${VISITS}: ${kept.toFixed(0)} ms`,
    )
  } finally {
    await store.close()
    await ledger.close()
    rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  }
}
