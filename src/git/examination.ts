import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { git, gitText } from './process.ts'
import type { Repository } from './repository.ts'

/** A lock on objects that is older than this was left by a process that ended in the middle, in milliseconds: upkeep takes its time. */
const OLD_MS = 10 * 60_000

/** The lock of our own writers. */
const WRITERS = 'cms.lock'

/** The properties of a repository that take more than a glance to find out. */
export interface Examination {
  /** `git version 2.39.5`. */
  readonly version: string
  /** True if git knows the user who works here (`user.name`, `user.email`). */
  readonly knowsAuthor: boolean
  /** Files of content that were changed, made or removed, and not committed. */
  readonly uncommitted: number
  /** The locks of git that are there. */
  readonly locks: readonly GitLock[]
}

/** A lock file of git. */
export interface GitLock {
  /** Absolute. */
  readonly path: string
  /** Milliseconds since it was made. */
  readonly age: number
}

/** Looks into a repository: `content` is the folder of content from the site's root. */
export async function examine(repository: Repository, content: string): Promise<Examination> {
  const { top, prefix } = repository
  const [version, author, status] = await Promise.all([
    gitText(top, ['version']),
    gitText(top, ['config', '--get-regexp', '^user\\.(name|email)$']).catch(() => ''),
    git(top, ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames', '--', `${prefix}${content}`]),
  ])
  return {
    version,
    knowsAuthor: /^user\.name ./m.test(author) && /^user\.email ./m.test(author),
    uncommitted: entries(status).length,
    locks: locksOf(repository),
  }
}

function entries(output: Buffer): string[] {
  return output.toString('utf8').split('\0').filter(Boolean)
}

function locksOf({ dir, common }: Repository): GitLock[] {
  const info = join(common, 'objects', 'info')
  const within = (folder: string) => namesIn(folder, false).map((name) => join(folder, name))
  const refs = namesIn(join(common, 'refs'), true).map((name) => join(common, 'refs', name))
  const atWork = [dir, common].flatMap(within).filter((path) => path !== join(common, WRITERS))
  const upkeep = [info, join(info, 'commit-graphs'), join(common, 'objects', 'pack')].flatMap(within)
  return [...agesOf([...atWork, ...refs]), ...agesOf(upkeep).filter(({ age }) => age > OLD_MS)]
}

function namesIn(folder: string, recursive: boolean): string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' })
  } catch {
    return []
  }
}

function agesOf(paths: readonly string[]): GitLock[] {
  const locks = [...new Set(paths)].filter((path) => path.endsWith('.lock'))
  return locks.flatMap((path) => {
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    return made === undefined ? [] : [{ path, age: Math.max(0, Date.now() - made) }]
  })
}
