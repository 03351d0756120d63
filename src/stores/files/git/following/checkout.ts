import { readFileSync, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Document } from '../../../../core/document.ts'
import { Unavailable } from '../../../../core/errors.ts'
import { indexLockPath, MARK } from '../committing/index-lock.ts'
import type { Repository } from '../repository.ts'

/** How long an author's git is waited for, and how often it is looked at, in milliseconds. */
const PATIENCE_MS = 3_000
const PAUSE_MS = 10
/** A lock that is older is left over, or of a command that takes its time elsewhere, in milliseconds. */
const LONG_MS = 60_000

/** Tells that a git of another's is at work on the files: it removes each before it makes it anew. */
export function isAtWork(repository: Repository): boolean {
  const path = indexLockPath(repository)
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  if (since === undefined || Date.now() - since > LONG_MS) return false
  try {
    return !readFileSync(path).subarray(0, MARK.length).equals(Buffer.from(MARK))
  } catch {
    return false
  }
}

/** Resolves when no other's git is at work on the files, or when that has been waited for long enough. */
export async function untilDone(repository: Repository): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; isAtWork(repository) && performance.now() < end; ) await pause(PAUSE_MS)
}

/**
 * Looks a document up when no other's git is at work: meanwhile it may be missing or cut short, and there before and after. Throws Unavailable where that
 * takes too long to be waited for.
 */
export async function whenDone(repository: Repository, look: () => Document | undefined): Promise<Document | undefined> {
  for (;;) {
    await untilDone(repository)
    if (isAtWork(repository)) throw new Unavailable('A git command is changing the files of the site.', 2)
    const document = look()
    if ((document && document.problem?.severity !== 'error') || !isAtWork(repository)) return document
  }
}
