import { copyFile, link, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'

/** The options of a copy: the folders, and the paths that are left out. */
interface Copying {
  readonly from: string
  readonly to: string
  /** Returns whether a path (from `from`, with `/`) is left out, with everything below it. */
  readonly skips: (path: string, name: string) => boolean
  /** True if files may share their bytes with the originals, because nobody writes into a file in place. */
  readonly shares: boolean
}

/** The result of a copy: the number of files and links, and the links that were left out because they lead out of the folder. */
export interface Copied {
  files: number
  readonly leftOut: string[]
}

/**
 * Brings a folder's files together in another, as they are at this moment. Files that are only ever replaced whole are shared and
 * not copied, so that it is done at once, whatever their size.
 */
export async function copyFolder(copying: Copying): Promise<Copied> {
  const copied: Copied = { files: 0, leftOut: [] }
  await copyLevel(copying, '', copied)
  return copied
}

async function copyLevel(copying: Copying, folder: string, copied: Copied): Promise<void> {
  const target = join(copying.to, folder)
  await mkdir(target, { recursive: true, mode: (await lstat(join(copying.from, folder))).mode & 0o777 })
  for (const entry of await readdir(join(copying.from, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (copying.skips(path, entry.name)) continue
    if (entry.isDirectory()) await copyLevel(copying, path, copied)
    else if (entry.isSymbolicLink()) await copyLink(copying, path, copied)
    else if (entry.isFile()) await copyOne(copying, path, copied)
  }
}

async function copyOne({ from, to, shares }: Copying, path: string, copied: Copied): Promise<void> {
  const [source, target] = [join(from, path), join(to, path)]
  try {
    if (shares) await link(source, target).catch(() => copyFile(source, target))
    else await copyFile(source, target)
    copied.files++
  } catch (error) {
    // What went away since the folder was listed is not there.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

async function copyLink({ from, to }: Copying, path: string, copied: Copied): Promise<void> {
  const target = await readlink(join(from, path))
  if (leadsOut(path, target)) {
    copied.leftOut.push(path)
    return
  }
  await symlink(target, join(to, path))
  copied.files++
}

/**
 * Returns whether a link at `path` may lead out of the folder that paths are counted from, judging by its text alone. One with `..`
 * behind a name may: that name can be a link as well, and what is above its target is not what the text says.
 */
export function leadsOut(path: string, target: string): boolean {
  if (target.startsWith('/') || /^[A-Za-z]:|\\/.test(target)) return true
  const way = path.split('/').slice(0, -1)
  let isDown = false
  for (const part of target.split('/').filter((one) => one !== '' && one !== '.')) {
    if (part !== '..') isDown = way.push(part) > 0
    else if (isDown || way.pop() === undefined) return true
  }
  return way.some((name) => name.toLowerCase() === '.git')
}
