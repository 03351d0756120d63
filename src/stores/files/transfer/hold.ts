import { join } from 'node:path'
import type { Blobs } from '#core/media/blobs.ts'
import type { Repository } from '#git/repository.ts'
import { Conflict } from '#lib/errors.ts'
import { readServer } from '#stores/engine/private-folder.ts'
import { FileLock } from '../disk/lock.ts'
import type { FilesOptions } from '../options.ts'

/**
 * The folder of a site that is carried, and how git is used in it. `blobs` are those in the private folder if nothing is said;
 * bytes of media up to `besideMax` lie beside their sidecars.
 */
export type FilesFolder = FilesOptions & {
  readonly git: NonNullable<FilesOptions['git']>
  readonly blobs?: Blobs
  readonly besideMax: number
}

/** Time in milliseconds to wait for writes of others. */
const PATIENCE = 30_000

/** Throws Conflict, with the server's process and address, where one runs on the site. */
export function refuseServer(privateDir: string): void {
  const server = readServer(privateDir)
  if (!server) return
  const { pid, host, url } = server
  const message = `A server runs on this site: process ${pid} on ${host}, at ${url}.`
  throw new Conflict(message, { pid, url }, `End it (kill ${pid}), then move the site.`)
}

/** Keeps every other process of Quire's from writing; resolves with what lets them again. */
export async function holdSite(privateDir: string, repository: Repository | undefined): Promise<() => void> {
  const locks = [new FileLock(join(privateDir, 'write.lock'), { patience: PATIENCE })]
  if (repository) locks.push(new FileLock(join(repository.common, 'cms.lock'), { patience: PATIENCE, isPrivate: false }))
  const releases: (() => void)[] = []
  const release = () => {
    for (const one of releases.splice(0)) one()
  }
  try {
    for (const lock of locks) releases.push(await lock.acquire())
    return release
  } catch (error) {
    release()
    throw error
  }
}
