import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/** The file of the output in which builds keep the list of what they wrote. */
export const MANIFEST = '.quire-build'
/** Files that builds of earlier versions left in the output when they were killed, by their names. */
export const LEFT_IN_PLACE = /^\.quire-\d+\.tmp$/
const NEVER = /(?:^|[\\/])(?:\.git|\.cms|node_modules)(?:[\\/]|$)/

/** Says why a site must not be written to a folder; undefined where it may. */
export function faultOf(path: string, root: string, sources: readonly string[]): string | undefined {
  if (isWithin(root, path)) return 'the site itself lies in it'
  const source = sources.find((folder) => isWithin(path, folder) || isWithin(folder, path))
  if (source) return `it and ${relative(root, source)} would mix`
  if (NEVER.test(isWithin(path, root) ? relative(root, path) : path)) return 'that folder belongs to another program'
  if (!existsSync(path)) return undefined
  if (!lstatSync(path).isDirectory()) return 'it is a file'
  const isOurs = isWithin(path, root) || existsSync(join(path, MANIFEST)) || readdirSync(path).length === 0
  return isOurs ? undefined : 'it lies outside of the site and holds files that no build wrote'
}

/** Tells whether a path is a folder or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Returns the path with the links of its existing part resolved. */
export function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const parent = dirname(path)
  return parent === path ? path : join(realPath(parent), path.slice(parent.length))
}
