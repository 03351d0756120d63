import t from 'tap'
import { until } from '../support/cli.ts'
import { Server } from '../support/server.ts'
import { faultsOf, Load, Site } from './nodes.ts'

/** How often the database and a node are brought down: `npm run test:nodes -- 20` for more. */
const rounds = Number(process.argv[2] ?? 1)

/** What the nodes may take to answer again once the database takes connections, in milliseconds. */
const PROMISED = 5_000

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

  await server.stop('fast')
  const refused = await site.ask(0, 'POST /api/cms/posts', { title: 'away' })
  t.match(refused, { status: 503, retryAfter: /^\d+$/ })
  const from = performance.now()
  const codes = await Promise.all(site.nodes.map((node) => node.kill('SIGTERM')))
  t.strictSame(codes, [143, 143])
  t.comment(`ended in ${Math.round(performance.now() - from)} ms with the database away`)
  for (const { said } of site.nodes) t.notMatch(said, /unhandled|\n\s+at /i)
})
