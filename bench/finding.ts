import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, fire, median } from './load.ts'
import { type Prose, ProseMaker } from './prose.ts'
import { CMS, type Server, startBare, startQuire } from './servers.ts'

/**
 * Search over HTTP, beside a bare Fastify that answers the same bytes, in turn: `npm run bench:finding -- [records] [rounds]`.
 * Queries never asked before, the same one again and again, 500 hostile ones; from the start of the process to the first answer,
 * without and with what the last run kept; memory; from a save in the file, and over the API, until search finds it.
 */
const records = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 3)
const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const print = (line: string) => process.stdout.write(`${line}\n`)
const maker = new ProseMaker()

interface Answer {
  data: unknown[]
  meta: { total: number }
}

try {
  makeProseSite()
  const token = execFileSync(process.execPath, [CMS, 'token:create', '--name', 'bench', '--scope', 'edit', '-C', root], {
    encoding: 'utf8',
  })
  const headers = { authorization: `Bearer ${token.trim()}` }
  print(`${records} records of 2 KiB; load of the machine ${loadavg()[0]?.toFixed(1)}`)
  const cold = await started(headers)
  await cold.server.stop()
  const warm: number[] = []
  for (let n = 1; n < rounds; n++) {
    const again = await started(headers)
    warm.push(again.ms)
    await again.server.stop()
  }
  const { server, ms } = await started(headers)
  warm.push(ms)
  print(
    `searchable after ${seconds(cold.ms)} without, ${seconds(median(warm))} with what the last run kept; ${server.memory().now} MB (${cold.memory} MB where the index was made)`,
  )
  await speeds(server, headers)
  await hostile(server, headers)
  await saves(server, headers)
  print(`memory after all of it ${server.memory().now} MB, at most ${server.memory().peak} MB`)
  await server.stop()
} finally {
  rmSync(root, { recursive: true, force: true })
}

function makeProseSite(): void {
  writeFileSync(join(root, 'cms.config.yaml'), 'site:\n  name: Bench\nthrottle: { search: off }\n')
  for (let n = 0; n < records; n++) {
    const folder = join(root, 'content', 'posts', (n % 256).toString(16).padStart(2, '0'))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `post-${n}.md`), fileOf(maker.post(`post-${n}`, 2048)))
  }
}

function fileOf({ title, tags, body }: Prose): string {
  return `---\ntitle: ${title}\nstatus: published\ntags: [${tags.join(', ')}]\n---\n${body}\n`
}

async function ask(server: Server, headers: Record<string, string>, q: string): Promise<{ status: number; total: number }> {
  const answer = await fetch(`${server.url}/api/cms/search?q=${encodeURIComponent(q)}`, { headers })
  const { meta } = (await answer.json()) as Partial<Answer>
  return { status: answer.status, total: meta?.total ?? 0 }
}

async function started(headers: Record<string, string>) {
  const begun = performance.now()
  const server = await startQuire(root)
  while ((await ask(server, headers, 'word')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20))
  return { server, ms: performance.now() - begun, memory: server.memory().now }
}

async function speeds(server: Server, headers: Record<string, string>): Promise<void> {
  const repeated = `/api/cms/search?q=${encodeURIComponent(`${maker.word()} ${maker.word()}`)}`
  const answer = await fetch(server.url + repeated, { headers })
  const file = join(root, 'answer.json')
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()))
  const bare = await startBare([file])
  const fresh = () =>
    `/api/cms/search?q=${encodeURIComponent([maker.word(), maker.word()].slice(0, 1 + Math.round(Math.random())).join(' '))}+${maker.word()}`
  const beside = { url: `${bare.url}/0` }
  const first = await compare({ url: server.url, headers, path: fresh }, beside, rounds)
  const again = await compare({ url: server.url + repeated, headers }, beside, rounds)
  print(
    `queries not asked before ${first.a.toFixed(0)}/s, ${(first.ratio * 100).toFixed(1)} % of bare Fastify (${first.b.toFixed(0)}/s); failed ${first.failed}`,
  )
  print(`the same query again ${again.a.toFixed(0)}/s, ${(again.ratio * 100).toFixed(1)} %; failed ${again.failed}`)
  const one = await fire({ url: server.url, headers, path: fresh }, 1, 3)
  print(`one connection, queries not asked before: ${one.perSecond.toFixed(0)}/s, p50 ${one.p50} ms, p99 ${one.p99} ms`)
  await bare.stop()
}

/** Runs queries that a person or a program could type. */
async function hostile(server: Server, headers: Record<string, string>): Promise<void> {
  const words = [
    'the',
    'a',
    '*',
    '"',
    '-',
    '+',
    '~9',
    '^5',
    ':',
    'a'.repeat(256),
    '的'.repeat(200),
    '(a+)+$',
    "' or 1=1 --",
    '<script>',
    '\u0000',
    '\ud83d\ude00'.repeat(60),
    'ba',
    'ca',
  ]
  const times: number[] = []
  let bad = 0
  for (let n = 0; n < 500; n++) {
    const parts = Array.from({ length: 1 + (n % 8) }, (_, i) =>
      n % 3 === 0 ? maker.word() : words[(n * 7 + i * 3) % words.length],
    )
    const q = n % 5 === 0 ? `"${parts.join(' ')}"` : parts.join(' ')
    const begun = performance.now()
    const { status } = await ask(server, headers, q.slice(0, 250) || 'a')
    times.push(performance.now() - begun)
    if (status >= 500) bad++
  }
  times.sort((a, b) => a - b)
  print(
    `500 hostile queries: p50 ${times[250]?.toFixed(1)} ms, p99 ${times[495]?.toFixed(1)} ms, longest ${times.at(-1)?.toFixed(1)} ms; ${bad} answered 5xx`,
  )
}

async function saves(server: Server, headers: Record<string, string>): Promise<void> {
  const until = async (q: string) => {
    const begun = performance.now()
    while ((await ask(server, headers, q)).total === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    return performance.now() - begun
  }
  const [inFiles, overHttp]: [number[], number[]] = [[], []]
  for (let n = 0; n < 40; n++) {
    const post = maker.post('x', 2048)
    writeFileSync(join(root, 'content', 'posts', '00', `saved-${n}.md`), fileOf({ ...post, title: `unheardof${n}` }))
    inFiles.push(await until(`unheardof${n}`))
    const body = JSON.stringify({ title: `unseen${n}`, body: post.body, status: 'published' })
    const made = await fetch(`${server.url}/api/cms/posts`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    if (made.status !== 201) throw new Error(`a create answered ${made.status}`)
    overHttp.push(await until(`unseen${n}`))
  }
  print(`found after a save in the file: ${spread(inFiles)}; after a create was answered: ${spread(overHttp)}`)
}

function spread(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  return `median ${sorted[sorted.length >> 1]?.toFixed(0)} ms, 95th percentile ${sorted[Math.floor(sorted.length * 0.95)]?.toFixed(0)} ms`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
