import { type BigIntStats, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Unavailable } from '#lib/errors.ts'
import { stampAt } from '#lib/files/stamp.ts'
import { indexPath } from '../index/file.ts'
import { indexLockPath, MARK } from '../index/lock.ts'
import type { Repository } from '../repository.ts'

/** Time in milliseconds to wait for an author's git, and the pause between two checks. */
const PATIENCE_MS = 3_000
const PAUSE_MS = 10
/** For how long what is seen in the middle of its work is not taken in, in milliseconds: so long a lock that was left over may delay what follows. */
const BUSY_MS = 5_000
/** A lock that is older is left over, or of a command that takes its time elsewhere, in milliseconds. */
const LONG_MS = 60_000

/** Tells that a git of another's is at work on the files: it removes each before it makes it anew. `longest` is for how long that is believed of a lock. */
export function isAtWork(repository: Repository, longest = LONG_MS): boolean {
  const path = indexLockPath(repository)
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return since !== undefined && Math.abs(Date.now() - since) <= longest && isOfOthers(path)
}

/** Returns since when a git of another's has been at work on the files, in milliseconds since 1970, however long that is; undefined where none is. */
export function atWorkSince({ dir }: Pick<Repository, 'dir'>): number | undefined {
  const path = indexLockPath({ dir })
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stats && isOfOthers(path) ? madeAt(stats) : undefined
}

/** Returns when a file was made, in milliseconds since 1970; where that is not kept, when it was last changed. Equal times stay equal. */
export function madeAt({ birthtimeNs, ctimeNs }: Pick<BigIntStats, 'birthtimeNs' | 'ctimeNs'>): number {
  return Number(birthtimeNs > 0n ? birthtimeNs : ctimeNs) / 1e6
}

function isOfOthers(lock: string): boolean {
  try {
    return !readFileSync(lock).subarray(0, MARK.length).equals(Buffer.from(MARK))
  } catch {
    return false
  }
}

/**
 * Tells that this process is run by a hook of the git that holds the lock, by the index that git names in the environment of its
 * hooks: then the files stay as they are.
 */
export function isHeldForUs({ dir, top }: Repository, indexFile: string | undefined): boolean {
  return indexFile?.endsWith('.lock') === true && dirname(resolve(top, indexFile)) === dir
}

/** Resolves when no other's git is at work on the files, or when that has been waited for long enough. */
export async function untilDone(repository: Repository): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; isAtWork(repository) && performance.now() < end; ) await pause(PAUSE_MS)
}

/**
 * Gives what tells, once files were looked at, whether no other's git was at work on them meanwhile, nor has ended. A lock that is there for long is not
 * believed: nothing is to be unseen for ever because of it.
 */
export function steadiness(repository: Repository): () => boolean {
  const path = indexPath(repository)
  const stamp = stampAt(path)
  return () => !isAtWork(repository, BUSY_MS) && stampAt(path) === stamp
}

/**
 * Looks something up when no other's git is at work: meanwhile files may be missing or cut short that are there before and after. Throws Unavailable where
 * that takes too long to be waited for.
 */
export async function whenDone<T>(repository: Repository, look: () => T, isWhole: (found: T) => boolean): Promise<T> {
  for (;;) {
    await untilDone(repository)
    if (isAtWork(repository)) throw new Unavailable('A git command is changing the files of the site.', 2)
    const isSteady = steadiness(repository)
    const found = look()
    if (isWhole(found) || (isSteady() && !isAtWork(repository))) return found
  }
}
