import { isUtf8 } from 'node:buffer'
import { Conflict } from '#lib/errors.ts'
import { PathAliases } from './path-aliases.ts'

const GIT = new PathAliases('.git')
/** No other path has a part that git refuses. */
const SUSPECT = /(?:^|[/\\])(?:[/.]|$)|g|~|[^\0-\x7f]/i

/**
 * Checks that a path of a tree, from its top, names a file below that top and nothing of `.git`, by whatever name a file system takes
 * for it. Trees may hold any name: git makes no others, and checks none that it fetches.
 */
export function isSafePath(path: string): boolean {
  if (!SUSPECT.test(path)) return true
  return path.split('/').every((name) => name !== '' && name !== '.' && name.split('\\').every(isSafeName))
}

function isSafeName(name: string): boolean {
  return name !== '..' && GIT.below(name) === undefined
}

/**
 * Throws Conflict where one of the paths that git told, separated by NULs among its other words, is none that it would check out, or is
 * not in UTF-8 and would get another name.
 */
export function refuseUnsafe(told: Buffer, paths: readonly string[]): void {
  const unsafe = paths.find((path) => !isSafePath(path))
  if (unsafe !== undefined) {
    const hint = '`git fsck` names the trees that hold it. Nobody but an attacker or a broken tool makes such: see who pushed it.'
    throw new Conflict(`Commits bring ${JSON.stringify(unsafe)}, a path that git checks out nowhere.`, { paths: [unsafe] }, hint)
  }
  if (isUtf8(told)) return
  const [garbled = ''] = paths.filter((path) => path.includes('\uFFFD'))
  const hint = 'Rename it there, or bring it here with `git pull`.'
  throw new Conflict(`Commits bring ${JSON.stringify(garbled)}, whose name is not in UTF-8.`, { paths: [garbled] }, hint)
}
