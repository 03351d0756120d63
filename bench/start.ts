import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './load.ts'
import { CMS, startQuire } from './servers.ts'
import { makeSite } from './site.ts'

/**
 * From the start of the process to the first list answered, cold (no snapshot) and warm, and the memory then:
 * `npm run bench:start -- [records] [rounds]`. Beside it, what Node itself takes to start and to import the dependencies.
 */
const records = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 5)
const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const print = (line: string) => process.stdout.write(`${line}\n`)

async function once(headers: Record<string, string>) {
  const begun = performance.now()
  const quire = await startQuire(root)
  const answer = await fetch(`${quire.url}/api/cms/posts`, { headers })
  await answer.arrayBuffer()
  const ms = performance.now() - begun
  if (answer.status !== 200) throw new Error(`the first list answered ${answer.status}`)
  const memory = quire.memory()
  await quire.stop()
  return { ms, memory: memory.now, peak: memory.peak }
}

function nodeAlone(): number {
  const begun = performance.now()
  execFileSync(process.execPath, [CMS, '--version'])
  return performance.now() - begun
}

try {
  makeSite(root, { records, size: 2048, folders: 256 })
  const token = execFileSync(process.execPath, [CMS, 'token:create', '--name', 'bench', '--scope', 'read', '-C', root], {
    encoding: 'utf8',
  }).trim()
  const headers = { authorization: `Bearer ${token}` }
  const cold: number[] = []
  const warm: number[] = []
  const version: number[] = []
  const memory: number[] = []
  for (let n = 0; n < rounds; n++) {
    rmSync(join(root, '.cms', 'cache'), { recursive: true, force: true })
    cold.push((await once(headers)).ms)
    const again = await once(headers)
    warm.push(again.ms)
    memory.push(again.memory)
    version.push(nodeAlone())
  }
  const s = (ms: number[]) => `${(median(ms) / 1000).toFixed(2)} s (${ms.map((m) => (m / 1000).toFixed(2)).join(' ')})`
  print(`${records} records, ${rounds} rounds`)
  print(`cold start to the first list  ${s(cold)}`)
  print(`warm start to the first list  ${s(warm)}`)
  print(`cms --version alone           ${s(version)}`)
  print(`memory after the first list   ${median(memory)} MB`)
} finally {
  rmSync(root, { recursive: true, force: true })
}
