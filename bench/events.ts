import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseServer, newSchema, type Schema } from './database.ts'
import { fire, median, type Target } from './load.ts'
import { CMS, type Server, startQuire } from './servers.ts'
import { beginRepository, makeSite } from './site.ts'

/**
 * Creates over HTTP with some features and without, in a repository and in a PostgreSQL, in turn: `npm run bench:events -- [records]
 * [seconds] [rounds] [features]`, these with commas between: `events` by default, `audit`, `events,webhooks,audit`. Prints writes a second of both, and the medians of their ratios, round by round: of writes a second, and of
 * the processor's time that a write takes.
 */
const records = Number(process.argv[2] ?? 1_000)
const seconds = Number(process.argv[3] ?? 3)
const rounds = Number(process.argv[4] ?? 7)
/** What the one server has and the other has not; others of these are off on both. */
const switched = (process.argv[5] ?? 'events').split(',')
const FEATURES = ['events', 'webhooks', 'audit']
process.env.CMS_SECRET ??= randomBytes(32).toString('hex')
const print = (line: string) => process.stdout.write(`${line}\n`)
let made = 0

/** A server with these features or without, and what it was found to do. */
interface Contender {
  readonly server: Server
  readonly target: Target
  readonly perSecond: number[]
  /** Milliseconds of a processor for each write. */
  readonly cost: number[]
}

async function begin(root: string, isOn: boolean, schema: Schema | undefined): Promise<Contender> {
  const site = join(root, isOn ? 'on' : 'off')
  makeSite(site, { records, size: 2048, folders: 1 })
  const features = FEATURES.map((name) => `${name}: ${isOn && switched.includes(name)}`).join(', ')
  const storage = schema ? `storage:\n  driver: postgres\n  url: '${schema.url}'\n` : ''
  writeFileSync(join(site, 'cms.config.yaml'), `${storage}types: { posts: {} }\nfeatures: { ${features} }\n`, {
    flag: 'a',
  })
  if (!schema) beginRepository(site)
  const args = [CMS, 'token:create', '--name', 'bench', '--scope', 'edit', '-C', site]
  const token = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
  const server = await startQuire(site)
  const target: Target = {
    url: `${server.url}/api/cms/posts`,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: () => JSON.stringify({ title: `Made ${made++} of ${process.pid}`, body: 'word '.repeat(400) }),
  }
  return { server, target, perSecond: [], cost: [] }
}

async function measure({ server, target, perSecond, cost }: Contender, connections: number): Promise<void> {
  const before = server.cpu()
  const { perSecond: found, failed, answered } = await fire(target, connections, seconds)
  if (failed > 0) throw new Error(`${failed} writes failed`)
  perSecond.push(found)
  cost.push(((server.cpu() - before) * 1_000) / answered)
}

async function bench(name: string, connections: number, schemas: readonly (Schema | undefined)[]): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
  const all: Contender[] = []
  try {
    for (const [n, schema] of schemas.entries()) all.push(await begin(root, n === 0, schema))
    const [on, off] = all as [Contender, Contender]
    // Who is first in a round has the other's rest to wait for. The first round warms up.
    for (let n = 0; n <= rounds; n++) for (const one of n % 2 ? [on, off] : [off, on]) await measure(one, connections)
    const ratio = (of: 'perSecond' | 'cost') => median(on[of].map((value, n) => value / (off[of][n] ?? value)).slice(1))
    const [with_, without] = [median(on.perSecond.slice(1)), median(off.perSecond.slice(1))]
    const cells = [
      name,
      connections,
      with_.toFixed(0),
      without.toFixed(0),
      ratio('perSecond').toFixed(2),
      ratio('cost').toFixed(2),
    ]
    print(`| ${cells.join(' | ')} |`)
  } finally {
    await Promise.all(all.map(({ server }) => server.stop()))
    rmSync(root, { recursive: true, force: true })
  }
}

const database = databaseServer()
print(`${records} records; load of the machine ${loadavg()[0]?.toFixed(1)}\n`)
print(
  `| creates | connections | with ${switched.join(', ')}, /s | without, /s | ratio | of the processor’s time |\n|---|---|---|---|---|---|`,
)
for (const connections of [1, 10]) {
  await bench('repository', connections, [undefined, undefined])
  const schemas = [newSchema(database), newSchema(database)]
  await bench('PostgreSQL', connections, schemas)
  for (const schema of schemas) await schema.drop()
}
