import { join } from 'node:path'
import { watch } from 'chokidar'
import { CONFIG_FILE, loadConfig } from '#config/load.ts'
import type { Call } from './command.ts'
import { reportOf } from './failure.ts'
import type { Quire } from './open/site.ts'
import { placeOf } from './output.ts'

/**
 * Milliseconds that a change is left to settle: one save often raises two events, and only one of two that are close together is
 * reported.
 */
const SETTLED_MS = 100

/**
 * Says on stderr when the configuration is another than the server was started with, or could not be started with; a running
 * server goes on with what it has, unless `renew` is there to have it go on with the new one. Returns what ends the watching.
 */
export function watchConfig(call: Call, site: Quire, renew?: () => void): () => Promise<void> {
  const started = site.loaded
  let last = started.fingerprint
  const look = () => {
    const found = read(call, site, renew !== undefined)
    if (found.state !== last && found.state !== started.fingerprint) {
      call.output.say(found.says)
      if (found.isUsable) renew?.()
    }
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

function read(call: Call, site: Quire, isRenewed: boolean): { state: string; says: string; isUsable: boolean } {
  const { root, fingerprint: started } = site.loaded
  try {
    const loaded = loadConfig(root, call.env)
    const { fingerprint } = loaded
    if (fingerprint !== started) site.mustBeServable(loaded)
    const says = isRenewed ? 'the server goes on with it, at the same address.' : 'start the server again to use it.'
    return { state: fingerprint, says: `${CONFIG_FILE} has changed: ${says}`, isUsable: true }
  } catch (error) {
    const report = reportOf(error)
    const mistakes = [report, ...report.others].map(({ message, ...at }) => `${placeOf(at)}: ${message}`).join('\n')
    const says = `${mistakes} The server goes on with the configuration it was started with.`
    return { state: mistakes, says, isUsable: false }
  }
}
