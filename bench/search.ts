import { execFileSync } from 'node:child_process'
import { loadavg } from 'node:os'
import type { Report } from './search-engine.ts'

/**
 * The same posts searched by Quire, by a whole Lunr that is given Quire's tokens and stems, and by MiniSearch, each in a process
 * of its own, one after another: `npm run bench:search -- [records] [bytes of a body]`, records with commas between. Prints what
 * building costs, how long queries take, and how many of the ten best Quire and Lunr share.
 */
const sizes = (process.argv[2] ?? '10000').split(',').map(Number)
const bytes = Number(process.argv[3] ?? 4096)
const print = (line: string) => process.stdout.write(`${line}\n`)

/** Lunr takes a gigabyte for ten thousand. */
const MOST_FOR_PEERS = 20_000

for (const records of sizes) {
  print(`\n${records} posts of ${bytes} bytes; load of the machine ${loadavg()[0]?.toFixed(1)}\n`)
  const engines = records > MOST_FOR_PEERS ? ['quire'] : ['quire', 'minisearch', 'lunr']
  const reports = new Map(engines.map((engine) => [engine, measure(engine, records)]))
  print('| | build, s of CPU | memory, MB | one to three words, p50 · p99 ms | beginning, p50 · p99 | one mistake, p50 · p99 |')
  print('|---|---|---|---|---|---|')
  for (const [engine, { cpu, memory, times }] of reports) {
    const cells = [times.words, times.beginnings, times.mistakes].map((one) =>
      one ? `${figure(one.p50)} · ${figure(one.p99)}` : '–',
    )
    print(`| ${engine} | ${cpu.toFixed(1)} | ${memory.toFixed(0)} | ${cells.join(' | ')} |`)
  }
  const [quire, lunr] = [reports.get('quire'), reports.get('lunr')]
  if (quire && lunr) {
    print(
      `\nOf the ten best, shared with the whole Lunr: ${shared(quire.top, lunr.top)}; ` +
        `after 1,000 updates and deletes: ${shared(quire.topAfter, lunr.topAfter)}; ` +
        `with one that puts what has all words first: ${shared(quire.top, lunr.wholeFirst)}`,
    )
  }
  for (const remark of quire?.remarks ?? []) print(remark)
}

function measure(engine: string, records: number): Report {
  const file = new URL('./search-engine.js', import.meta.url).pathname
  const out = execFileSync(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=8000', file, engine, String(records), String(bytes)],
    {
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  return JSON.parse(out.toString()) as Report
}

/** The share of the ten best that two have in common, over all queries; what scores the same as the tenth may stand for it. */
function shared(ours: Report['top'], theirs: Report['top']): string {
  let sum = 0
  let count = 0
  for (const [n, mine] of ours.entries()) {
    const other = theirs[n] ?? []
    const ten = Math.min(10, mine.length, other.length)
    if (ten === 0) continue
    const least = other[ten - 1]?.score ?? 0
    const good = new Set(other.filter(({ score }) => score >= least - 1e-6).map(({ id }) => id))
    sum += mine.slice(0, ten).filter(({ id }) => good.has(id)).length / ten
    count++
  }
  return `${(sum / Math.max(1, count)).toFixed(4)} (${count} queries)`
}

function figure(ms: number): string {
  return ms < 1 ? ms.toFixed(2) : ms.toFixed(1)
}
