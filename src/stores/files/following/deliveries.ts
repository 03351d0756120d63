import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Unavailable } from '#lib/errors.ts'
import { isUnwritable, readServer } from '../../engine/private-folder.ts'
import { FileLock } from '../disk/lock.ts'

/** Milliseconds that another command is waited for; they take what waits, and end. */
const PATIENCE_MS = 30_000
const PAUSE_MS = 10

/**
 * Takes the deliveries of a site's feed for this process, from before the site is opened: the log of the feed is that of one
 * process at a time, and a cursor that another leaves is known to who reads the log after it. Resolves with what gives them back;
 * undefined where a server has them, or the folder can't be written. A process that dies leaves them to others at once. Throws
 * Unavailable where a command has them for long.
 */
export async function takeDeliveries(privateDir: string): Promise<(() => void) | undefined> {
  const path = join(privateDir, 'deliveries.lock')
  const lock = new FileLock(path, { patience: PAUSE_MS })
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await lock.acquire()
    } catch (error) {
      if (isUnwritable(error)) return undefined
      if (!(error instanceof Unavailable)) throw error
    }
    if (readServer(privateDir)) return undefined
    if (performance.now() > end) throw busy(path)
    await pause(PAUSE_MS)
  }
}

function busy(path: string): Unavailable {
  const hint = `Try again; if no other process of Quire runs on the site, remove ${path}.`
  return new Unavailable('Another process makes the events of the site.', 1, hint)
}
