import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { compare, median } from './load.ts'
import { beginRepository, idOf, type Layout, makeSite } from './site.ts'

/**
 * Measures the cost of authentication: `npm run bench:tokens -- [rounds]`. Requests one record and a list with an API token, with
 * a cached access token, and from the same app without authentication, alternating. With DATABASE_URL also for a site in that
 * database. Then measures the first use of an access token.
 */
interface Said {
  closed: string
  open: string
  token: string
  jwt: string
  never: string[]
}

const rounds = Number(process.argv[2] ?? 5)
const layout: Layout = { records: 1000, size: 2048, folders: 256 }
const print = (line: string) => process.stdout.write(`${line}\n`)

await on('files', '')
if (process.env.DATABASE_URL) await on('PostgreSQL', 'storage:\n  driver: postgres\ntypes:\n  posts: {}\n')

async function on(name: string, settings: string): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
  const { said, stop } = await serving(root, settings)
  try {
    print(`${name}: ${rounds} rounds of 3 s each in turn, 10 connections, load ${loadavg()[0]?.toFixed(1)}`)
    const path = name === 'files' ? `/api/cms/posts/${idOf(42, layout)}` : '/api/cms/posts?per_page=15'
    for (const address of new Set([path, '/api/cms/posts?per_page=15'])) {
      for (const [what, token] of [['API token', said.token] as const, ['access token', said.jwt] as const]) {
        const headers = { authorization: `Bearer ${token}` }
        const found = await compare({ url: said.closed + address, headers }, { url: said.open + address, headers }, rounds)
        print(
          `  ${what.padEnd(13)}${address.slice(0, 24).padEnd(26)}${found.a.toFixed(0)}/s, open ${found.b.toFixed(0)}/s, ratio ${found.ratio.toFixed(2)}${found.failed ? `, ${found.failed} failed` : ''}`,
        )
      }
    }
    const first = await timed(said.never.map((token) => ({ url: said.closed + path, token })))
    const again = await timed(said.never.map((token) => ({ url: said.closed + path, token })))
    print(
      `  an access token's first use ${median(first).toFixed(2)} ms, its next ${median(again).toFixed(2)} ms (medians, one at a time)`,
    )
  } finally {
    stop()
    rmSync(root, { recursive: true, force: true })
  }
}

function serving(root: string, settings: string): Promise<{ said: Said; stop: () => void }> {
  makeSite(root, layout, settings)
  if (settings === '') beginRepository(root)
  const script = join(fileURLToPath(new URL('.', import.meta.url)), 'token-server.js')
  const env = { ...process.env, CI: 'true', CMS_SECRET: process.env.CMS_SECRET ?? 'a secret of the bench alone, 32 bytes' }
  const child = spawn(process.execPath, [script, root, '200'], { stdio: ['ignore', 'pipe', 'inherit'], env })
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
    createInterface({ input: child.stdout }).once('line', (line) => {
      child.removeAllListeners('exit')
      resolve({ said: JSON.parse(line), stop: () => child.kill('SIGKILL') })
    })
  })
}

async function timed(asked: readonly { url: string; token: string }[]): Promise<number[]> {
  const times: number[] = []
  for (const { url, token } of asked) {
    const begun = performance.now()
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
    times.push(performance.now() - begun)
  }
  return times
}
