import { git } from '../process.ts'
import type { Repository } from '../repository.ts'
import { quoted } from './import-commands.ts'

/**
 * Returns the ids of the blobs that `git add` would make of files, one for each, in a process of its own; none is made. Paths are
 * from the top of the working tree.
 */
export async function addedIds({ top }: Repository, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return []
  const input = paths.map((path) => `${quoted(path)}\n`).join('')
  const found = await git(top, ['hash-object', '--stdin-paths'], { input })
  return found.toString('latin1').trim().split('\n')
}
