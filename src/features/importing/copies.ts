import { createReadStream } from 'node:fs'
import { lstat, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSitePath } from '#core/files/site-files.ts'
import { Conflict, InvalidInput, TooLarge } from '#lib/errors.ts'
import { makeFolders, syncFolder, writeBeside } from '#lib/files/atomic.ts'

/** Folders of a site that files are copied to as they are, and what can't be there. */
const FOLDERS = {
  static: (path: string) => !isSitePath('static', path),
  data: (path: string) => !/\.(?:ya?ml|json|toml)$/i.test(path) || path.split('/').some((name) => /^[._]/.test(name)),
} as const

/** A folder of a site that files are copied to. */
export type CopyFolder = keyof typeof FOLDERS

/** A file that is copied as it is. */
export interface Copy {
  /** Absolute. */
  readonly path: string
  readonly folder: CopyFolder
  /** The path in the folder, with `/`. */
  readonly to: string
}

/** The most bytes of a file that is copied. */
const MOST_BYTES = 64 * 1024 * 1024
const [FILE_MODE, FOLDER_MODE] = [0o666, 0o777]

/** Returns whether a file can be where it is to be copied to. */
export function canBeCopied({ folder, to }: Pick<Copy, 'folder' | 'to'>): boolean {
  return !FOLDERS[folder](to)
}

/**
 * Copies a file into the folder of the site at `root`, whole or not at all; nothing is written over. Throws a failure where it is too
 * large, or its place leads elsewhere.
 */
export async function copyFile(copy: Copy, root: string, dryRun: boolean): Promise<'created' | 'same' | 'kept'> {
  if (!canBeCopied(copy)) throw new InvalidInput({ path: [`No file of ${copy.folder}/ can be called ${copy.to}.`] })
  if ((await lstat(copy.path)).size > MOST_BYTES) throw new TooLarge('The file is larger than 64 MiB.')
  const path = join(root, copy.folder, copy.to)
  const there = await lstat(path).catch(() => undefined)
  if (there?.isFile()) return (await isAlike(copy.path, path, there.size)) ? 'same' : 'kept'
  if (there) throw new Conflict('A folder or a link is where the file would be.')
  if (dryRun) return 'created'
  makeFolders(root, dirname(path), FOLDER_MODE)
  await rename(await writeBeside(path, createReadStream(copy.path), FILE_MODE), path)
  await syncFolder(dirname(path))
  return 'created'
}

async function isAlike(one: string, other: string, size: number): Promise<boolean> {
  return (await lstat(one)).size === size && size <= MOST_BYTES && (await readFile(one)).equals(await readFile(other))
}
