// Runs all tests, those that begin with the paths given, or with `--changed` (`--changed=<commit>`) those that what has changed
// bears on, in the mirror that `plain.js` has made: with tap, but not by its
// command line, which has each process begin with hooks into how modules are loaded. Takes jobs and time limit from `.taprc` and
// the reporter from TAP_REPORTER, as `tap` does.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { TapConfig } from '@tapjs/config'
import { t } from 'tap'
import { changedFiles, reachedTests } from './reached.js'

/** The files that take longest begin first, so that none runs alone at the end; then the larger files before the smaller. */
const LONGEST = [
  'test/stores/crash.test.ts',
  'test/stores/nodes.test.ts',
  'test/stores/git-authors.test.ts',
  'test/stores/sync.test.ts',
  'test/features/records/writes.test.ts',
  'test/features/taxonomy/renaming.test.ts',
  'test/stores/search.test.ts',
  'test/cli/postgres.test.ts',
  'test/cli/serve.test.ts',
]

const config = await TapConfig.load()
// First of all: what is not yet taken by anything tap writes out by itself.
if (config.get('reporter') === 'tap') {
  t.pipe(named()).pipe(process.stdout)
} else {
  const { report } = await import('@tapjs/reporter')
  report(config.get('reporter'), t, config)
}
t.setTimeout(0)
const files = testFiles()
t.plan(files.length)
t.jobs = config.get('jobs')
endWith(t)
for (const file of files) {
  // tap gives each process that it starts a NODE_OPTIONS with its hooks.
  t.spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, join('.tap/plain', file.replace(/\.ts$/, '.js'))], {
    name: file,
    buffered: t.jobs > 1,
    timeout: config.get('timeout') * 1000,
    at: null,
    stack: '',
  })
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
      (wanted.length === 0 || wanted.some((start) => name.startsWith(start))),
  )
  if (tests.length === 0) throw new Error(`There is no test that begins with ${wanted.join(' or ')}.`)
  const chosen = since === undefined ? tests : reachedTests(tests, changedFiles(since.split('=')[1]))
  const rank = (name) => (LONGEST.includes(name) ? LONGEST.indexOf(name) - LONGEST.length : 0)
  return chosen.sort((a, b) => rank(a) - rank(b) || statSync(b).size - statSync(a).size)
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
