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
    const options = { strict: true, preserveOwner: false, chmod: true, processUmask: 0o022, filter: withoutPrivilege }
    if (faults[0] === undefined) await tar.extract({ file, cwd: folder, ...options })
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
const TYPES: readonly string[] = ['File', 'Directory', 'SymbolicLink', 'Link']

function faultOf({ path, type, linkpath = '' }: ReadEntry): string | undefined {
  const clean = path.replace(/\/$/, '')
  const [first = '', ...rest] = clean.split('/')
  const isKnown = FOLDERS.includes(first) || (FILES.includes(first) && rest.length === 0 && type === 'File')
  if (!isInside(clean) || !isKnown) return `It holds "${path}", which has no place in a site.`
  const leaves =
    (type === 'SymbolicLink' && leadsOut(rest.join('/'), linkpath)) ||
    (type === 'Link' && !(isInside(linkpath) && FOLDERS.includes(linkpath.split('/')[0] ?? '')))
  if (leaves) return `The link "${path}" leads out of the site.`
  return TYPES.includes(type) ? undefined : `"${path}" is neither a file nor a folder.`
}

/** Keeps what runs as its owner from being restored as such: that may be root. */
function withoutPrivilege(_: string, entry: { mode?: number | undefined }): boolean {
  if (entry.mode !== undefined) entry.mode &= 0o777
  return true
}
