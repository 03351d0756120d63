import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Unavailable } from '#lib/errors.ts'
import { makeFile } from '#lib/files/atomic.ts'
import { identityAt, stampAt } from '#lib/files/stamp.ts'
import { isAlive, parseHolder, thisProcess } from '#lib/process-identity.ts'
import type { Repository } from '../repository.ts'
import { indexPath } from './file.ts'

/** Milliseconds to wait for another's lock, and between checks of it. */
const PATIENCE_MS = 3_000
const PAUSE_MS = 5
/**
 * The lock files that this process holds, by what they are on the disk: one may come back with a folder that was moved away while
 * it was given back, and a folder may have two paths.
 */
const held = new Set<string>()
/** A lock of ours begins with it, and none of git's. */
export const MARK = 'quire '

/** Returns the path at which git, and any program that follows its rules, locks the index. */
export function indexLockPath({ dir }: Pick<Repository, 'dir'>): string {
  return join(dir, 'index.lock')
}

/** Locks the index as git does, so that no git of the author's comes between; gives what unlocks it. Another's lock is waited for, then Unavailable, and never removed. */
export async function lockIndex(repository: Repository): Promise<() => void> {
  const path = indexLockPath(repository)
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      makeFile(path, ownText(), 0o644)
      const identity = identityAt(path) ?? ''
      held.add(identity)
      return () => {
        held.delete(identity)
        rmSync(path, { force: true })
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (isLeftOver(repository)) rmSync(path, { force: true })
    else if (performance.now() > end) throw locked(path)
    else await pause(PAUSE_MS)
  }
}

/**
 * Waits until the index is not locked; throws Unavailable where that takes too long. Resolves with what tells whether no git has touched it since: what the
 * files then say holds.
 */
export async function calm(repository: Repository): Promise<() => boolean> {
  const path = indexLockPath(repository)
  for (const end = performance.now() + PATIENCE_MS; existsSync(path) && !isLeftOver(repository); await pause(PAUSE_MS)) {
    if (performance.now() > end) throw locked(path)
  }
  const stamp = stampAt(indexPath(repository))
  return () => !existsSync(path) && stampAt(indexPath(repository)) === stamp
}

/** Returns whether the index is locked by a process of ours that no longer exists, or by this one without its knowledge. */
export function isLeftOver(repository: Repository): boolean {
  const path = indexLockPath(repository)
  try {
    const text = readFileSync(path, 'utf8')
    if (text === ownText()) return !held.has(identityAt(path) ?? '')
    const holder = text.startsWith(MARK) ? parseHolder(text.slice(MARK.length)) : undefined
    return holder !== undefined && !isAlive(holder)
  } catch {
    return false
  }
}

function ownText(): string {
  return `${MARK}${JSON.stringify(thisProcess())}\n`
}

function locked(path: string): Unavailable {
  return new Unavailable(
    'Another git command is at work in the repository, so nothing can be saved.',
    3,
    `Wait for it to end; if none runs, remove ${path}.`,
  )
}
