// `npm test`: fetches what only the tests need, runs tap (with the arguments given) and beside it the check of types and style, since tests wait for
// processes and disks a third of the time; ends when nothing that they started is left.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

if (!process.env.DATABASE_URL) await import('./prepare.js')

const root = fileURLToPath(new URL('../..', import.meta.url))
const memory = process.env.TMPDIR ? undefined : folderInMemory()
const env = memory ? { ...process.env, TMPDIR: memory } : process.env
const tap = spawn(process.execPath, [`${root}node_modules/tap/dist/esm/run.mjs`, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env,
})

const check = spawn('npm', ['run', '--silent', 'check'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
const checked = new Promise((resolve) => {
  const said = []
  for (const stream of [check.stdout, check.stderr]) stream.on('data', (bytes) => said.push(bytes))
  check.on('close', (code) => resolve({ isGood: code === 0, said: Buffer.concat(said) }))
})

// However we are asked to end, tap ends first. A terminal's interruption comes to it without us.
process.on('SIGINT', () => undefined)
for (const signal of ['SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    tap.kill(signal)
    check.kill(signal)
  })
}
tap.on('close', async (code, signal) => {
  await gone(`${root}.tap/postgres/${tap.pid}`)
  if (memory) rmSync(memory, { recursive: true, force: true, maxRetries: 3 })
  const { isGood, said } = await checked
  if (!isGood) process.stderr.write(said)
  process.exit(code === 0 && !isGood ? 1 : (code ?? 128 + constants.signals[signal]))
})

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

/** Whether programs may be run from a folder: some tests put their own in git's place. */
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
