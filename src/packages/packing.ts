import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { listedBy } from '#lib/files/lists.ts'
import { MOST_PACKED } from './archive.ts'
import { PackageFault } from './fault.ts'
import { BLOCK, fitsHeader, writeHeader, writePax } from './tar-header.ts'
import { readTreeFile, treeFiles } from './tree.ts'

/** The file in the folder of a module that names what stays out of its package, as .gitignore does. */
export const IGNORE_FILE = '.moduleignore'

/** The byte of a gzip header that says on which system it was made; 255 says none. */
const SYSTEM = 9

/**
 * Makes the package of a module: its files as a `.tgz`, without those that `.moduleignore` names. Equal files make equal bytes.
 * Throws PackageFault as `treeFiles` does, and where it would be too large.
 */
export async function packFolder(folder: string): Promise<Buffer> {
  const isIgnored = listedBy(await ignored(folder), 'ignore')
  const parts: Buffer[] = []
  let total = 0
  for (const { path } of await treeFiles(folder)) {
    if (isIgnored?.(path)) continue
    const bytes = await readTreeFile(folder, path)
    if (!fitsHeader(path)) parts.push(...entry('pax', 'x', writePax(path)))
    parts.push(...entry(fitsHeader(path) ? path : 'long', '0', bytes))
    total += bytes.length
    if (total > 5 * MOST_PACKED) break
  }
  const packed = await promisify(gzip)(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 })
  packed[SYSTEM] = 255
  if (packed.length > MOST_PACKED || total > 5 * MOST_PACKED)
    throw new PackageFault(
      'The package would be over 20 MiB, or hold over 100 MB.',
      undefined,
      `Name what it does not need in ${IGNORE_FILE}.`,
    )
  return packed
}

function entry(name: string, type: string, bytes: Buffer): Buffer[] {
  return [writeHeader({ name, type, size: bytes.length }), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]
}

async function ignored(folder: string): Promise<string[]> {
  try {
    const lines = (await readFile(join(folder, IGNORE_FILE), 'utf8')).split(/\r\n|\r|\n/)
    return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
