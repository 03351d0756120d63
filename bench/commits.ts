import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { simpleGit } from 'simple-git'
import { median } from './load.ts'
import { beginRepository, idOf, type Layout, makeSite } from './site.ts'

/**
 * Writes that are commits, beside what else makes a commit of a write, in turn, all with `core.fsync=all`: `npm run bench:commits
 * -- [sites] [seconds] [rounds]`; sites: `100`, `10000`, `folders`, with commas between. Prints a table for each site: writes a
 * second, the median of how long one takes, and the median of the ratio to simple-git, round by round.
 */
const SITES: Readonly<Record<string, { title: string; layout: Layout }>> = {
  100: { title: '100 files in one folder', layout: { records: 100, size: 2048, folders: 1 } },
  10000: { title: '10,000 files in one folder', layout: { records: 10_000, size: 2048, folders: 1 } },
  folders: { title: '10,000 files in 256 folders', layout: { records: 10_000, size: 2048, folders: 256 } },
}
const sites = (process.argv[2] ?? Object.keys(SITES).join(',')).split(',')
const seconds = Number(process.argv[3] ?? 5)
const rounds = Number(process.argv[4] ?? 3)
const FSYNC = ['core.fsync=all', 'core.fsyncMethod=fsync', 'gc.auto=0']
const run = promisify(execFile)
const print = (line: string) => process.stdout.write(`${line}\n`)

/** One way to make writes last: it updates the nth post. */
interface Contender {
  name: string
  /** Number of concurrent writers. */
  writers: number
  write(n: number): Promise<unknown>
}

/** Writes a second, and the median of how long one took, in milliseconds. */
interface Measured {
  perSecond: number
  latency: number
}

/** The part of the product's store that is measured: it is run as it is built. */
interface Store {
  write(changes: readonly object[], by: object): Promise<unknown>
  close(): Promise<void>
}

const BASELINE = 'simple-git, add and commit'

function textOf(n: number): string {
  return `---\ntitle: Changed ${n} at ${performance.now()}\n---\n${'word '.repeat(400)}\n`
}

async function openStore(root: string): Promise<Store> {
  const [{ FilesStore }, { contentTypes }, { systemClock }] = await Promise.all([
    import('#stores/files/store.ts'),
    import('#core/types/types.ts'),
    import('#lib/clock.ts'),
  ])
  const statuses = { draft: { live: false, to: ['published'] }, published: { live: true, to: ['draft'] } }
  const author = { name: 'Quire', email: 'quire@localhost' }
  return FilesStore.open({
    ...{ root, content: 'content', privateDir: '.cms', clock: systemClock, watch: true, fingerprint: 'bench' },
    types: contentTypes({ types: {}, taxonomies: {}, statuses, timezone: 'UTC' }),
    git: { enabled: true, branch: null, remote: 'origin', local_edits: 'keep', author },
  })
}

/** Each contender has a copy of the site of its own. */
async function contenders(base: string, layout: Layout): Promise<{ all: Contender[]; close(): Promise<void> }> {
  const [library, plain, quire, file] = ['library', 'plain', 'quire', 'file'].map((name) => copyOf(base, name)) as [
    string,
    string,
    string,
    string,
  ]
  const pathOf = (n: number) => `content/posts/${idOf(n, layout).replaceAll('~', '/')}.md`
  const repository = simpleGit({ baseDir: library, config: FSYNC })
  const options = FSYNC.flatMap((setting) => ['-c', setting])
  const store = await openStore(quire)
  const by = { name: 'Bench', email: 'bench@example.org' }
  const commit = (writers: number): Contender => ({
    name: `Quire, ${writers} ${writers === 1 ? 'writer' : 'writers'}`,
    writers,
    write: (n) => {
      const body = `${performance.now()} ${'word '.repeat(400)}\n`
      return store.write([{ key: { kind: 'posts', id: idOf(n, layout) }, put: { set: { title: `Changed ${n}` }, body } }], by)
    },
  })
  const all: Contender[] = [
    {
      name: BASELINE,
      writers: 1,
      write: async (n) => {
        await writeFile(join(library, pathOf(n)), textOf(n))
        await repository.add(pathOf(n))
        await repository.commit('Change a post', pathOf(n))
      },
    },
    {
      name: 'git add and git commit',
      writers: 1,
      write: async (n) => {
        await writeFile(join(plain, pathOf(n)), textOf(n))
        await run('git', [...options, 'add', '--', pathOf(n)], { cwd: plain })
        await run('git', [...options, 'commit', '-q', '-m', 'Change a post', '--', pathOf(n)], { cwd: plain })
      },
    },
    commit(1),
    commit(8),
    commit(64),
    { name: 'file alone, 1 writer', writers: 1, write: (n) => writeFileSafely(join(file, pathOf(n)), textOf(n)) },
    { name: 'file alone, 64 writers', writers: 64, write: (n) => writeFileSafely(join(file, pathOf(n)), textOf(n)) },
  ]
  return { all, close: () => store.close() }
}

function copyOf(base: string, name: string): string {
  const copy = join(dirname(base), name)
  cpSync(base, copy, { recursive: true })
  return copy
}

/** Measures the limit of the disk: writes a temporary file, syncs it, renames it, and syncs the folder. */
async function writeFileSafely(path: string, text: string): Promise<void> {
  const beside = `${path}.tmp`
  await synced(beside, 'w', text)
  await rename(beside, path)
  await synced(dirname(path), 'r')
}

async function synced(path: string, flags: string, text?: string): Promise<void> {
  const handle = await open(path, flags)
  try {
    if (text !== undefined) await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

let written = 0

async function measure({ writers, write }: Contender, records: number, length: number): Promise<Measured> {
  const begun = performance.now()
  const times: number[] = []
  const writer = async () => {
    while (performance.now() - begun < length * 1000) {
      const at = performance.now()
      // Far apart, and none twice at once.
      await write((written++ * 7919) % records)
      times.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: writers }, writer))
  return { perSecond: times.length / ((performance.now() - begun) / 1000), latency: median(times) }
}

async function compareOn(title: string, layout: Layout): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'))
  try {
    const base = join(folder, 'base')
    makeSite(base, layout)
    beginRepository(base)
    const { all, close } = await contenders(base, layout)
    const rows = all.map((contender) => ({ contender, rounds: [] as Measured[] }))
    for (const { contender } of rows) await measure(contender, layout.records, Math.min(1, seconds))
    for (let n = 0; n < rounds; n++) {
      for (const row of rows) row.rounds.push(await measure(row.contender, layout.records, seconds))
    }
    await close()
    table(title, rows)
    const packs = readdirSync(join(folder, 'quire', '.git', 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length
    print(`\n${packs} packs afterwards\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

function table(title: string, rows: readonly { contender: Contender; rounds: readonly Measured[] }[]): void {
  const base = rows.find(({ contender }) => contender.name === BASELINE)?.rounds ?? []
  const digits = (value: number) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'))
  print(`| ${title} | writes/s | median, ms | beside simple-git |`)
  print('|---|---|---|---|')
  for (const { contender, rounds } of rows) {
    const ratio = median(rounds.map(({ perSecond }, n) => perSecond / (base[n]?.perSecond ?? Number.NaN)))
    const [rate, latency] = [median(rounds.map((one) => one.perSecond)), median(rounds.map((one) => one.latency))]
    print(`| ${contender.name} | ${digits(rate)} | ${digits(latency)} | ${digits(ratio)}× |`)
  }
}

print(`${rounds} rounds of ${seconds} s each in turn; medians; core.fsync=all throughout\n`)
for (const name of sites) {
  const site = SITES[name]
  if (!site) throw new Error(`There is no site "${name}": ${Object.keys(SITES).join(', ')}`)
  await compareOn(site.title, site.layout)
}
