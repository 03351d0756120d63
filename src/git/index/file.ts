import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Stamp, stampAt } from '#lib/files/stamp.ts'
import { git } from '../process.ts'
import type { Repository } from '../repository.ts'
import { emptyIndex, IndexBytes, type IndexEntry } from './bytes.ts'

/** The path of a working tree's index. */
export function indexPath({ dir }: Repository): string {
  return join(dir, 'index')
}

/** An index as it was seen: its state then, and its bytes, where they are of a form that we read. */
export interface IndexSeen {
  readonly stamp: Stamp | undefined
  readonly index: IndexBytes | undefined
}

/** Reads what the index has of these paths (from the top of the working tree). */
export async function lookUp(
  repository: Repository,
  paths: ReadonlySet<string>,
): Promise<{ seen: IndexSeen; entries: ReadonlyMap<string, IndexEntry> }> {
  const path = indexPath(repository)
  for (;;) {
    const stamp = stampAt(path)
    const bytes = stamp === undefined ? undefined : bytesOf(path)
    const index = IndexBytes.parse(bytes ?? emptyIndex(idLengthOf(repository)), idLengthOf(repository))
    const entries = index && isWhole(index) ? entriesOf(index, paths) : await ask(repository, paths)
    if (stampAt(path) === stamp) return { seen: { stamp, index }, entries }
  }
}

function entriesOf(index: IndexBytes, paths: ReadonlySet<string>): Map<string, IndexEntry> {
  const entries = new Map<string, IndexEntry>()
  for (const one of paths) {
    const number = index.find(Buffer.from(one))
    if (number >= 0) entries.set(one, index.entry(number))
  }
  return entries
}

/** The bytes of an index file; undefined where there is none. */
function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Returns the number of bytes in the ids of a repository. */
export function idLengthOf({ format }: Pick<Repository, 'format'>): number {
  return format === 'sha256' ? 32 : 20
}

/** Returns whether all entries are in this file. A split or sparse index has an extension which says that they are elsewhere. */
function isWhole({ bytes, end, idLength }: IndexBytes): boolean {
  for (let at = end; at + 8 <= bytes.length - idLength; at += 8 + bytes.readUInt32BE(at + 4)) {
    const name = bytes.toString('latin1', at, at + 4)
    if (name === 'link' || name === 'sdir') return false
  }
  return true
}

/** The mode of a path with a conflict that nobody has resolved yet. */
export const UNMERGED = 'unmerged'

/** Number of paths that one process of git is asked for: its arguments have a limit. */
const AT_ONCE = 2_000

/** Forms of an index that are rarer, and read by git itself. */
async function ask(repository: Repository, paths: ReadonlySet<string>): Promise<Map<string, IndexEntry>> {
  const all = [...paths]
  const entries = new Map<string, IndexEntry>()
  for (let start = 0; start < all.length; start += AT_ONCE) await askPart(repository, all.slice(start, start + AT_ONCE), entries)
  return entries
}

async function askPart({ top }: Repository, paths: readonly string[], entries: Map<string, IndexEntry>): Promise<void> {
  const out = (await git(top, ['ls-files', '-s', '-v', '-z', '--', ...paths])).toString('utf8')
  for (const line of out.split('\0')) {
    const [, tag = '', mode = '', id = '', stage, path = ''] = /^(\w) (\d+) ([0-9a-f]+) (\d)\t(.+)$/s.exec(line) ?? []
    if (path === '') continue
    const overlooked = /s/i.test(tag) ? 'skip-worktree' : /[a-z]/.test(tag) ? 'assume-unchanged' : undefined
    entries.set(path, { mode: stage === '0' ? mode : UNMERGED, id, ...(overlooked && { overlooked }) })
  }
}
