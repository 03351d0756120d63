import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, lstatSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Conflict, Failure, NoSpace, NotWritable } from '../errors.ts'

/**
 * Writes a file beside the one it is to replace, under a name that the walk ignores, and waits until it is on the disk. Resolves
 * with its path. Parts are asked for one by one, as they are written.
 */
export async function writeBeside(
  path: string,
  bytes: Uint8Array | Iterable<Buffer> | AsyncIterable<Buffer>,
  mode: number,
): Promise<string> {
  const beside = besideOf(path)
  try {
    const file = await open(beside, 'wx', mode)
    try {
      await writeFile(file, bytes)
      if ((mode & process.umask()) !== 0) await file.chmod(mode)
      await file.sync()
    } finally {
      await file.close()
    }
    return beside
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}

/** Writes a file that is opened with `flags`, and waits until it is on the disk. */
export async function writeSynced(path: string, bytes: Buffer, flags: string | number, mode: number): Promise<void> {
  const file = await open(path, flags, mode)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Waits until what was renamed or removed in a folder is on the disk. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/**
 * Makes the folders that are missing on the way from `root` down to `path`, one by one; throws Conflict where a link or a file is
 * in the way. Returns those made, outermost first.
 */
export function makeFolders(root: string, path: string, mode: number): string[] {
  const missing: string[] = []
  for (let folder = path; folder.length >= root.length; folder = dirname(folder)) {
    const stats = lstatSync(folder, { throwIfNoEntry: false })
    if (!stats) missing.unshift(folder)
    else if (!stats.isDirectory() && folder !== root)
      throw new Conflict('A link or a file is where the folder of this record must be.')
  }
  for (const folder of missing) mkdirSync(folder, { mode })
  return missing
}

/** Removes folders that were made for a write that came to nothing; those that hold something stay. */
export function removeFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder)
    } catch {
      return
    }
  }
}

/** An error of the file system as one that a client can act on, where it is one. */
export function failureOf(error: unknown): unknown {
  if (error instanceof Failure) return error
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return new NoSpace('The disk is full: nothing was changed.')
  if (code === 'ENOTDIR' || code === 'ELOOP' || code === 'EISDIR')
    return new Conflict('A link or a file is where the folder of this record must be.')
  if (code === 'ENAMETOOLONG') return new Conflict('The id is too long for a file name.', undefined, 'Choose a shorter one.')
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) {
    return new NotWritable(`The site's folder can't be written to (${code}).`, 60, 'See to its permissions.')
  }
  return error
}

/**
 * Makes a file that does not exist yet, whole or not at all, whenever it is cut short; throws EEXIST if it exists. It is written
 * beside and then given its name: an empty file would not show whose it is.
 */
export function makeFile(path: string, text: string, mode: number): void {
  if (existsSync(path)) throw Object.assign(new Error(`There is a file ${path}.`), { code: 'EEXIST' })
  const beside = besideOf(path)
  try {
    writeFileSync(beside, text, { flag: 'wx', mode })
    give(beside, path, () => writeFileSync(path, text, { flag: 'wx', mode }))
  } finally {
    rmSync(beside, { force: true })
  }
}

/** Gives a file its second name. Not every file system can, and a cleanup may have removed the file beside as a leftover. */
function give(beside: string, path: string, otherwise: () => void): void {
  try {
    linkSync(beside, path)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    otherwise()
  }
}

/** Returns a new name for a file beside another, under which the walk ignores it. */
export function besideOf(path: string): string {
  return join(dirname(path), `.quire-${randomBytes(6).toString('hex')}.tmp`)
}
