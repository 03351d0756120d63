import t, { type Test } from 'tap'
import { until } from '#support/cli.ts'
import { Server } from '#support/server.ts'
import { type Answer, faultsOf, holdsTheSite, Load, Site } from './nodes.ts'

/** Number of times that the database and a node are brought down: `npm run test:nodes -- 20` for more. */
const rounds = Number(process.argv[2] ?? 1)

/** Longest time in milliseconds that the nodes may take to answer again once the database takes connections. */
const PROMISED = 5_000

/** Changes with one If-Match, over both nodes: one is done. */
async function oneOfHundred(t: Test, site: Site): Promise<void> {
  await site.ask(0, 'POST /api/cms/posts', { title: 'wanted' })
  const { etag } = await site.ask(1, 'GET /api/cms/posts/wanted')
  const changes = Array.from({ length: 100 }, (_, nth) =>
    site.ask(nth, 'PUT /api/cms/posts/wanted', { title: `wanted by ${nth}` }, { 'if-match': etag }),
  )
  const statuses = (await Promise.all(changes)).map(({ status }) => status)
  const count = (wanted: number) => statuses.filter((status) => status === wanted).length
  t.strictSame([count(200), count(412)], [1, 99])
}

/**
 * A node that stands still in the middle of a write keeps the others waiting for seconds, not for ever, and goes on when it can.
 */
async function stopped(t: Test, site: Site, database: string): Promise<void> {
  const asked: Promise<Answer>[] = []
  await until(
    async () => {
      site.node(0).signal('SIGCONT')
      asked.push(site.ask(0, 'POST /api/cms/posts', { title: `stopped ${asked.length}` }))
      await Promise.race([asked.at(-1), site.ask(1, 'GET /api/cms/posts/wanted')])
      site.node(0).signal('SIGSTOP')
      return holdsTheSite(database)
    },
    (holds) => holds,
  )
  const from = performance.now()
  t.equal((await site.ask(1, 'GET /api/cms/posts/wanted')).status, 200)
  const read = performance.now() - from
  const { status } = await site.ask(1, 'POST /api/cms/posts', { title: 'went on' })
  t.comment(
    `beside a node that stands still a read took ${Math.round(read)} ms, a write ${Math.round(performance.now() - from)} ms`,
  )
  t.equal(status, 201)
  site.node(0).signal('SIGCONT')
  const statuses = (await Promise.all(asked)).map((answer) => answer.status)
  t.ok(
    statuses.every((status) => status === 201 || status === 503),
    String(statuses),
  )
  t.equal((await site.ask(0, 'POST /api/cms/posts', { title: 'went on, too' })).status, 201)
}

t.test('two servers under load lose and double nothing while the database and one of them go away', async (t) => {
  const server = await Server.start(process.pid, [])
  t.teardown(() => server.remove())
  const site = await Site.open(t, server.url)
  const load = new Load(site)
  await load.goesOn(30)
  const took: Record<string, number[]> = {}
  for (let round = 0; round < rounds; round++) {
    for (const mode of ['immediate', 'fast'] as const) {
      await server.stop(mode)
      await server.start()
      const from = performance.now()
      const ask = (nth: number, request: string, wanted: number, body?: object) =>
        until(
          () => site.ask(nth, request, body),
          ({ status }) => status === wanted,
        ).then(() => performance.now() - from)
      const title = `after-${mode}-${round}`
      load.asked.add(`${title}-0`).add(`${title}-1`)
      const times = await Promise.all([
        ask(0, 'GET /api/cms/posts', 200),
        ask(1, 'GET /api/cms/posts', 200),
        ask(0, 'POST /api/cms/posts', 201, { title: `${title}-0` }),
        ask(1, 'POST /api/cms/posts', 201, { title: `${title}-1` }),
      ])
      took[mode] = [...(took[mode] ?? []), ...times.map(Math.round)]
      await load.goesOn(30)
    }
    const node = site.node(round)
    await node.kill('SIGKILL')
    await load.goesOn(30)
    await node.start()
    await load.goesOn(30)
  }
  await load.end()
  const { answered, asked, statuses, longest } = load
  t.comment(JSON.stringify({ took, answered: answered.size, asked: asked.size, statuses, longest: Math.round(longest) }))
  t.strictSame(await faultsOf(site, load, server.url), [])
  t.ok(
    Object.values(took)
      .flat()
      .every((ms) => ms < PROMISED),
    `both answer again within ${PROMISED} ms`,
  )

  await oneOfHundred(t, site)
  await stopped(t, site, server.url)

  await server.stop('fast')
  const refused = await site.ask(0, 'POST /api/cms/posts', { title: 'away' })
  t.match(refused, { status: 503, retryAfter: /^\d+$/ })
  const from = performance.now()
  const codes = await Promise.all(site.nodes.map((node) => node.kill('SIGTERM')))
  t.strictSame(codes, [143, 143])
  t.comment(`ended in ${Math.round(performance.now() - from)} ms with the database away`)
  for (const { said } of site.nodes) t.notMatch(said, /unhandled|\n\s+at /i)
})
