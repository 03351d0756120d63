import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the package, with `/` at its end: the nearest above this module that holds a `package.json`. */
export const packageRoot: URL = rootAbove(import.meta.url)

/** True in the bundle that `npm run build` makes, false where the sources run as they are. */
export const isBundle = !/\/lib\/package\.[jt]s$/.test(import.meta.url)

/** Returns the folder of the program's own code, with `/` at its end: that of the bundle, or of the sources. */
export function programFolder(): URL {
  return isBundle ? new URL('dist/', packageRoot) : new URL('../', import.meta.url)
}

/**
 * Returns the address of a module that is started by itself, as a worker is. Each is an entry of the bundle, at the path it has
 * among the sources.
 */
export function moduleAddress(path: string): URL {
  return new URL(`${path}${extname(import.meta.url)}`, programFolder())
}

/** Returns the folder of the templates that ship, or one below it, with a separator at its end. */
export function shippedTemplates(name = ''): string {
  return fileURLToPath(new URL(`templates/${name}${name ? '/' : ''}`, packageRoot))
}

function rootAbove(address: string): URL {
  for (let folder = new URL('./', address); ; folder = new URL('../', folder)) {
    if (existsSync(new URL('package.json', folder))) return folder
    if (folder.pathname === '/') throw new Error(`There is no package.json above ${address}.`)
  }
}
