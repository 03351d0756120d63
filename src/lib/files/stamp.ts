import { type BigIntStats, lstatSync, statSync } from 'node:fs'

/** An identifier for the state of a file: size, mtime, ctime (nanoseconds) and inode. */
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

/** Returns the size in bytes that a stamp has. */
export function sizeOf(stamp: Stamp): number {
  return Number(stamp.slice(0, stamp.indexOf(':')))
}

/**
 * Identifies the file or folder at an absolute path; undefined if there is none. The inode alone is not enough: that of a removed
 * one may be used again.
 */
export function identityAt(real: string): string | undefined {
  const stats = orAbsent(() => statSync(real, { bigint: true, throwIfNoEntry: false }))
  return stats && `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`
}

/**
 * Returns whether a file changed so shortly before `time` (ms since 1970) that a change since might have the same stamp: git's
 * racy rule. A time in the future that somebody set is no reason: a change sets another.
 */
export function isRacy(stamp: Stamp, time: number): boolean {
  if (time === Number.POSITIVE_INFINITY) return false
  const [, mtime = '0'] = stamp.split(':')
  const since = time - 2000
  return changedAt(stamp) > since || (Number(mtime) / 1e6 > since && Number(mtime) / 1e6 <= time)
}

/** Returns when a file was last changed (ms since 1970) by the clock of its file system: nobody can set that time. */
export function changedAt(stamp: Stamp): number {
  return Number(stamp.split(':')[2]) / 1e6
}

/** Returns whether a file changed after `time` (ms since 1970). */
export function changedSince(stamp: Stamp, time: number): boolean {
  const [, mtime = '0', ctime = '0'] = stamp.split(':')
  return Math.max(Number(mtime), Number(ctime)) / 1e6 > time
}

/**
 * Returns undefined if a file is gone, below a path that is no folder, in a loop of links or of a kind that can't be read; any
 * other error is thrown.
 */
export function orAbsent<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EINVAL', 'ENAMETOOLONG'].includes(code)) return undefined
    throw error
  }
}
