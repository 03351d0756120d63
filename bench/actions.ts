import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseServer, newSchema } from './database.ts'
import { median } from './load.ts'
import { CMS, startWatched, type WatchedServer } from './servers.ts'
import { beginRepository, idOf, type Layout, makeSite } from './site.ts'

/**
 * A hundred records changed by one action, beside a change of one of them, in turn, on a site in a repository and on the same in
 * PostgreSQL: `npm run bench:actions -- [records] [rounds]`. Prints a row for each action: the median of how long it takes, the
 * median of the ratio to the change of one in the same round, and how long the event loop was held at most.
 */
const records = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 5)
const layout: Layout = { records, size: 2048, folders: 256 }
const SETTINGS = 'types:\n  posts: { permalink: "/{year}/{slug}", additional_fields: true }\n'
const print = (line: string) => process.stdout.write(`${line}\n`)
process.env.CMS_SECRET ??= randomBytes(32).toString('hex')

/** The actions: what is sent for the nth round. */
const ACTIONS: Readonly<Record<string, (round: number) => object>> = {
  'a field': (round) => ({ set: { excerpt: `Of round ${round}` } }),
  'a term more': (round) => ({ add: { tags: [`round ${round}`] } }),
  withdrawn: () => ({ set: { status: 'draft' } }),
  published: () => ({ set: { status: 'published' } }),
  'another address': (round) => ({ set: { published_at: `${1990 + round}-01-01T00:00:00.000Z` } }),
  removed: () => ({ delete: true }),
}

/** A server with a token for it. */
interface Site {
  readonly server: WatchedServer
  readonly headers: Readonly<Record<string, string>>
}

const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const schema = newSchema(databaseServer())
try {
  const files = join(root, 'files')
  makeSite(files, layout, SETTINGS)
  beginRepository(files)
  const database = join(root, 'database')
  print(`${records} records, 100 at once, ${rounds} rounds`)
  cpSync(files, database, { recursive: true })
  await bench('git', files)
  appendFileSync(join(database, 'cms.config.yaml'), `storage:\n  url: '${schema.url}'\n`)
  cms(database, 'storage:migrate', '--to', 'postgres')
  const config = join(database, 'cms.config.yaml')
  writeFileSync(config, readFileSync(config, 'utf8').replace('storage:\n', 'storage:\n  driver: postgres\n'))
  await schema.settle()
  await bench('PostgreSQL', database)
} finally {
  await schema.drop()
  rmSync(root, { recursive: true, force: true })
}

async function bench(name: string, folder: string): Promise<void> {
  const token = cms(folder, 'token:create', '--name', name, '--scope', 'edit')
  const server = await startWatched(folder)
  try {
    await measure(name, { server, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } })
  } finally {
    await server.stop()
  }
}

async function measure(name: string, site: Site): Promise<void> {
  const { server } = site
  print(
    `\n| ${name} | 100 at once, ms: median (longest) | beside one, in the same round | event loop held, ms |\n|---|---|---|---|`,
  )
  let next = 0
  for (const [action, sent] of Object.entries(ACTIONS)) {
    const found: { many: number; ratio: number; held: number }[] = []
    for (let round = 0; round < rounds; round++) {
      // Nine in ten are public; those of another round are others, but for what has to be withdrawn first.
      const begin = action === 'published' ? next - 100 * rounds + 100 * round : next
      if (action !== 'published') next += 100
      const ids = Array.from({ length: 100 }, (_, n) => idOf((begin + n) % records, layout))
      const one = await timed(() => ask(site, 'PUT', idOf(records - 1 - round, layout), { title: `One ${action} ${round}` }))
      await server.held()
      const many = await timed(() => ask(site, 'POST', 'actions', { ids, ...sent(round) }))
      found.push({ many, ratio: many / one, held: await server.held() })
    }
    const of = (one: 'many' | 'ratio' | 'held') => found.map((each) => each[one])
    const [all, ratio] = [of('many'), median(of('ratio'))] as const
    const [longest, held] = [Math.max(...all), Math.max(...of('held'))]
    print(`| ${action} | ${median(all).toFixed(0)} (${longest.toFixed(0)}) | ${ratio.toFixed(1)} | ${held.toFixed(0)} |`)
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

async function ask({ server, headers }: Site, method: string, path: string, body?: object): Promise<void> {
  const sent = body && { body: JSON.stringify(body) }
  const answer = await fetch(`${server.url}/api/cms/posts/${path}`, { method, headers, ...sent })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 300)}`)
  if (path === 'actions' && JSON.parse(text).meta.changed < 80) throw new Error(`Too few were changed: ${text.slice(-100)}`)
}

function cms(site: string, ...args: string[]): string {
  return execFileSync(process.execPath, [CMS, ...args, '-C', site], { encoding: 'utf8' }).trim()
}
