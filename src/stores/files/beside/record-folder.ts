import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { RECORD_ENDINGS } from '#core/files/layout.ts'
import { atWorkSince, isAtWork, untilDone } from '#git/landing/checkout.ts'
import type { Repository } from '#git/repository.ts'
import { Unavailable } from '#lib/errors.ts'
import { orClosed } from './area-folder.ts'

const NAMES = RECORD_ENDINGS.flatMap((ending) => [`index.${ending}`, `index.${ending.toUpperCase()}`])

/**
 * Resolves with whether a record's `index` lies in a folder at this moment. While a git of another's makes files in it, that one
 * may come last: it is waited for. Throws Unavailable where that takes long.
 */
export async function isOfRecord(folder: string, repository: Repository | undefined): Promise<boolean> {
  // Before the look: a git that ends since has made the file.
  const wasAtWork = repository !== undefined && isAtWork(repository)
  if (holdsIndex(folder)) return true
  if (!wasAtWork || !isChanging(folder, repository)) return false
  await untilDone(repository)
  if (holdsIndex(folder)) return true
  if (isAtWork(repository) && isChanging(folder, repository)) {
    throw new Unavailable('A git command is changing the files of the site.', 2)
  }
  return holdsIndex(folder)
}

function holdsIndex(folder: string): boolean {
  return NAMES.some((name) => statsOf(join(folder, name))?.isFile())
}

/** Returns whether something came to a folder, or went, since git began. */
function isChanging(folder: string, repository: Repository): boolean {
  const [since, changed] = [atWorkSince(repository), statsOf(folder)?.ctimeNs]
  return since !== undefined && changed !== undefined && Number(changed) / 1e6 >= since
}

function statsOf(real: string) {
  return orClosed(
    () => lstatSync(real, { bigint: true, throwIfNoEntry: false }),
    () => undefined,
  )
}
