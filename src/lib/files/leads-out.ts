import { realpathSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { orAbsent } from './stamp.ts'

/**
 * Returns whether a path below a folder is, by a link in it or above it, a place that is not in that folder, or a hidden one: its name
 * or that of a folder above begins with a dot. So is a place that has `apart` in it, or is in it. What is not there leads nowhere.
 */
export function leadsOut(folder: string, path: string, apart?: string): boolean {
  const [top, place] = [realOf(folder), realOf(join(folder, path))]
  if (place === undefined || top === undefined || place === join(top, path)) return false
  const below = relative(top, place)
  if (below === '..' || below.startsWith(`..${sep}`) || below.split(sep).some((name) => name.startsWith('.'))) return true
  const other = apart === undefined ? undefined : (realOf(resolve(folder, apart)) ?? resolve(top, apart))
  return other !== undefined && (isWithin(place, other) || isWithin(other, place))
}

function isWithin(one: string, other: string): boolean {
  return `${one}${sep}`.startsWith(`${other}${sep}`)
}

function realOf(path: string): string | undefined {
  return orAbsent(() => realpathSync.native(path))
}
