import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { isSafePath } from '../files/path-safety.ts'
import type { Objects } from '../objects/objects.ts'
import { failureOf, GitFailure, git, startGit } from '../process.ts'
import type { Repository } from '../repository.ts'

/** A larger file is never in memory as a whole. */
const MOST_WHOLE = 1024 * 1024

/** A file that a commit removed: its path from the folder that was asked for. */
export interface RemovedFile {
  readonly path: string
  /** Writes what git kept of it to a new file, and resolves with whether that is there still. */
  copyTo(path: string): Promise<boolean>
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
    if (mode.startsWith('100') && isSafePath(path)) files.push({ path, copyTo: (to) => copied({ repository, objects }, id, to) })
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

/** No more than some pieces of a large one are in memory. */
async function copied({ repository, objects }: Deps, id: string, path: string): Promise<boolean> {
  const info = await objects.info(id)
  if (!info) return false
  if (info.size <= MOST_WHOLE) {
    await writeFile(path, (await objects.read(id))?.bytes ?? '', { mode: 0o600, flag: 'wx' })
    return true
  }
  const child = startGit(repository.top, ['cat-file', 'blob', id])
  let stderr = ''
  child.stderr.on('data', (piece: Buffer) => {
    stderr = `${stderr}${piece}`.slice(-2000)
  })
  const ended = once(child, 'close')
  child.stdin.end()
  await pipeline(child.stdout, createWriteStream(path, { mode: 0o600, flags: 'wx' }))
  const [code] = (await ended) as [number | null]
  if (code !== 0) throw failureOf('cat-file', code, stderr)
  return true
}
