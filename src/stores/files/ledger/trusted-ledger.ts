import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#lib/clock.ts'
import { Unavailable } from '#lib/errors.ts'
import type { PrivateTrust } from '../disk/private-trust.ts'
import { FilesLedger } from './ledger.ts'

const NAME = 'ledger.log'

/**
 * Opens the ledger in a private folder. What asks it gets Unavailable where its file came by git: a fact in it may be that somebody
 * has signed in.
 */
export function openLedger(privateDir: string, clock: Clock, trust: PrivateTrust): Promise<FilesLedger> {
  const file = join(privateDir, NAME)
  return FilesLedger.open(file, clock, () => {
    const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false })
    if (!stats || trust.has(NAME, stats)) return
    if (!trust.isTracked(NAME)) throw new Unavailable('A git command is changing the files of the site.', 2)
    throw new Unavailable(
      `git tracks ${file}: nothing that comes by git may say who has signed in.`,
      60,
      `Run: git rm --cached ${file} — and commit that. Where it is not yours, remove it: git rm -f.`,
    )
  })
}

/** Removes the ledger in a private folder that no process has open. */
export function removeLedger(privateDir: string): void {
  rmSync(join(privateDir, NAME), { force: true })
}
