import type { Objects } from './objects.ts'
import { GitFailure, git } from './process.ts'
import type { Repository } from './repository.ts'

/** A file that a commit removed: its path from the folder that was asked for. */
export interface RemovedFile {
  readonly path: string
  /** Resolves with what git kept of it; undefined where that is gone. */
  read(): Promise<Buffer | undefined>
}

/** A folder as it was before a commit: empty where the commit before it is not there. Paths are from the folder. */
export interface FolderBefore {
  /** Finds the plain files that the commit removed from it. */
  removed(): Promise<RemovedFile[]>
  /** Finds the files that were in it before the commit. */
  names(): Promise<ReadonlySet<string>>
}

interface Deps {
  readonly repository: Repository
  readonly objects: Objects
}

/** Returns a folder, given from the top, as it was before a commit. */
export function folderBefore(deps: Deps, commit: string, folder: string): FolderBefore {
  return {
    removed: () => removedFiles(deps, commit, folder),
    names: () => filesBefore(deps.repository, commit, folder),
  }
}

async function removedFiles({ repository, objects }: Deps, commit: string, folder: string): Promise<RemovedFile[]> {
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

async function filesBefore(repository: Repository, commit: string, folder: string): Promise<Set<string>> {
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', '--end-of-options', `${commit}^1`, `${folder}/`]
  const out = await git(repository.top, args).catch((error: unknown) => {
    if (error instanceof GitFailure) return Buffer.alloc(0)
    throw error
  })
  const paths = out.toString('utf8').split('\0').slice(0, -1)
  return new Set(paths.map((path) => path.slice(folder.length + 1)))
}
