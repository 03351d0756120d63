import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { median } from './load.ts'
import { CMS, startQuire } from './servers.ts'
import { makeRealSite, makeSite } from './site.ts'

/**
 * From the start of the process to the first list answered, cold (no snapshot) and warm, and the memory then; and until a search is
 * answered, with the memory then and at its highest: `npm run bench:start -- [records] [rounds] [folder of Markdown]`. With a folder
 * the records are pieces of 4 KiB of its texts, as often as it takes. Beside it, what Node itself takes to start and to import the
 * dependencies.
 */
const records = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 5)
const folder = process.argv[4]
const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const print = (line: string) => process.stdout.write(`${line}\n`)

async function once(headers: Record<string, string>) {
  const begun = performance.now()
  const quire = await startQuire(root)
  const answer = await fetch(`${quire.url}/api/cms/posts`, { headers })
  await answer.arrayBuffer()
  const ms = performance.now() - begun
  if (answer.status !== 200) throw new Error(`the first list answered ${answer.status}`)
  const { now: memory } = quire.memory()
  let status = 0
  while (status !== 200) {
    const found = await fetch(`${quire.url}/api/cms/search?q=release`, { headers })
    await found.arrayBuffer()
    status = found.status
    if (status !== 200) await pause(20)
  }
  const searchable = performance.now() - begun
  // What the index was made with is let go of.
  await pause(5_000)
  const { now, peak } = quire.memory()
  await quire.stop()
  return { ms, memory, searchable, withSearch: now, peak }
}

function nodeAlone(): number {
  const begun = performance.now()
  execFileSync(process.execPath, [CMS, '--version'])
  return performance.now() - begun
}

try {
  if (folder === undefined) makeSite(root, { records, size: 2048, folders: 256 })
  else makeRealSite(root, folder, { records, size: 4096 })
  const token = execFileSync(process.execPath, [CMS, 'token:create', '--name', 'bench', '--scope', 'read', '-C', root], {
    encoding: 'utf8',
  }).trim()
  const headers = { authorization: `Bearer ${token}` }
  const cold: number[] = []
  const warm: number[] = []
  const version: number[] = []
  const memory: number[] = []
  const searchable = { cold: [] as number[], warm: [] as number[] }
  const withSearch: number[] = []
  const peak: number[] = []
  for (let n = 0; n < rounds; n++) {
    rmSync(join(root, '.cms', 'cache'), { recursive: true, force: true })
    const first = await once(headers)
    cold.push(first.ms)
    searchable.cold.push(first.searchable)
    withSearch.push(first.withSearch)
    peak.push(first.peak)
    const again = await once(headers)
    searchable.warm.push(again.searchable)
    warm.push(again.ms)
    memory.push(again.memory)
    version.push(nodeAlone())
  }
  const s = (ms: number[]) => `${(median(ms) / 1000).toFixed(2)} s (${ms.map((m) => (m / 1000).toFixed(2)).join(' ')})`
  print(`${records} records, ${rounds} rounds`)
  print(`cold start to the first list  ${s(cold)}`)
  print(`warm start to the first list  ${s(warm)}`)
  print(`cms --version alone           ${s(version)}`)
  print(`searchable, cold              ${s(searchable.cold)}`)
  print(`searchable, warm              ${s(searchable.warm)}`)
  print(`memory after the first list   ${median(memory)} MB`)
  print(`memory when the index is made ${median(withSearch)} MB, at most ${Math.max(...peak)} MB (${peak.join(' ')})`)
} finally {
  rmSync(root, { recursive: true, force: true })
}
