import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditEntry } from '#core/audit-log.ts'
import { Unavailable } from '#lib/errors.ts'
import { PrivateTrust } from '../disk/private-trust.ts'
import { FilesAuditLog } from './audit-log.ts'

/**
 * Opens the audit log in a private folder. What asks it gets Unavailable where a file of it came by git: whoever may push would else
 * say who did what.
 */
export function openAuditLog(privateDir: string, trust: PrivateTrust): FilesAuditLog {
  const admit = (name: string) => {
    const file = join(privateDir, name)
    const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false })
    if (!stats || trust.has(name, stats)) return
    if (!trust.isTracked(name)) throw new Unavailable('A git command is changing the files of the site.', 2)
    throw new Unavailable(
      `git tracks ${file}: nothing that comes by git may say who did what.`,
      60,
      `Run: git rm --cached ${file} — and commit that. Where it is not yours, remove it: git rm -f.`,
    )
  }
  return new FilesAuditLog({ privateDir, admit })
}

/** Adds an entry to the log in a private folder, for who has not opened the site. */
export async function appendToAuditLog(privateDir: string, entry: AuditEntry): Promise<void> {
  await openAuditLog(privateDir, new PrivateTrust(privateDir)).append([entry])
}
