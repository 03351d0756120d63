import { composed } from '#lib/normal-form.ts'

/**
 * Returns whether a path of a commit is, on any system, a folder that git has no part in, or in it, or in its place. Both are
 * paths from the top of the working tree.
 */
export function isInClosed(folder: string, path: string): boolean {
  const [closed, other] = [`${folded(folder)}/`, `${folded(path)}/`]
  return other.startsWith(closed) || closed.startsWith(other)
}

/** The path as systems that ignore case, signs that nobody sees, or what ends a name, take it. */
function folded(path: string): string {
  return path.split('/').map(foldedName).join('/')
}

function foldedName(name: string): string {
  const shown = composed(name).replaceAll(/\p{Cf}/gu, '')
  return shown
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
    .toLowerCase()
    .toUpperCase()
}
