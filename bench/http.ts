import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, fire, median, type Target } from './load.ts'
import { CMS, startBare, startQuire } from './servers.ts'
import { idOf, type Layout, makeSite } from './site.ts'

/**
 * The content API over HTTP beside a bare Fastify that answers the same bytes, in turn, with a token:
 * `npm run bench:http -- [records] [rounds]`. Prints one line a row: answers a second of each, and the median of the ratios.
 */
const records = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 5)
const layout: Layout = { records, size: 2048, folders: 256 }
const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const print = (line: string) => process.stdout.write(`${line}\n`)

try {
  makeSite(root, layout)
  const token = execFileSync(process.execPath, [CMS, 'token:create', '--name', 'bench', '--scope', 'edit', '-C', root], {
    encoding: 'utf8',
  }).trim()
  const headers = { authorization: `Bearer ${token}` }
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
  for (const connections of [10, 64]) {
    const runs = [
      await fire(create(), connections, 3),
      await fire(create(), connections, 3),
      await fire(create(), connections, 3),
    ]
    print(
      `creates at ${connections} connections: ${Math.round(median(runs.map((r) => r.perSecond)))}/s, p99 ${median(runs.map((r) => r.p99))} ms, failed ${runs.reduce((s, r) => s + r.failed, 0)}`,
    )
  }
  const after = quire.memory()
  print(`memory: ${loaded.now} MB once loaded, ${read.now} MB after the reads, ${after.now} MB after ${created} creates more`)
  await bare.stop()
  await quire.stop()
} finally {
  rmSync(root, { recursive: true, force: true })
}

function row(name: string, result: { a: number; b: number; ratio: number; failed: number }) {
  print(
    `${name.padEnd(26)} ${Math.round(result.a).toString().padStart(7)}/s  beside ${Math.round(result.b).toString().padStart(7)}/s  ratio ${(result.ratio * 100).toFixed(1)} %${result.failed ? `  FAILED ${result.failed}` : ''}`,
  )
}
