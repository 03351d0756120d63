import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { median } from './load.ts'

/**
 * The history of a record with 200 revisions among many commits, read for the first time and again, without a commit-graph and
 * with one, and the dates of all records: `npm run bench:history -- [commits] [records] [rounds]`. Exits 1 where a bar is missed
 * (150 ms first with a graph, 5 ms again).
 */
const commits = Number(process.argv[2] ?? 20_000)
const records = Number(process.argv[3] ?? 2_000)
const rounds = Number(process.argv[4] ?? 9)
const REVISIONS = 200
const BAR_FIRST_MS = 150
const BAR_AGAIN_MS = 5
const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
const print = (line: string) => process.stdout.write(`${line}\n`)
const KEY = { kind: 'posts', id: '00~record' }

/** The part of the product's store that is measured: it is run as it is built. */
interface Store {
  history(key: object, part: object): Promise<{ items: { number: number }[]; total: number } | undefined>
  at(key: object, number: number): Promise<object | undefined>
  dated(): Promise<void>
  close(): Promise<void>
}

function git(args: readonly string[], input?: string): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  execFileSync('git', args, { cwd: root, env, stdio: ['pipe', 'ignore', 'inherit'], ...(input === undefined ? {} : { input }) })
}

/** One commit a write, as Quire makes them: each changes one post, every so often the one that is looked at. */
function makeHistory(): void {
  const every = Math.floor(commits / REVISIONS)
  const pathOf = (n: number) => `content/posts/${(n % 64).toString(16).padStart(2, '0')}/post-${n}.md`
  const parts: string[] = []
  for (let n = 0; n < commits; n++) {
    const path = n % every === 0 && n / every < REVISIONS ? 'content/posts/00/record.md' : pathOf(n % records)
    const second = 1_700_000_000 + n * 60
    const message = `Update a post\n\nCms-Rev: ${second}123\nCms-Action: updated\n`
    const text = `---\ntitle: Change ${n}\n---\n${'word '.repeat(40)}\n`
    parts.push(`commit refs/heads/main\nauthor Ada <ada@example.org> ${second} +0000\n`)
    parts.push(`committer Quire <quire@localhost> ${second} +0000\ndata ${message.length}\n${message}`)
    parts.push(`M 100644 inline ${path}\ndata ${text.length}\n${text}\n`)
  }
  git(['init', '-q', '-b', 'main'])
  git(['fast-import', '--quiet'], parts.join(''))
  git(['reset', '-q', '--hard'])
}

async function openStore(): Promise<Store> {
  const [{ FilesStore }, { contentTypes }, { systemClock }] = await Promise.all([
    import('#stores/files/store.ts'),
    import('#core/types/types.ts'),
    import('#lib/clock.ts'),
  ])
  const statuses = { draft: { live: false, to: ['published'] }, published: { live: true, to: ['draft'] } }
  const author = { name: 'Quire', email: 'quire@localhost' }
  return FilesStore.open({
    ...{ root, content: 'content', privateDir: '.cms', clock: systemClock, watch: false, fingerprint: 'bench' },
    types: contentTypes({ types: {}, taxonomies: {}, statuses, timezone: 'UTC' }),
    git: { enabled: true, branch: null, remote: 'origin', local_edits: 'keep', author },
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

interface Measured {
  first: number[]
  again: number[]
  past: number[]
}

async function measure(): Promise<Measured> {
  const measured: Measured = { first: [], again: [], past: [] }
  for (let round = 0; round < rounds; round++) {
    const store = await openStore()
    measured.first.push(await timed(() => store.history(KEY, { limit: 20 })))
    const page = await store.history(KEY, {})
    if (page?.total !== REVISIONS) throw new Error(`${page?.total} revisions, and not ${REVISIONS}`)
    for (let n = 0; n < 20; n++) measured.again.push(await timed(() => store.history(KEY, { limit: 20 })))
    for (const { number } of page.items.slice(0, 20)) measured.past.push(await timed(() => store.at(KEY, number)))
    await store.close()
  }
  return measured
}

/** Measures the time until all records have their dates, and the longest event loop delay meanwhile. */
async function measureDates(): Promise<string> {
  const store = await openStore()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const ms = await timed(() => store.dated())
  delay.disable()
  await store.close()
  return `${Math.round(ms)} ms, the loop held for ${(delay.max / 1e6).toFixed(0)} ms at most, ${(delay.percentile(99) / 1e6).toFixed(1)} ms at the 99th percentile`
}

const ms = (times: number[]) =>
  `${median(times).toFixed(2)} ms (${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)})`

function tell(title: string, { first, again, past }: Measured): void {
  print(title)
  print(`  first        ${ms(first)}`)
  print(`  again        ${ms(again)}`)
  print(`  one of them  ${ms(past)}`)
}

try {
  makeHistory()
  print(`${commits} commits, ${records} records, one of them with ${REVISIONS} revisions, ${rounds} rounds`)
  tell('without a commit-graph', await measure())
  print(`dates, without a commit-graph  ${await measureDates()}`)
  rmSync(join(root, '.cms'), { recursive: true, force: true })
  print(
    `writing the commit-graph       ${Math.round(await timed(async () => git(['commit-graph', 'write', '--reachable', '--changed-paths'])))} ms`,
  )
  const withGraph = await measure()
  tell('with a commit-graph', withGraph)
  print(`dates                          ${await measureDates()}`)
  print(`dates, kept from the last run  ${await measureDates()}`)
  const holds = median(withGraph.first) <= BAR_FIRST_MS && median(withGraph.again) <= BAR_AGAIN_MS
  print(holds ? 'Both bars hold.' : 'A bar is missed.')
  process.exitCode = holds ? 0 : 1
} finally {
  rmSync(root, { recursive: true, force: true })
}
