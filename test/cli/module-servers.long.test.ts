import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { cms, type Running, scratchSite, start, until } from '#support/cli.ts'
import { testDatabase } from '#support/postgres.ts'

const THROTTLE = 'throttle: { api: off, uploads: off }\n'

/** A module that tells its version, and how often each of its migrations was run. */
function putModule(folder: string, version: string, migrations: readonly number[] = []): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'module.yaml'), `api: 1\nname: visits\nversion: ${version}\npermissions: [store]\n`)
  writeFileSync(
    join(folder, 'index.js'),
    `import { randomUUID } from 'node:crypto'
import { defineModule } from 'quire-cms/module'
const runs = (store) => store.collection('runs')
const migration = (number) => ({ number, run: async ({ store }) => void (await runs(store).put(randomUUID(), { number })) })
export default defineModule({
  api: 1,
  collections: ['runs'],
  migrations: [${migrations.join(', ')}].map(migration),
  routes(app, { store }) {
    app.get('/api/x/visits', { auth: 'public' }, () => ({ data: '${version}' }))
    app.get('/api/x/visits/runs', { auth: 'public' }, async () => ({
      data: (await runs(store).list()).items.map(({ fields }) => fields.number).sort(),
    }))
  },
})
`,
  )
}

async function serve(t: Test, root: string, env: Record<string, string> = {}): Promise<{ server: Running; url: string }> {
  const server = start(['serve', '-C', root, '--port', '0'], { env })
  t.teardown(() => {
    server.process.kill('SIGTERM')
    return server.done
  })
  const [, url = ''] = await server.says(/Listening on (http:\/\/\S+)/)
  return { server, url }
}

/** A registry that is served, and a function that publishes a module there. */
async function registry(t: Test) {
  const root = scratchSite(t, { 'cms.config.yaml': `site: { name: R }\n${THROTTLE}`, 'content/a.md': '# A\n' })
  const { url } = await serve(t, root)
  const made = await cms(['token:create', '-C', root, '--name', 'publisher', '--scope', 'modules:publish'])
  const env = { HOME: root, CMS_TOKEN: made.stdout.trim() }
  const publish = async (version: string, migrations?: readonly number[]) => {
    const source = join(root, 'visits')
    putModule(source, version, migrations)
    t.match(await cms(['module:publish', source, '--registry', url], { env }), { code: 0 })
  }
  return { url, publish }
}

/** Resolves with the status and the body of an answer. */
function asked(url: string, agent?: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: agent ?? false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      answer.on('end', () => resolve(answer.statusCode === 200 ? (JSON.parse(text).data ?? 'fine') : String(answer.statusCode)))
    }).on('error', reject)
  })
}

t.test('what is added, updated, put back and removed is used by a server that runs, without a request refused', async (t) => {
  const { url: from, publish } = await registry(t)
  await publish('1.0.0')
  const config = `site: { name: X }\n${THROTTLE}modules: { registry: "${from}" }\n`
  const root = scratchSite(t, { 'cms.config.yaml': config, 'content/posts/first.md': '# First\n' })
  const { server, url } = await serve(t, root)
  const run = (...args: string[]) => cms([...args, '-C', root])
  t.equal(await asked(`${url}/api/x/visits`), '404')

  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  t.teardown(() => agent.destroy())
  const heard: string[] = []
  const asking = { isOver: false }
  const clients = Array.from({ length: 3 }, async () => {
    while (!asking.isOver) {
      const answer = await asked(`${url}/api/x/visits`, agent)
      if (heard.at(-1) !== answer) heard.push(answer)
      t.equal(await asked(`${url}/healthz`, agent), 'fine')
    }
  })
  const becomes = async (answer: string) => {
    server.process.kill('SIGHUP')
    await until(
      () => asked(`${url}/api/x/visits`),
      (now) => now === answer,
    )
  }
  t.match(await run('module:add', 'visits', '-y'), { code: 0 })
  await becomes('1.0.0')
  await publish('2.0.0')
  t.match(await run('module:update', '-y'), { code: 0, stdout: 'visits 1.0.0 → 2.0.0\n' })
  t.equal(await asked(`${url}/api/x/visits`), '1.0.0', 'the one that runs goes on until it is told')
  await becomes('2.0.0')
  t.match(await run('module:add', 'visits@1.0.0', '--downgrade', '-y'), { code: 0 })
  await becomes('1.0.0')
  t.match(await run('module:remove', 'visits', '-y'), { code: 0 })
  await becomes('404')
  asking.isOver = true
  await Promise.all(clients)
  const [first, ...later] = [...new Set(heard)]
  t.strictSame([first, later.sort()], ['404', ['1.0.0', '2.0.0']], 'and no request has heard of anything else')
  t.equal(server.process.exitCode, null)
})

t.test('of two nodes on one database the other asks for what the lock names, and a migration is run once', async (t) => {
  const { url: from, publish } = await registry(t)
  await publish('1.0.0', [1])
  const env = { DATABASE_URL: await testDatabase(t), CMS_SECRET: 'a secret that is long enough to be one' }
  const config = `storage: { driver: postgres }\n${THROTTLE}modules: { registry: "${from}" }\n`
  const [one, other] = [scratchSite(t, { 'cms.config.yaml': config }), scratchSite(t, { 'cms.config.yaml': config })]
  const run = (root: string, ...args: string[]) => cms([...args, '-C', root], { env })
  t.match(await run(one, 'module:add', 'visits', '-y'), { code: 0 })
  const first = await serve(t, one, env)
  t.equal(await asked(`${first.url}/api/x/visits`), '1.0.0')

  for (const name of ['cms.config.yaml', 'modules.lock.yaml']) copyFileSync(join(one, name), join(other, name))
  const second = await serve(t, other, env)
  await second.server.says(/The module visits is off: There is no folder modules\/visits/, 'stderr')
  t.equal(await asked(`${second.url}/api/x/visits`), '404')
  t.match(await run(other, 'doctor'), { code: 1, stdout: /cms module:add visits@1\.0\.0/ })
  t.match(await run(other, 'module:add', 'visits@1.0.0', '-y'), { code: 0 })
  const lockOf = (root: string) => readFileSync(join(root, 'modules.lock.yaml'), 'utf8')
  t.equal(lockOf(other), lockOf(one), 'the same bytes')
  const nodes = [first, second]
  const become = async (version: string) => {
    for (const { server } of nodes) server.process.kill('SIGHUP')
    for (const { url } of nodes)
      await until(
        () => asked(`${url}/api/x/visits`),
        (answer) => answer === version,
      )
  }
  await become('1.0.0')
  const runs = () => Promise.all(nodes.map(({ url }) => asked(`${url}/api/x/visits/runs`)))
  t.strictSame(await runs(), [[1], [1]])

  await publish('2.0.0', [1, 2, 3])
  for (const root of [one, other]) t.match(await run(root, 'module:update', '-y'), { code: 0 })
  await become('2.0.0')
  t.strictSame(await runs(), Array(2).fill([1, 2, 3]), 'both began with it at once')
})
