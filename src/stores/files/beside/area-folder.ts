import { type BigIntStats, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { orAbsent } from '#lib/file-stamp.ts'
import { composed, normalForm } from '#lib/normal-form.ts'

/** A file or folder of an area: its real path, and what the system says of it. */
export interface Found {
  readonly real: string
  readonly stats: BigIntStats
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII
const OTHER_LETTERS = /[^\x00-\x7f]/

/**
 * Returns what is in a folder under a name in NFC, in the case that the name has; links are what they are. The name on the disk may
 * be in NFD, as macOS writes it.
 */
export function entryIn(folder: string, name: string): Found | undefined {
  const found = statsAt(join(folder, name))
  if (found) return isSpelledSo(folder, name, found.stats) ? found : undefined
  const decomposed = OTHER_LETTERS.test(name) ? normalForm(name, 'NFD') : name
  return decomposed === name ? undefined : statsAt(join(folder, decomposed))
}

/** Returns whether a name in NFC stands for a name on the disk: `entryIn` finds it. */
export function isFound(name: string, onDisk: string): boolean {
  return name === onDisk || normalForm(name, 'NFD') === onDisk
}

/** Returns whether a folder is the work tree of a repository of its own. */
export function isRepository(folder: string): boolean {
  return statsAt(join(folder, '.git')) !== undefined
}

function statsAt(real: string): Found | undefined {
  const stats = orAbsent(() => lstatSync(real, { bigint: true, throwIfNoEntry: false }))
  return stats && { real, stats }
}

/** Returns whether a file's name has the case of `name`: a disk may take a name in any other for it. */
function isSpelledSo(folder: string, name: string, { dev, ino }: BigIntStats): boolean {
  const lower = name.toLowerCase()
  const other = statsAt(join(folder, lower === name ? name.toUpperCase() : lower))?.stats
  if (other?.ino !== ino || other.dev !== dev) return true
  return readdirSync(folder).some((one) => composed(one) === name)
}
