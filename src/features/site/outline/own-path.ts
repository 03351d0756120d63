import { plainPath } from '#core/permalink.ts'

/** Returns a path below that of the site, and its plain spelling; undefined for one that has none. */
export function pathBelow(base: string, path: string): { own: string; plain: string | undefined } {
  const own = base !== '' && (path === base || path.startsWith(`${base}/`)) ? path.slice(base.length) || '/' : path
  return { own, plain: plainPath(own) }
}

/**
 * Returns whether a path that leads to an address is another spelling of it: with a trailing slash or without one, with a doubled
 * one, or with `index.html`.
 */
export function isOddlySpelt(path: string, address: string): boolean {
  if (path === '/' || path === '') return false
  if (path.endsWith('/index.html') || path.endsWith('/') !== address.endsWith('/')) return true
  return path.split('/').length !== address.split('/').length
}
