import { type BigIntStats, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { orAbsent } from '#lib/files/stamp.ts'
import { composed, normalForm } from '#lib/text/normal-form.ts'

/** A file or folder of an area: its real path, and what the system says of it. */
export interface Found {
  readonly real: string
  readonly stats: BigIntStats
}

/** A listener for what the system does not let us reach; what it throws is thrown. */
export type OnClosed = (error: unknown) => void

// biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII
const OTHER_LETTERS = /[^\x00-\x7f]/

/**
 * Returns what is in a folder under a name in NFC, in the case that the name has; links are what they are. The name on the disk may
 * be in NFD, as macOS writes it.
 */
export function entryIn(folder: string, name: string, onClosed: OnClosed): Found | undefined {
  const found = statsAt(join(folder, name), onClosed)
  if (found) return isSpelledSo(folder, name, found.stats, onClosed) ? found : undefined
  const decomposed = OTHER_LETTERS.test(name) ? normalForm(name, 'NFD') : name
  return decomposed === name ? undefined : statsAt(join(folder, decomposed), onClosed)
}

/** Returns whether a name in NFC stands for a name on the disk: `entryIn` finds it. */
export function isFound(name: string, onDisk: string): boolean {
  return name === onDisk || normalForm(name, 'NFD') === onDisk
}

/** Returns whether a folder is the work tree of a repository of its own, or can't be entered. */
export function isForeign(folder: string, onClosed: OnClosed): boolean {
  let isClosed = false
  const found = statsAt(join(folder, '.git'), (error) => {
    isClosed = true
    onClosed(error)
  })
  return isClosed || found !== undefined
}

/** As `orAbsent`; undefined also for what the system does not let us reach. */
export function orClosed<T>(read: () => T, onClosed: OnClosed): T | undefined {
  try {
    return orAbsent(read)
  } catch (error) {
    if (!isClosed(error)) throw error
    onClosed(error)
    return undefined
  }
}

/** Returns whether an error says that the system does not let us reach a file. */
export function isClosed(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')
}

function statsAt(real: string, onClosed: OnClosed): Found | undefined {
  const stats = orClosed(() => lstatSync(real, { bigint: true, throwIfNoEntry: false }), onClosed)
  return stats && { real, stats }
}

/** Returns whether a file's name has the case of `name`: a disk may take a name in any other for it. */
function isSpelledSo(folder: string, name: string, { dev, ino }: BigIntStats, onClosed: OnClosed): boolean {
  const lower = name.toLowerCase()
  const other = statsAt(join(folder, lower === name ? name.toUpperCase() : lower), onClosed)?.stats
  if (other?.ino !== ino || other.dev !== dev) return true
  return (orClosed(() => readdirSync(folder), onClosed) ?? []).some((one) => composed(one) === name)
}
