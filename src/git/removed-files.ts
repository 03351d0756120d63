import type { Objects } from './objects.ts'
import { GitFailure, git } from './process.ts'
import type { Repository } from './repository.ts'

/** A file that a commit removed: its path from the folder that was asked for. */
export interface RemovedFile {
  readonly path: string
  /** Resolves with what git kept of it; undefined where that is gone. */
  read(): Promise<Buffer | undefined>
}

/** Finds the plain files that a commit removed from a folder, given from the top: none where the commit before it is not there. */
export async function removedFiles(
  { repository, objects }: { readonly repository: Repository; readonly objects: Objects },
  commit: string,
  folder: string,
): Promise<RemovedFile[]> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--diff-filter=D', '--end-of-options', `${commit}^1`, commit]
  const out = await git(repository.top, [...args, '--', folder]).catch((error: unknown) => {
    if (error instanceof GitFailure) return Buffer.alloc(0)
    throw error
  })
  const words = out.toString('utf8').split('\0')
  const files: RemovedFile[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [mode = '', , id = ''] = (words[at] ?? '').slice(1).split(' ')
    const path = (words[at + 1] ?? '').slice(folder.length + 1)
    if (mode.startsWith('100')) files.push({ path, read: async () => (await objects.read(id))?.bytes })
  }
  return files
}
