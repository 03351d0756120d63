import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { moduleAddress } from '#lib/package.ts'
import { PackageFault } from '#packages/fault.ts'
import { readTreeFile, TREE_LIMITS, TreeHash, treeFiles, treeHash } from '#packages/tree.ts'

/** A copy of a module's files, in a folder of its own. */
export interface Copy {
  /** Absolute. */
  readonly folder: string
  /** `treeHash` of the files. */
  readonly tree: string
}

/** The most copies that are left of earlier states of modules. */
const MOST_LEFT = 20

const COPY = /^[0-9a-f]{32}$/

/**
 * Copies the files of a module to a folder below `cache` that is named after their bytes: what is checked is what is loaded, and
 * other bytes have another address. Throws PackageFault as `treeFiles` does: links are refused.
 */
export async function copyOf(folder: string, cache: string): Promise<Copy> {
  // Most starts find the copy of an earlier one.
  const known = await treeHash(folder)
  if (existsSync(placeOf(cache, known))) return { folder: placeOf(cache, known), tree: known }
  const hash = new TreeHash()
  const made = await mkdtemp(join(cache, '.new-'))
  try {
    let total = 0
    for (const { path } of await treeFiles(folder)) {
      const bytes = await readTreeFile(folder, path)
      total += bytes.length
      if (total > TREE_LIMITS.bytes) throw new PackageFault('The module has over 100 MB.')
      hash.add(path, bytes)
      await mkdir(dirname(join(made, path)), { recursive: true })
      await writeFile(join(made, path), bytes)
    }
    const tree = hash.value()
    const place = placeOf(cache, tree)
    if (!existsSync(place)) await rename(made, place).catch(ifThere(place))
    return { folder: place, tree }
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/** Puts the package `quire-cms` beside the copies: what they import of it is the running program's. */
export async function putPackage(cache: string): Promise<void> {
  const folder = join(cache, 'node_modules', 'quire-cms')
  const address = moduleAddress('module/module').href
  const exported = { './module': './module.js' }
  await mkdir(folder, { recursive: true })
  await place(cache, 'package.json', '{"type":"module"}\n')
  await place(folder, 'package.json', `${JSON.stringify({ name: 'quire-cms', type: 'module', exports: exported })}\n`)
  await place(folder, 'module.js', `export * from ${JSON.stringify(address)}\n`)
}

/** Removes copies of earlier states, all but some: another process may be loading one. */
export async function sweepCopies(cache: string, kept: ReadonlySet<string>): Promise<void> {
  const names = await readdir(cache).catch(() => [])
  const others = names.filter((name) => COPY.test(name) && !kept.has(join(cache, name)))
  for (const name of others.slice(MOST_LEFT)) await rm(join(cache, name), { recursive: true, force: true })
}

/** The folder of a copy, by the hash of its files. */
function placeOf(cache: string, tree: string): string {
  return join(cache, createHash('sha256').update(tree).digest('hex').slice(0, 32))
}

async function place(folder: string, name: string, text: string): Promise<void> {
  const made = join(folder, `.${name}.${process.pid}`)
  await writeFile(made, text)
  await rename(made, join(folder, name))
}

/** Another process may have put the same there. */
function ifThere(place: string): (error: unknown) => void {
  return (error) => {
    if (!existsSync(place)) throw error
  }
}
