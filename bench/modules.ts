import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fire, median, type Target } from './load.ts'
import { CMS, startQuire } from './servers.ts'
import { idOf, type Layout, makeSite } from './site.ts'

/**
 * The start of a site with modules beside the same site without, in turn: from the start of the process until it listens, and to the
 * first list. Then routes of a module beside those of Quire that do the same, in turn, in one server: requests a second of each, and
 * the processor's time of a request. `npm run bench:modules -- [modules] [rounds] [seconds]`.
 */
const modules = Number(process.argv[2] ?? 20)
const rounds = Number(process.argv[3] ?? 9)
const seconds = Number(process.argv[4] ?? 2)
const CONNECTIONS = 10
const layout: Layout = { records: 1000, size: 2048, folders: 256 }
const print = (line: string) => process.stdout.write(`${line}\n`)

const names = Array.from({ length: modules }, (_, n) => `bench-${n}`)
const roots = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'quire-bench-'))) as [string, string]
try {
  makeSite(roots[0], layout, `modules: { enabled: [reader, ${names.join(', ')}] }\n`)
  makeSite(roots[1], layout)
  for (const name of names)
    execFileSync(process.execPath, [CMS, 'module:init', name, '--dir', join(roots[0], 'modules', name)], { stdio: 'pipe' })
  putReader(join(roots[0], 'modules', 'reader'))
  await starts(roots)
  await routes(roots[0])
} finally {
  for (const root of roots) rmSync(root, { recursive: true, force: true, maxRetries: 3 })
}

/** Puts a module that reads records, and answers what Quire's own routes do. */
function putReader(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const permissions = '[records:content:read@posts, records:content:drafts@posts]'
  writeFileSync(join(folder, 'module.yaml'), `api: 1\nname: reader\nversion: 1.0.0\npermissions: ${permissions}\n`)
  writeFileSync(
    join(folder, 'index.js'),
    `import { defineModule } from 'quire-cms/module'
export default defineModule({
  api: 1,
  routes(app, { records }) {
    app.get('/api/x/reader/status', { auth: 'public' }, () => ({ status: 'ok' }))
    app.get('/api/x/reader/posts', async () => records.list('posts'))
    app.get('/api/x/reader/posts/:id', async ({ params }) => ({ data: await records.get('posts', params.id) }))
  },
})
`,
  )
}

async function starts([own, other]: [string, string]): Promise<void> {
  const once = async (root: string) => {
    const begun = performance.now()
    const server = await startQuire(root)
    await (await fetch(`${server.url}/api/cms/posts`)).arrayBuffer()
    const first = performance.now() - begun
    const { readyMs } = server
    await server.stop()
    return { ready: readyMs, first }
  }
  // What is kept from then on is made.
  for (const root of [own, other]) await once(root)
  const pairs: { ready: number; first: number; without: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const one = await once(round % 2 ? other : own)
    const two = await once(round % 2 ? own : other)
    const [withThem, without] = round % 2 ? [two, one] : [one, two]
    pairs.push({
      ready: withThem.ready - without.ready,
      first: withThem.first - without.first,
      without: without.ready,
    })
  }
  const of = (key: 'ready' | 'first' | 'without') => median(pairs.map((pair) => pair[key])).toFixed(0)
  print(`start with ${modules + 1} modules, beside none, ${rounds} rounds in turn`)
  print(`until it listens: ${of('ready')} ms more than ${of('without')} ms; to the first list: ${of('first')} ms more`)
}

async function routes(root: string): Promise<void> {
  const token = execFileSync(process.execPath, [CMS, 'token:create', '--name', 'bench', '--scope', 'read', '-C', root], {
    encoding: 'utf8',
  }).trim()
  const headers = { authorization: `Bearer ${token}` }
  const server = await startQuire(root)
  const id = idOf(42, layout)
  const asked = {
    'a constant': ['/api/x/reader/status', '/healthz'],
    'a record': [`/api/x/reader/posts/${id}`, `/api/cms/posts/${id}`],
    '15 of a list': ['/api/x/reader/posts', '/api/cms/posts'],
  } as const
  print(`routes of a module beside Quire's, ${CONNECTIONS} connections, ${rounds} rounds of ${seconds} s each in turn`)
  for (const [name, paths] of Object.entries(asked)) {
    const [own, other] = paths.map((path): Target => ({ url: `${server.url}${path}`, headers })) as [Target, Target]
    const ask = async (target: Target) => {
      const before = server.cpu()
      const round = await fire(target, CONNECTIONS, seconds)
      if (round.failed > 0) throw new Error(`${target.url}: ${round.failed} failed`)
      return { rate: round.perSecond, cpu: ((server.cpu() - before) / round.answered) * 1e6 }
    }
    for (const target of [own, other]) await ask(target)
    const pairs: { own: number; other: number; rate: number; cpu: number; more: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const one = await ask(round % 2 ? other : own)
      const two = await ask(round % 2 ? own : other)
      const [mine, ours] = round % 2 ? [two, one] : [one, two]
      pairs.push({
        ...{ own: mine.rate, other: ours.rate, rate: mine.rate / ours.rate },
        ...{ cpu: ours.cpu / mine.cpu, more: mine.cpu - ours.cpu },
      })
    }
    const of = (key: 'own' | 'other' | 'rate' | 'cpu' | 'more') => median(pairs.map((pair) => pair[key]))
    print(
      `${name}: ${of('own').toFixed(0)} beside ${of('other').toFixed(0)} a second, ${of('rate').toFixed(3)}; of the CPU ${of('cpu').toFixed(3)} (${of('more').toFixed(0)} µs more)`,
    )
  }
  await server.stop()
}
