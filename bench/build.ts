import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from './load.ts'
import { CMS, startBuilder } from './servers.ts'
import { idOf, type Layout, makeSite } from './site.ts'

/**
 * `cms build` into an empty folder, again with nothing changed, and with one record changed, there too from the save to the end of
 * the build that `--watch` makes of it; beside it other generators where
 * they are given: `HUGO=hugo ELEVENTY="node <its cmd.cjs>" npm run bench:site -- [records] [rounds]`. Their configuration and
 * templates, which make the same pages and feeds, are in `bench/beside`. Processes are measured by `/usr/bin/time`.
 */
const records = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 3)
const layout: Layout = { records, size: 2048, folders: 256 }
const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
/** Saves under `--watch`; the first ones, in which code is compiled, are not counted. */
const [SAVES, UNTIMED] = [10, 5]
const SETTLED_MS = 500
const print = (line: string) => process.stdout.write(`${line}\n`)

interface Run {
  seconds: number
  cpu: number
  megabytes: number
}

function run(folder: string, command: readonly string[]): Run {
  const times = join(root, 'times')
  const words = ['-o', times, '-f', '%e %U %S %M', ...command]
  const { status, stderr } = spawnSync('/usr/bin/time', words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr.slice(-500)}`)
  const [seconds = 0, user = 0, system = 0, kilobytes = 0] = readFileSync(times, 'utf8').trim().split(' ').map(Number)
  return { seconds, cpu: user + system, megabytes: Math.round(kilobytes / 1024) }
}

function say(label: string, runs: readonly Run[]): void {
  const seconds = median(runs.map((one) => one.seconds)).toFixed(2)
  const cpu = median(runs.map((one) => one.cpu)).toFixed(2)
  print(`${label.padEnd(38)} ${seconds} s, ${cpu} s of CPU, ${median(runs.map((one) => one.megabytes))} MB`)
}

/** Saves records one by one under `cms build --watch`, and checks that the last build is as one of everything. */
async function watched(add: (one: Run) => void): Promise<void> {
  const builder = await startBuilder(site)
  try {
    for (let n = 0; n < SAVES + UNTIMED; n++) {
      // What the build before left to be done, and the watcher, must not be measured with this one.
      await setTimeout(SETTLED_MS)
      const [cpu, started] = [builder.cpu(), performance.now()]
      appendFileSync(join(site, 'content', 'posts', `${idOf(rounds + n, layout).replaceAll('~', '/')}.md`), '\nOne line more.\n')
      await builder.again()
      const seconds = (performance.now() - started) / 1000
      await setTimeout(SETTLED_MS)
      if (n >= UNTIMED) add({ seconds, cpu: builder.cpu() - cpu, megabytes: builder.memory().peak })
    }
  } finally {
    await builder.stop()
  }
  run(site, [...quire, '--verify'])
}

/** The site of another generator. Its content is without drafts, which the others know by other words. */
function makeOther({ name, folder, posts }: (typeof others)[number]): void {
  cpSync(fileURLToPath(new URL(`../../../bench/beside/${name.toLowerCase()}`, import.meta.url)), folder, { recursive: true })
  cpSync(join(site, 'content', 'posts'), join(folder, posts), { recursive: true })
  for (let n = 9; n < records; n += 10) rmSync(join(folder, posts, `${idOf(n, layout).replaceAll('~', '/')}.md`))
}

const site = join(root, 'site')
const quire = [process.execPath, CMS, 'build']
const others = [
  { name: 'Hugo', program: process.env.HUGO, posts: 'content/posts', out: 'public' },
  { name: 'Eleventy', program: process.env.ELEVENTY, posts: 'posts', out: '_site' },
].flatMap(({ program, ...other }) => (program ? [{ ...other, command: program.split(' '), folder: join(root, other.name) }] : []))

try {
  makeSite(site, layout, 'features:\n  search: false\n')
  execFileSync(process.execPath, [CMS, 'list', 'posts', '--limit', '1', '-C', site])
  for (const other of others) makeOther(other)
  const results = new Map<string, Run[]>()
  const add = (label: string, one: Run) => results.set(label, [...(results.get(label) ?? []), one])
  for (let round = 0; round < rounds; round++) {
    rmSync(join(site, 'public'), { recursive: true, force: true })
    add('cms build, all', run(site, quire))
    for (const { name, command, folder, out } of others) {
      rmSync(join(folder, out), { recursive: true, force: true })
      add(`${name}, all`, run(folder, command))
    }
    add('cms build, nothing changed', run(site, quire))
    appendFileSync(join(site, 'content', 'posts', `${idOf(round, layout).replaceAll('~', '/')}.md`), '\nOne line more.\n')
    add('cms build, one record changed', run(site, quire))
    writeFileSync(join(site, 'content', 'about.md'), `---\ntitle: About ${round}\n---\nA page.\n`)
    add('cms build, one page new', run(site, quire))
  }
  await watched((one) => add('cms build --watch, one record changed', one))
  print(`${records} records, ${rounds} rounds`)
  for (const [label, runs] of results) say(label, runs)
} finally {
  rmSync(root, { recursive: true, force: true })
}
