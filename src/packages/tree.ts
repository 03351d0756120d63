import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { compareText } from '#lib/text/compare.ts'
import { PackageFault } from './fault.ts'
import { isLeftOut, TakenPaths, treePathFault } from './tree-path.ts'

/** Limits of a module: files, bytes of all, bytes of one. */
export const TREE_LIMITS = { files: 5_000, bytes: 100 * 1024 * 1024, file: 32 * 1024 * 1024 } as const

/** A file of a module: its path from the root with `/`. */
export interface TreeFile {
  readonly path: string
  readonly size: number
}

/**
 * Lists the files of a module in a folder, by path in code point order. Names that begin with a dot and `node_modules` are no part of
 * it. Throws PackageFault for links, devices, names that not every system takes, and more than there may be.
 */
export async function treeFiles(folder: string): Promise<TreeFile[]> {
  const found: TreeFile[] = []
  const taken = new TakenPaths()
  let entries = 0
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (isLeftOut(entry.name)) continue
      if (++entries > 2 * TREE_LIMITS.files) throw tooMany()
      if (!entry.isDirectory() && !entry.isFile()) throw new PackageFault(`"${path}" is a link or a device.`, { file: path })
      const fault = treePathFault(path)
      if (fault) throw new PackageFault(`"${path}" ${fault}.`, { file: path }, 'Give it another name.')
      if (entry.isDirectory()) await walk(path)
      else {
        found.push({ path, size: 0 })
        const clash = taken.add(path)
        if (clash) throw new PackageFault(`"${path}" ${clash}.`, { file: path }, 'Give it another name.')
      }
      if (found.length > TREE_LIMITS.files) throw tooMany()
    }
  }
  await walk('')
  return found.sort((a, b) => compareText(a.path, b.path))
}

/** Reads one file of a module, within the limit of one. A link is not followed. */
export async function readTreeFile(folder: string, path: string): Promise<Buffer> {
  const file = await open(join(folder, path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const { size } = await file.stat()
    if (size > TREE_LIMITS.file) throw tooLarge(path)
    const bytes = await file.readFile()
    if (bytes.length > TREE_LIMITS.file) throw tooLarge(path)
    return bytes
  } finally {
    await file.close()
  }
}

/** Hashes the files of a module as they are given, in code point order of their paths. */
export class TreeHash {
  readonly #hash = createHash('sha512')

  add(path: string, bytes: Uint8Array): void {
    this.#hash.update(`${path}\0${bytes.length}\0`)
    this.#hash.update(bytes)
  }

  /** Returns `sha512-<base64>`. */
  value(): string {
    return `sha512-${this.#hash.digest('base64')}`
  }
}

/**
 * Resolves with `sha512-<base64>` over the paths and bytes of the files of a module, in code point order of the paths. Throws
 * PackageFault as `treeFiles` does.
 */
export async function treeHash(folder: string): Promise<string> {
  const hash = new TreeHash()
  let total = 0
  for (const { path } of await treeFiles(folder)) {
    const bytes = await readTreeFile(folder, path)
    total += bytes.length
    if (total > TREE_LIMITS.bytes) throw new PackageFault('The module has over 100 MB.')
    hash.add(path, bytes)
  }
  return hash.value()
}

function tooMany(): PackageFault {
  return new PackageFault(`The module has over ${TREE_LIMITS.files.toLocaleString('en')} files.`)
}

function tooLarge(path: string): PackageFault {
  return new PackageFault(`"${path}" is over ${TREE_LIMITS.file / 1024 / 1024} MiB.`, { file: path })
}
