import { setTimeout as pause } from 'node:timers/promises'
import { Stale, Unavailable } from '#lib/errors.ts'
import type { WriteOptions } from '../requests/write-options.ts'

/**
 * Time in milliseconds for which a write that others come before is tried again, and the tries that it has at least, however slow
 * the store is.
 */
const PATIENCE_MS = 5_000
const LEAST_TRIES = 30
/** Time in milliseconds after which it is given up, whatever a try takes: a request has twelve seconds. */
const LONGEST_MS = 10_000
/** Longest pause between two tries, in milliseconds. */
const PAUSE_MS = 50

/**
 * Does `work`, and does it anew where another write came before it (Stale), unless the request says which version it is for.
 * Throws Unavailable where others come before it all the time.
 */
export async function untilFirst<T>({ ifMatch }: WriteOptions, work: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Stale) || ifMatch) throw error
      const spent = performance.now() - begun
      if (spent > LONGEST_MS || (spent > PATIENCE_MS && tries >= LEAST_TRIES))
        throw new Unavailable('This is being changed all the time.', 1)
    }
    // Who saves at regular intervals is not met at the same moment again.
    await pause(Math.random() * PAUSE_MS)
  }
}
