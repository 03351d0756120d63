import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReadEntry } from 'tar'
import { isInside, NAMES, notOurs } from './manifest.ts'
import { leadsOut } from './snapshot-folder.ts'

/** Unpacks a backup into `folder`; throws BadRequest where it is damaged, or holds anything that would be put outside. */
export async function unpack(file: string, folder: string): Promise<void> {
  const tar = await import('tar')
  // Looked through first: what is not as it must be is refused whole, not in parts.
  const faults: string[] = []
  const look = (entry: ReadEntry) => {
    const fault = faultOf(entry)
    if (fault !== undefined) faults.push(fault)
  }
  try {
    await tar.list({ file, strict: true, onReadEntry: look })
    if (faults[0] === undefined)
      await tar.extract({ file, cwd: folder, strict: true, preserveOwner: false, chmod: true, processUmask: 0o022 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error
    throw notOurs(`It is damaged: ${error instanceof Error ? error.message : String(error)}.`)
  }
  if (faults[0] !== undefined) throw notOurs(faults[0])
}

/** Counts the files and links in a folder. */
export async function countFiles(folder: string): Promise<number> {
  let files = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    files += entry.isDirectory() ? await countFiles(join(folder, entry.name)) : 1
  }
  return files
}

const FOLDERS: readonly string[] = [NAMES.site, NAMES.private]
const FILES: readonly string[] = [NAMES.manifest, NAMES.bundle]

function faultOf({ path, type, linkpath = '' }: ReadEntry): string | undefined {
  const clean = path.replace(/\/$/, '')
  const [first = '', ...rest] = clean.split('/')
  const isKnown = FOLDERS.includes(first) || (FILES.includes(first) && rest.length === 0 && type === 'File')
  if (!isInside(clean) || !isKnown) return `It holds "${path}", which has no place in a site.`
  if (type === 'SymbolicLink') {
    return leadsOut(`/${first}`, rest.join('/'), linkpath) ? `The link "${path}" leads out of the site.` : undefined
  }
  if (type === 'Link')
    return isInside(linkpath) && FOLDERS.includes(linkpath.split('/')[0] ?? '')
      ? undefined
      : `The link "${path}" leads out of the site.`
  return type === 'File' || type === 'Directory' ? undefined : `"${path}" is neither a file nor a folder.`
}
