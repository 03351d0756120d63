// `npm test`: fetches what only the tests need, runs tap (with the arguments given), and ends when nothing that the tests started is left.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

if (!process.env.DATABASE_URL) await import('./prepare.js')

const root = fileURLToPath(new URL('../..', import.meta.url))
const tap = spawn(process.execPath, [`${root}node_modules/tap/dist/esm/run.mjs`, ...process.argv.slice(2)], { stdio: 'inherit' })

// However we are asked to end, tap ends first. A terminal's interruption comes to it without us.
process.on('SIGINT', () => undefined)
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => tap.kill(signal))
tap.on('close', async (code, signal) => {
  await gone(`${root}.tap/postgres/${tap.pid}`)
  process.exit(code ?? 128 + constants.signals[signal])
})

/** The guard of the shared server (test/support/server.ts) sees that tap has ended, and removes this folder last. */
async function gone(folder) {
  const end = performance.now() + 30_000
  while (existsSync(folder) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
}
