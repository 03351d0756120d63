// Runs all tests, those that begin with the paths given, or with `--changed` (`--changed=<commit>`) those that what has changed
// bears on; with TEST_LONG=1 those of the long form (test/support/long.ts). It does so in the mirror that `plain.js` has made: with
// tap, but not by its command line, which has each process begin with hooks into how modules are loaded. Takes jobs and time limit
// from `.taprc` and the reporter from TAP_REPORTER, as `tap` does.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { TapConfig } from '@tapjs/config'
import { t } from 'tap'
import { Hand, handed } from './hands.js'
import { changedFiles, reachedTests } from './reached.js'

const isLong = process.env.TEST_LONG === '1'

/** The milliseconds that each file took when it was last run here. */
const TIMES = isLong ? '.tap/times-long.json' : '.tap/times.json'

/**
 * The files that take longest have a process of their own. They begin first, so that none runs alone at the end: by their times or,
 * where these are not known, before the others.
 */
const LONGEST = isLong
  ? [
      'test/panel/axe.long.test.ts',
      'test/panel/pages.long.test.ts',
      'test/panel/day.test.ts',
      'test/stores/media-git.long.test.ts',
      'test/stores/uploads.long.test.ts',
      'test/stores/crash.long.test.ts',
      'test/stores/sync.long.test.ts',
      'test/stores/line-endings.long.test.ts',
      'test/stores/private-by-git.long.test.ts',
      'test/stores/git-authors.long.test.ts',
      'test/stores/nodes.long.test.ts',
      'test/stores/search.long.test.ts',
      'test/cli/serve.test.ts',
      'test/cli/site-walk.long.test.ts',
      'test/cli/users.long.test.ts',
      'test/cli/postgres.long.test.ts',
      'test/features/admin/hostile.long.test.ts',
      'test/features/media/uses.long.test.ts',
      'test/features/records/beside-others.long.test.ts',
      'test/features/records/removing.long.test.ts',
      'test/features/records/roles.long.test.ts',
      'test/features/records/writes.long.test.ts',
      'test/features/site/any-change.long.test.ts',
      'test/features/site/landing.long.test.ts',
      'test/features/site/rebuilding.long.test.ts',
      'test/features/taxonomy/renaming.long.test.ts',
    ]
  : [
      'test/panel/day.test.ts',
      'test/features/teams/teams.test.ts',
      'test/features/records/rights.test.ts',
      'test/features/revisions/revisions.test.ts',
      'test/stores/contract.test.ts',
    ]

const NODE = [process.execPath, ...briefly(), '--import=./test/tools/unhooked.js', 'test/tools/hand.js']

/**
 * The most files that one process runs: to start one and load the product takes as long as a short file; and the more it holds, the
 * longer it takes to begin a git.
 */
const MOST = isLong ? 6 : 16

const config = await TapConfig.load()

/** Milliseconds that a file may take. Those of the long form are meant to, and take ten times as long beside other work. */
const LIMIT = config.get('timeout') * (isLong ? 5_000 : 1_000)
// First of all: what is not yet taken by anything tap writes out by itself.
if (config.get('reporter') === 'tap') {
  t.pipe(named()).pipe(process.stdout)
} else {
  const { report } = await import('@tapjs/reporter')
  report(config.get('reporter'), t, config)
}
// Tap does so by itself only where it writes to stdout without anything between.
t.on('complete', ({ ok }) => {
  if (!ok) process.exitCode = 1
})
t.setTimeout(0)
const batches = batchesOf(testFiles())
t.plan(batches.flat().length)
// Those of the short form wait for databases and processes: one more of them keeps the machine at work.
t.jobs = config.get('jobs') + (isLong ? 0 : 1)
endWith(t)
keepTimes(t)
await Promise.all(Array.from({ length: t.jobs }, work))

/** Runs batches while there are any, beside others that do. */
async function work() {
  for (let files = batches.shift(); files; files = batches.shift()) {
    let hand
    for (const file of files) {
      if (!hand?.isThere) hand = new Hand(NODE)
      const script = join('.tap/plain', file.replace(/\.ts$/, '.js'))
      const options = { name: file, buffered: t.jobs > 1, timeout: LIMIT, at: null, stack: '' }
      await t.sub(handed(hand, script), options)
    }
    if (!(await hand.leave())) process.exitCode = 1
  }
}

function testFiles() {
  const found = readdirSync('test', { recursive: true }).map((name) => join('test', name))
  const asked = process.argv.slice(2)
  const since = asked.find((word) => /^--changed(?:=|$)/.test(word))
  const wanted = asked.filter((word) => word !== since)
  const tests = found.filter(
    (name) =>
      name.endsWith('.test.ts') &&
      !name.includes('node_modules') &&
      isOfForm(name) &&
      (wanted.length === 0 || wanted.some((start) => name.startsWith(start))),
  )
  if (tests.length === 0) throw new Error(`There is no test of this form that begins with ${wanted.join(' or ')}.`)
  const chosen = since === undefined ? tests : reachedTests(tests, changedFiles(since.split('=')[1]))
  return chosen.sort()
}

/** Returns whether a file has tests of this form. Those with some of both run in both. */
function isOfForm(name) {
  if (name.endsWith('.long.test.ts')) return isLong
  return !isLong || readFileSync(name, 'utf8').includes("'#support/long.ts'")
}

/**
 * Puts the files into batches, each for a process: some that follow each other by name, so that which others a file comes after
 * does not hang on how fast a machine is. The longest batches come first.
 */
function batchesOf(files) {
  const times = timesBefore()
  const likely = (file) => (LONGEST.includes(file) ? 60_000 : 1_000 + statSync(file).size / 4)
  const length = (batch) => batch.reduce((sum, file) => sum + (times[file] ?? likely(file)), 0)
  const alone = files.filter((file) => LONGEST.includes(file)).map((file) => [file])
  const others = files.filter((file) => !LONGEST.includes(file))
  return [...alone, ...parts(others)].sort((a, b) => length(b) - length(a))
}

/** Parts of a list that are as long as each other, and not longer than `MOST`. */
function parts(files) {
  const count = Math.ceil(files.length / MOST)
  const most = Math.ceil(files.length / count)
  return Array.from({ length: count }, (_, n) => files.slice(n * most, (n + 1) * most))
}

function timesBefore() {
  try {
    return JSON.parse(readFileSync(TIMES, 'utf8'))
  } catch {
    return {}
  }
}

/** Writes down how long each file took, beside what is known of those that were not run. */
function keepTimes(t) {
  const times = timesBefore()
  t.on('spawn', (test) => test.on('complete', () => Object.assign(times, { [test.name]: Math.round(test.time) })))
  process.once('exit', () => writeFileSync(TIMES, JSON.stringify(times)))
}

/**
 * Options by which code is compiled for speed later than usual, where this Node has such: most of it runs too shortly here to pay
 * for that, a fifth of the time that all tests take.
 */
function briefly() {
  const { stdout } = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  return /^ *--interrupt-budget /m.test(stdout) ? ['--interrupt-budget=1000000'] : []
}

/** Has a report name the file that a person can mend, and not the one that was made of it. */
function named() {
  const transform = (bytes, _, done) => done(null, String(bytes).replaceAll(/\.tap\/plain\/([^\s:]+)\.js\b/g, '$1.ts'))
  return new Transform({ transform, decodeStrings: false })
}

/** Has the tests end when this process is asked to. */
function endWith(t) {
  const running = new Set()
  t.on('spawn', (test) => running.add(test).size && test.on('complete', () => running.delete(test)))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      for (const test of running) test.proc?.kill(signal)
      process.kill(process.pid, signal)
    })
  }
}
