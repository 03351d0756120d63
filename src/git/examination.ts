import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { git, gitText } from './process.ts'
import type { Repository } from './repository.ts'

/** A lock that is older than this was left by a process that ended in the middle, in milliseconds. */
const OLD_MS = 10 * 60_000

/** The properties of a repository that take more than a glance to find out. */
export interface Examination {
  /** `git version 2.39.5`. */
  readonly version: string
  /** True if git knows the user who works here (`user.name`, `user.email`). */
  readonly knowsAuthor: boolean
  /** Files of content that were changed, made or removed, and not committed. */
  readonly uncommitted: number
  /** Files of the private folder that git keeps, and so would hand on; at most the first ten. */
  readonly leaked: readonly string[]
  /** Locks that no process seems to hold any more, absolute. */
  readonly locks: readonly string[]
}

/** Looks into a repository: `content` is the folder of content from the site's root, `privateDir` the private folder, absolute. */
export async function examine(repository: Repository, content: string, privateDir: string): Promise<Examination> {
  const { top, prefix } = repository
  const privatePath = relative(top, privateDir).replaceAll('\\', '/')
  const isInside = privatePath !== '' && !privatePath.startsWith('..')
  const [version, author, status, leaked] = await Promise.all([
    gitText(top, ['version']),
    gitText(top, ['config', '--get-regexp', '^user\\.(name|email)$']).catch(() => ''),
    git(top, ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames', '--', `${prefix}${content}`]),
    isInside ? git(top, ['ls-files', '-z', '--', privatePath]) : Buffer.alloc(0),
  ])
  return {
    version,
    knowsAuthor: /^user\.name ./m.test(author) && /^user\.email ./m.test(author),
    uncommitted: entries(status).length,
    leaked: entries(leaked).slice(0, 10),
    locks: oldLocks(repository),
  }
}

function entries(output: Buffer): string[] {
  return output.toString('utf8').split('\0').filter(Boolean)
}

function oldLocks({ dir, common }: Repository): string[] {
  const info = join(common, 'objects', 'info')
  const folders = [dir, common, info, join(info, 'commit-graphs'), join(common, 'objects', 'pack')]
  const flat = folders.flatMap((folder) => namesIn(folder, false).map((name) => join(folder, name)))
  const refs = namesIn(join(common, 'refs'), true).map((name) => join(common, 'refs', name))
  return [...new Set([...flat, ...refs])].filter((path) => path.endsWith('.lock') && isOld(path))
}

function namesIn(folder: string, recursive: boolean): string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' })
  } catch {
    return []
  }
}

function isOld(path: string): boolean {
  const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return made !== undefined && Date.now() - made > OLD_MS
}
