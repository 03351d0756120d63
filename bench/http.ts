import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, fire, median, type Round, type Target } from './load.ts'
import { CMS, startBare, startQuire } from './servers.ts'
import { beginRepository, idOf, type Layout, makeSite } from './site.ts'

/**
 * The content API of a site in a repository over HTTP, beside a bare Fastify that answers the same bytes, in turn, with a token:
 * `npm run bench:http -- [records] [rounds]`. Prints one line a row: answers a second of each, and the median of the ratios. Then
 * what creates alone come to, each a commit, with all records in one folder and with new ones laid out in folders by month.
 */
const records = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 5)
const layout: Layout = { records, size: 2048, folders: 256 }
const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const print = (line: string) => process.stdout.write(`${line}\n`)

try {
  makeSite(root, layout)
  beginRepository(root)
  const headers = { authorization: `Bearer ${tokenFor(root)}` }
  const quire = await startQuire(root)
  const api = `${quire.url}/api/cms/posts`
  const loaded = quire.memory()

  const answers = {
    one: `${api}/${idOf(42, layout)}`,
    list: `${api}?status=published`,
    'page 500': `${api}?page=500`,
    'page 1': api,
  }
  const files: string[] = []
  for (const [n, url] of Object.values(answers).entries()) {
    const answer = await fetch(url, { headers })
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
    const file = join(root, `answer-${n}.json`)
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()))
    files.push(file)
  }
  const bare = await startBare(files)
  print(`${records} records, 10 connections, ${rounds} rounds of 3 s each in turn`)
  for (const [n, [name, url]] of Object.entries(answers).entries()) {
    row(name, await compare({ url, headers }, { url: `${bare.url}/${n}` }, rounds))
  }
  const pages = await compare({ url: answers['page 500'], headers }, { url: answers['page 1'], headers }, rounds)
  row('page 500 against page 1', pages)

  const read = quire.memory()

  let created = 0
  const json = { ...headers, 'content-type': 'application/json' }
  const body = 'word '.repeat(400)
  const create = (): Target => ({
    url: api,
    method: 'POST',
    headers: json,
    body: () => JSON.stringify({ title: `Bench post ${created++} of ${process.pid}`, body }),
  })
  let updated = 0
  const update = (): Target => ({
    url: api,
    method: 'PUT',
    headers: json,
    path: () => `/api/cms/posts/${idOf((updated * 7919) % records, layout)}`,
    body: () => JSON.stringify({ title: `Changed ${updated++}` }),
  })
  row(
    'create',
    await compare(
      create(),
      { url: bare.url, method: 'POST', headers: json, body: () => JSON.stringify({ title: 'x', body }) },
      3,
    ),
  )
  row(
    'update',
    await compare(update(), { url: bare.url, method: 'PUT', headers: json, body: () => JSON.stringify({ title: 'x' }) }, 3),
  )
  const after = quire.memory()
  print(`memory: ${loaded.now} MB once loaded, ${read.now} MB after the reads, ${after.now} MB after ${created} creates more`)
  await bare.stop()
  await quire.stop()
  await creates('in one folder', 1, '')
  await creates('in folders by month', 256, 'types:\n  posts:\n    path: "{year}/{month}/{slug}"\n')
} finally {
  rmSync(root, { recursive: true, force: true })
}

function tokenFor(site: string): string {
  const args = [CMS, 'token:create', '--name', 'bench', '--scope', 'edit', '-C', site]
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
}

/** Creates on a site of its own, and that each came to be a commit. New posts are of any month of twenty years. */
async function creates(where: string, folders: 1 | 256, settings: string): Promise<void> {
  const site = mkdtempSync(join(tmpdir(), 'quire-bench-'))
  try {
    makeSite(site, { records, size: 2048, folders }, settings)
    beginRepository(site)
    const headers = { authorization: `Bearer ${tokenFor(site)}`, 'content-type': 'application/json' }
    const quire = await startQuire(site)
    let n = 0
    const target: Target = {
      url: `${quire.url}/api/cms/posts`,
      method: 'POST',
      headers,
      body: () => {
        const published_at = new Date(Date.UTC(2005, (n * 7) % 240, 15)).toISOString()
        return JSON.stringify({ title: `Made ${n++}`, published_at, body: 'word '.repeat(400) })
      },
    }
    let answered = 0
    await fire(target, 10, 1)
    for (const connections of [10, 64]) {
      const runs: Round[] = []
      for (let round = 0; round < 3; round++) runs.push(await fire(target, connections, 3))
      answered += runs.reduce((sum, one) => sum + one.answered, 0)
      const failed = runs.reduce((sum, one) => sum + one.failed, 0)
      const [rate, p50, p99] = [
        median(runs.map((r) => r.perSecond)),
        median(runs.map((r) => r.p50)),
        median(runs.map((r) => r.p99)),
      ]
      print(
        `creates ${where}, ${connections} connections: ${Math.round(rate)}/s, median ${p50} ms, p99 ${p99} ms, failed ${failed}`,
      )
    }
    const commits = Number(execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: site, encoding: 'utf8' })) - 1
    if (commits < answered) throw new Error(`${answered} creates were answered, and only ${commits} are commits`)
    await quire.stop()
  } finally {
    rmSync(site, { recursive: true, force: true })
  }
}

function row(name: string, result: { a: number; b: number; ratio: number; failed: number }) {
  print(
    `${name.padEnd(26)} ${Math.round(result.a).toString().padStart(7)}/s  beside ${Math.round(result.b).toString().padStart(7)}/s  ratio ${(result.ratio * 100).toFixed(1)} %${result.failed ? `  FAILED ${result.failed}` : ''}`,
  )
}
