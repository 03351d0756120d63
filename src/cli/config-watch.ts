import { join } from 'node:path'
import { watch } from 'chokidar'
import { CONFIG_FILE, loadConfig } from '#config/load.ts'
import type { Call } from './command.ts'
import { reportOf } from './failure.ts'
import { placeOf } from './output.ts'

/**
 * Milliseconds that a change is left to settle: one save often raises two events, and only one of two that are close together is
 * reported.
 */
const SETTLED_MS = 100

/** The configuration a server was started with. */
interface Started {
  readonly root: string
  readonly fingerprint: string
}

/**
 * Says on stderr when the configuration is another than the server was started with, or could not be started with; a running
 * server goes on with what it has. Returns what ends the watching.
 */
export function watchConfig(call: Call, started: Started): () => Promise<void> {
  let last = started.fingerprint
  const look = () => {
    const found = read(call, started)
    if (found.state !== last && found.state !== started.fingerprint) call.output.say(found.says)
    last = found.state
  }
  const watcher = watch(join(started.root, CONFIG_FILE), { ignoreInitial: true, followSymlinks: false, persistent: false })
  let timer: NodeJS.Timeout | undefined
  const soon = () => {
    clearTimeout(timer)
    timer = setTimeout(look, SETTLED_MS)
  }
  watcher.on('all', soon)
  watcher.on('ready', soon)
  watcher.on('error', (error) => call.output.detail(`${CONFIG_FILE} is not watched: ${String(error)}`))
  return () => {
    clearTimeout(timer)
    return watcher.close()
  }
}

function read(call: Call, started: Started): { state: string; says: string } {
  try {
    const { fingerprint } = loadConfig(started.root, call.env)
    return { state: fingerprint, says: `${CONFIG_FILE} has changed: start the server again to use it.` }
  } catch (error) {
    const report = reportOf(error)
    const mistakes = [report, ...report.others].map(({ message, ...at }) => `${placeOf(at)}: ${message}`).join('\n')
    return { state: mistakes, says: `${mistakes} The server goes on with the configuration it was started with.` }
  }
}
