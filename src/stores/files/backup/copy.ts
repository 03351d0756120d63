import { mkdtemp, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Destination } from '#core/transfer.ts'
import { networkGit } from '#git/remote/network.ts'
import { openRepository } from '#git/repository.ts'
import { makePrivateDir } from '#stores/engine/private-folder.ts'
import { FilesDestination } from '../transfer/destination.ts'
import type { FilesFolder } from '../transfer/hold.ts'
import { type BackedUp, backUp, backupFile, checkTarget, liesInside, STAGING, sweep } from './backup.ts'
import { copyFolder } from './snapshot-folder.ts'

/** A site that is kept elsewhere, and its folder here, with the configuration and the templates. */
export interface Elsewhere {
  readonly folder: FilesFolder
  /** Output folder of `cms build`, absolute. */
  readonly out: string
  /** Of Quire. */
  readonly version: string
}

/**
 * Writes a backup of a site that is kept elsewhere to `file`, or into its private folder: it is brought into a folder first, with
 * its history as a repository, so that it can be restored wherever there is a disk. See `backUp`.
 */
export async function backUpCopy(
  { folder, out, version }: Elsewhere,
  file: string | undefined,
  force: boolean,
  bring: (destination: Destination) => Promise<void>,
): Promise<BackedUp> {
  const { privateDir, clock } = folder
  makePrivateDir(privateDir)
  const target = file ?? (await backupFile(folder))
  checkTarget(target, force)
  await sweep(privateDir)
  const root = await mkdtemp(join(privateDir, STAGING))
  try {
    const { copy, leftOut } = await around(folder, out, root)
    const destination = await FilesDestination.open(copy)
    await bring(destination).finally(() => destination.close())
    const found = await openRepository(root, true)
    const repository = 'without' in found ? undefined : found
    const done = await backUp({ ...copy, out: join(root, relative(folder.root, out)), repository, clock, version }, target, force)
    return { ...done, leftOut: [...leftOut, ...done.leftOut], isInside: liesInside(folder, target) }
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/**
 * Copies the content of the site's folder that is no record into a repository of its own. A repository that the folder may be in
 * must not be written to.
 */
async function around({ root, content, privateDir, git, ...rest }: FilesFolder, out: string, to: string) {
  const apart = new Set([privateDir, out, join(root, content)].map((path) => relative(root, path).replaceAll('\\', '/')))
  const skips = (path: string, name: string) => apart.has(path) || name === '.git' || name === 'node_modules'
  const { leftOut } = await copyFolder({ from: root, to, skips, shares: true })
  await (await networkGit(to)).init()
  const copy: FilesFolder = {
    ...{ ...rest, root: to, content, privateDir: join(to, relative(root, privateDir)) },
    git: { ...git, enabled: 'auto', branch: null },
  }
  return { copy, leftOut }
}
