import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseServer, newSchema, type Schema } from './database.ts'
import { fire, median, type Target } from './load.ts'
import { type Question, questions, type Store } from './questions.ts'
import { CMS, type Server, startQuire } from './servers.ts'
import { beginRepository, idOf, type Layout, makeSite } from './site.ts'

/**
 * The same posts in a repository and in a PostgreSQL, asked and written to in turn, in one run: `npm run bench:postgres --
 * [records] [seconds] [rounds]`, records with commas between. The server is DATABASE_URL, else one as the tests start it. Prints
 * tables: the store alone, asked again and asked after a change; over HTTP; writes, each a commit or a transaction.
 */
const sizes = (process.argv[2] ?? '10000,100000').split(',').map(Number)
const seconds = Number(process.argv[3] ?? 3)
const rounds = Number(process.argv[4] ?? 3)
process.env.CMS_SECRET ??= randomBytes(32).toString('hex')
const by = { name: 'Bench', email: 'bench@example.org' }
const print = (line: string) => process.stdout.write(`${line}\n`)

/** Something done on one of the two sites, again and again. */
type Work = () => Promise<unknown>

/** The two sites: one in files, one in PostgreSQL. */
interface Pair<T> {
  files: T
  postgres: T
}

const server = databaseServer()
let made = 0
for (const records of sizes) await bench({ records, size: 2048, folders: 256 })

async function bench(layout: Layout): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
  const schema = newSchema(server)
  try {
    const sites = { files: join(root, 'files'), postgres: join(root, 'postgres') }
    makeSite(sites.files, layout)
    beginRepository(sites.files)
    mkdirSync(sites.postgres)
    cpSync(join(sites.files, 'cms.config.yaml'), join(sites.postgres, 'cms.config.yaml'))
    const storage = `storage:\n  driver: postgres\n  url: '${schema.url}'\n`
    writeFileSync(join(sites.postgres, 'cms.config.yaml'), storage, { flag: 'a' })
    print(`\n${layout.records} records; load of the machine ${loadavg()[0]?.toFixed(1)}\n`)
    await atStores(sites, schema, layout)
    await overHttp(sites, layout)
  } finally {
    await schema.drop()
    rmSync(root, { recursive: true, force: true })
  }
}

async function atStores(sites: Pair<string>, schema: Schema, layout: Layout): Promise<void> {
  const opened = { files: await open(sites.files), postgres: await open(sites.postgres) }
  const { files, postgres } = { files: opened.files.store, postgres: opened.postgres.store }
  const begun = performance.now()
  await fill(postgres, sites.files, layout)
  print(`filled in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  await schema.settle()
  head('the store, 10 at once, the same question again, /s')
  for (const { name, ask } of questions(idOf(42, layout))) {
    await row(name, { files: () => ask(files), postgres: () => ask(postgres) }, 10)
  }
  print('\n| the store, after a change, ms | files | postgres | ratio |\n|---|---|---|---|')
  for (const question of questions(idOf(42, layout))) await afterChange(question, { files, postgres }, layout)
  head('creates in the store, /s')
  for (const writers of [1, 10, 64]) {
    await row(`${writers} at once`, { files: () => create(files), postgres: () => create(postgres) }, writers)
  }
  await opened.files.close()
  await opened.postgres.close()
}

async function overHttp(sites: Pair<string>, layout: Layout): Promise<void> {
  const tokens = { files: tokenFor(sites.files), postgres: tokenFor(sites.postgres) }
  const servers = { files: await startQuire(sites.files), postgres: await startQuire(sites.postgres) }
  const target = (of: keyof Pair<string>, path: string): Target => ({
    url: `${servers[of].url}/api/cms/${path}`,
    headers: { authorization: `Bearer ${tokens[of]}`, 'content-type': 'application/json' },
  })
  head('over HTTP, 10 connections, /s')
  for (const { name, path } of questions(idOf(42, layout))) {
    await fireRow(name, { files: target('files', path), postgres: target('postgres', path) }, 10)
  }
  const post = (of: keyof Pair<string>): Target => ({
    ...target(of, 'posts'),
    method: 'POST',
    body: () => JSON.stringify(newPost()),
  })
  for (const connections of [1, 10, 64]) {
    await fireRow(`creates at ${connections}`, { files: post('files'), postgres: post('postgres') }, connections)
  }
  const memory = (of: Server) => `${of.memory().now} MB`
  print(`\nmemory of the servers: ${memory(servers.files)} on files, ${memory(servers.postgres)} on postgres`)
  await Promise.all([servers.files.stop(), servers.postgres.stop()])
}

function head(title: string): void {
  print(`\n| ${title} | files | postgres | ratio |\n|---|---|---|---|`)
}

/** Measures operations per second of both stores, alternating between them. */
async function row(name: string, works: Pair<Work>, askers: number): Promise<void> {
  const found: Pair<number[]> = { files: [], postgres: [] }
  for (let n = 0; n <= rounds; n++) {
    for (const of of ['files', 'postgres'] as const) found[of].push(await rate(works[of], askers))
  }
  // The first round warms up.
  tell(name, { files: found.files.slice(1), postgres: found.postgres.slice(1) }, 0)
}

async function fireRow(name: string, targets: Pair<Target>, connections: number): Promise<void> {
  const found: Pair<number[]> = { files: [], postgres: [] }
  let failed = 0
  for (let n = 0; n <= rounds; n++) {
    for (const of of ['files', 'postgres'] as const) {
      const round = await fire(targets[of], connections, n === 0 ? 1 : seconds)
      found[of].push(round.perSecond)
      failed += round.failed
    }
  }
  tell(failed > 0 ? `${name}, FAILED ${failed}` : name, { files: found.files.slice(1), postgres: found.postgres.slice(1) }, 0)
}

/** Measures the latency of the first query after a change, in milliseconds, so that no cache can answer it. */
async function afterChange({ name, ask }: Question, stores: Pair<Store>, layout: Layout): Promise<void> {
  const found: Pair<number[]> = { files: [], postgres: [] }
  for (let n = 0; n < 7 * rounds; n++) {
    for (const of of ['files', 'postgres'] as const) {
      const key = { kind: 'posts', id: idOf((n * 7919) % layout.records, layout) }
      await stores[of].write([{ key, put: { set: { excerpt: `Changed ${performance.now()}` } } }], by)
      const begun = performance.now()
      await ask(stores[of])
      found[of].push(performance.now() - begun)
    }
  }
  tell(name, found, 2)
}

function tell(name: string, found: Pair<number[]>, digits: number): void {
  const [files, postgres] = [median(found.files), median(found.postgres)]
  print(`| ${name} | ${files.toFixed(digits)} | ${postgres.toFixed(digits)} | ${(postgres / files).toPrecision(2)} |`)
}

async function rate(work: Work, askers: number): Promise<number> {
  let done = 0
  const begun = performance.now()
  const end = begun + seconds * 1000
  const again = async () => {
    while (performance.now() < end) {
      await work()
      done++
    }
  }
  await Promise.all(Array.from({ length: askers }, again))
  return done / ((performance.now() - begun) / 1000)
}

function newPost() {
  return { title: `Made ${made++} of ${process.pid}`, body: 'word '.repeat(400) }
}

function create(store: Store): Promise<unknown> {
  const { title, body } = newPost()
  const id = `made-${title.replaceAll(' ', '-').toLowerCase()}`
  return store.write([{ key: { kind: 'posts', id }, put: { set: { title, status: 'published' }, body }, expects: 'absent' }], by)
}

/** The posts of the files, in batches of 500. */
async function fill(store: Store, site: string, layout: Layout): Promise<void> {
  for (let from = 0; from < layout.records; from += 500) {
    const ids = Array.from({ length: Math.min(500, layout.records - from) }, (_, n) => idOf(from + n, layout))
    const changes = ids.map((id) => {
      const file = `posts/${id.replaceAll('~', '/')}.md`
      return { key: { kind: 'posts', id }, put: { source: readFileSync(join(site, 'content', file)), file } }
    })
    await store.write(changes, by)
  }
}

async function open(directory: string): Promise<{ store: Store; close(): Promise<void> }> {
  const { openSite } = await import('#cli/open/site.ts')
  return openSite({ directory, watch: true })
}

function tokenFor(site: string): string {
  const args = [CMS, 'token:create', '--name', 'bench', '--scope', 'edit', '-C', site]
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
}
