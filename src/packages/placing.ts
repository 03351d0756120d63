import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, writeSynced } from '#lib/files/atomic.ts'
import { compareText } from '#lib/text/compare.ts'
import { packedFiles } from './archive.ts'
import { HOLDER_FILE, holdFolder, tryToHoldFolder } from './holding.ts'
import type { Lock } from './lock.ts'
import { TreeHash, treeHash } from './tree.ts'

/** The folder of a module while it is unpacked. */
const BESIDE = /^\.quire-[0-9a-f]{12}\.new$/
/** The folder in which the former tree of a module waits until the lock says that the new one is meant; empty where there was none. */
const OLD = /^\.([a-z0-9][a-z0-9-]{1,63})\.old$/

/**
 * Puts the files of a package in the place of `<modules>/<name>`, in a few steps that `settleTrees` takes back or completes if they
 * are cut short: unpacked beside and on the disk, renamed, then `commit` writes the lock, by which the new tree is the one that is
 * meant. Where anything fails, all is as it was.
 */
export async function replaceTree(
  modules: string,
  name: string,
  tgz: Uint8Array,
  commit: (tree: string) => Promise<void>,
): Promise<void> {
  await mkdir(modules, { recursive: true })
  const release = await holdFolder(modules)
  const beside = join(modules, `.quire-${randomBytes(6).toString('hex')}.new`)
  try {
    await unpack(tgz, beside)
    const tree = await treeHash(beside)
    await swap(modules, name, beside, () => commit(tree))
  } finally {
    await remove(beside)
    release()
  }
}

/** Takes the folder of a module away; `commit` writes the lock without it. Where that fails, all is as it was. */
export async function removeTree(modules: string, name: string, commit: () => Promise<void>): Promise<void> {
  const release = await holdFolder(modules)
  try {
    await swap(modules, name, undefined, commit)
  } finally {
    release()
  }
}

/**
 * Completes or takes back what was cut short in the folder of modules, so that each tree is the one that the lock names. Does nothing
 * while another process is at work there.
 */
export async function settleTrees(modules: string, lock: Lock): Promise<void> {
  const isLeft = (name: string) => BESIDE.test(name) || OLD.test(name) || name === HOLDER_FILE
  if (!(await namesIn(modules)).some(isLeft)) return
  const release = tryToHoldFolder(modules)
  if (!release) return
  try {
    for (const left of (await namesIn(modules)).filter((name) => BESIDE.test(name) || OLD.test(name))) {
      const name = OLD.exec(left)?.[1]
      if (name === undefined) await remove(join(modules, left))
      else await settle(modules, name, lock)
    }
  } finally {
    release()
  }
}

async function settle(modules: string, name: string, lock: Lock): Promise<void> {
  const [place, old] = [join(modules, name), oldOf(modules, name)]
  const meant = lock.get(name)?.tree
  const wasThere = (await namesIn(old)).length > 0
  const isThere = await exists(place)
  if (meant === undefined && wasThere && isThere) return
  if (meant === undefined && !wasThere && isThere) await discard(modules, place)
  if (meant !== undefined && wasThere && (!isThere || (await hashOf(place)) !== meant)) {
    if (isThere) await discard(modules, place)
    await rename(old, place)
    await syncFolder(modules)
  }
  await remove(old)
}

/** Renames the tree of a module away, and the new one, if any, into its place. */
async function swap(modules: string, name: string, beside: string | undefined, commit: () => Promise<void>): Promise<void> {
  const [place, old] = [join(modules, name), oldOf(modules, name)]
  const wasThere = await exists(place)
  if (wasThere) await rename(place, old)
  else await mkdir(old)
  try {
    if (beside !== undefined) await rename(beside, place)
    await syncFolder(modules)
    await commit()
  } catch (error) {
    if (await exists(place)) await discard(modules, place)
    if (wasThere) await rename(old, place)
    else await remove(old)
    throw error
  }
  await discard(modules, old)
}

async function unpack(tgz: Uint8Array, folder: string): Promise<void> {
  await mkdir(folder)
  const folders = new Set([folder])
  for await (const { path, bytes } of packedFiles(tgz)) {
    const place = join(folder, path)
    await mkdir(dirname(place), { recursive: true })
    await writeSynced(place, bytes, 'wx', 0o644)
    for (let at = dirname(place); at !== folder; at = dirname(at)) folders.add(at)
  }
  for (const one of folders) await syncFolder(one)
}

/** Hashes what a package holds, as `treeHash` does once it is unpacked. Throws PackageFault as `packedFiles` does. */
export async function packedTree(tgz: Uint8Array): Promise<string> {
  const files = new Map<string, Buffer>()
  for await (const { path, bytes } of packedFiles(tgz)) files.set(path, bytes)
  const hash = new TreeHash()
  for (const path of [...files.keys()].sort(compareText)) hash.add(path, files.get(path) ?? Buffer.alloc(0))
  return hash.value()
}

/** Renamed first: what is half removed is under no name that means anything. */
async function discard(modules: string, folder: string): Promise<void> {
  const aside = join(modules, `.quire-${randomBytes(6).toString('hex')}.new`)
  await rename(folder, aside)
  await remove(aside)
}

function oldOf(modules: string, name: string): string {
  return join(modules, `.${name}.old`)
}

async function hashOf(folder: string): Promise<string | undefined> {
  try {
    return await treeHash(folder)
  } catch {
    return undefined
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}
