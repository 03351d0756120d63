import { plainPath } from '#core/permalink.ts'

/** Returns a path below that of the site, and its plain spelling; undefined for one that has none. */
export function pathBelow(base: string, path: string): { own: string; plain: string | undefined } {
  const own = base !== '' && (path === base || path.startsWith(`${base}/`)) ? path.slice(base.length) || '/' : path
  return { own, plain: plainPath(own) }
}

/** Returns whether a path has a trailing slash, a doubled one, or `index.html`: there is one spelling of each address. */
export function isOddlySpelt(path: string, plain: string): boolean {
  if (path === '/' || path === '') return false
  return path.endsWith('/') || path.endsWith('/index.html') || path.split('/').length !== plain.split('/').length
}
