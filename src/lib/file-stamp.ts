import { type BigIntStats, lstatSync, statSync } from 'node:fs'

/** What tells one state of a file from another: size, mtime, ctime (nanoseconds) and inode. */
export type Stamp = string

/** The stamp of whatever is at an absolute path, links and folders too; undefined where nothing is. */
export function stampAt(real: string): Stamp | undefined {
  const stats = orAbsent(() => lstatSync(real, { bigint: true, throwIfNoEntry: false }))
  return stats && stampOf(stats)
}

/** The stamp of a file from its bigint stat (a float would not round-trip). */
export function stampOf(stats: BigIntStats): Stamp {
  return `${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.ino}`
}

/** Returns the size in bytes that a stamp tells of. */
export function sizeOf(stamp: Stamp): number {
  return Number(stamp.slice(0, stamp.indexOf(':')))
}

/**
 * Tells the folder at an absolute path from others that had it, or will; undefined where there is none. Its number is not enough: that of a folder that is
 * gone may be given again.
 */
export function identityAt(real: string): string | undefined {
  const stats = orAbsent(() => statSync(real, { bigint: true, throwIfNoEntry: false }))
  return stats && `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`
}

/** Whether a file changed so shortly before `time` (ms since 1970) that a change since might bear the same stamp: git's racy rule. */
export function isRacy(stamp: Stamp, time: number): boolean {
  if (time === Number.POSITIVE_INFINITY) return false
  const [, mtime = '0', ctime = '0'] = stamp.split(':')
  const changed = Math.max(Number(mtime), Number(ctime)) / 1e6
  return changed > time - 2000
}

/** What is gone, in the way of a folder, a loop of links or not for us to read is absent; any other error is thrown. */
export function orAbsent<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EINVAL', 'ENAMETOOLONG'].includes(code)) return undefined
    throw error
  }
}
