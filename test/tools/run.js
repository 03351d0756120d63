// `npm test`: builds, fetches what only the tests need, runs all tests (or those that begin with the paths given) and beside them
// the check of types and style, since tests wait for processes and disks a third of the time; ends when nothing that they started
// is left. `npm run test:long` (`--long`) does so with the long form of the tests, and checks nothing beside them.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makePlain } from './plain.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

// Both before anything that an end in the middle of them would leave behind. The types are checked beside the tests.
const built = build()
makePlain()
await import('./prepare.js')
if (!(await built)) process.exit(1)

const memory = process.env.TMPDIR ? undefined : folderInMemory()
const words = process.argv.slice(2).filter((word) => word !== '--long')
const isLong = words.length < process.argv.length - 2
const env = { ...process.env, TEST_LONG: isLong ? '1' : '0', ...(memory && { TMPDIR: memory }) }
const tap = spawn(process.execPath, [`${root}test/tools/suite.js`, ...words], {
  cwd: root,
  stdio: 'inherit',
  env,
})

// A group of its own: npm ends when it is asked to, and leaves what it started.
const check = isLong
  ? undefined
  : spawn('npm', ['run', '--silent', 'check'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
const checked = new Promise((resolve) => {
  if (!check) return resolve({ isGood: true, said: '' })
  const said = []
  for (const stream of [check.stdout, check.stderr]) stream.on('data', (bytes) => said.push(bytes))
  check.on('close', (code) => resolve({ isGood: code === 0, said: Buffer.concat(said) }))
})

// However we are asked to end, tap ends first. A terminal's interruption comes to it without us.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (signal !== 'SIGINT') tap.kill(signal)
    if (check?.exitCode === null && check.signalCode === null) process.kill(-check.pid, signal)
  })
}
tap.on('close', async (code, signal) => {
  await gone(`${root}.tap/postgres/${tap.pid}`)
  if (memory) rmSync(memory, { recursive: true, force: true, maxRetries: 3 })
  const { isGood, said } = await checked
  if (!isGood) process.stderr.write(said)
  process.exit(code === 0 && !isGood ? 1 : (code ?? 128 + constants.signals[signal]))
})

/** The command line that the tests run; whether it could be made. */
function build() {
  const bundler = spawn(process.execPath, [`${root}bundle.js`], { cwd: root, stdio: 'inherit' })
  return new Promise((resolve) => bundler.on('close', (code) => resolve(code === 0)))
}

/** The guard of the shared server (test/support/server.ts) sees that tap has ended, and removes this folder last. */
async function gone(folder) {
  const end = performance.now() + 30_000
  while (existsSync(folder) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** A folder for the tests' sites where writing costs no wait for a disk; undefined where there is none that will do. */
function folderInMemory() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize < 4 * 1024 ** 3) return undefined
    const folder = mkdtempSync('/dev/shm/quire-tests-')
    // A database's own user goes through it.
    chmodSync(folder, 0o755)
    return canRun(folder) ? folder : void rmSync(folder, { recursive: true })
  } catch {
    return undefined
  }
}

/** Returns whether programs may be run from a folder: some tests put their own in git's place. */
function canRun(folder) {
  const script = join(folder, 'run')
  try {
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 })
    execFileSync(script)
    return true
  } catch {
    return false
  } finally {
    rmSync(script, { force: true })
  }
}
