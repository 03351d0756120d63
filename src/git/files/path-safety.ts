import { isUtf8 } from 'node:buffer'
import { Conflict } from '#lib/errors.ts'
import { PathAliases } from './path-aliases.ts'

const GIT = new PathAliases('.git')
/** As a link it would lead git to settings outside the tree. */
const MODULES = new PathAliases('.gitmodules')
/** No other path has a part that git refuses. */
const SUSPECT = /(?:^|[/\\])(?:[/.]|$)|g|~|[^\0-\x7f]/i

/**
 * Checks that a path of a tree, from its top, names a file below that top and nothing of `.git`, by whatever name a file system takes
 * for it; a link is not to be `.gitmodules` either. Trees may hold any name: git makes no others, and checks none that it fetches.
 */
export function isSafePath(path: string, isLink = false): boolean {
  if (!SUSPECT.test(path)) return true
  const isSafeName = (name: string) =>
    name !== '..' && GIT.below(name) === undefined && !(isLink && MODULES.below(name) !== undefined)
  return path.split('/').every((name) => name !== '' && name !== '.' && name.split('\\').every(isSafeName))
}

/**
 * Throws Conflict where one of the paths that git told, separated by NULs among its other words, is none that it would check out, or is
 * not in UTF-8 and would get another name. `links` are those of the paths that are links from then on.
 */
export function refuseUnsafe(told: Buffer, paths: readonly string[], links: ReadonlySet<string> = new Set()): void {
  const unsafe = paths.find((path) => !isSafePath(path, links.has(path)))
  if (unsafe !== undefined) {
    const hint = '`git fsck` names the trees that hold it. Nobody but an attacker or a broken tool makes such: see who pushed it.'
    throw new Conflict(`Commits bring ${JSON.stringify(unsafe)}, a path that git checks out nowhere.`, { paths: [unsafe] }, hint)
  }
  if (isUtf8(told)) return
  const [garbled = ''] = paths.filter((path) => path.includes('\uFFFD'))
  const hint = 'Rename it there, or bring it here with `git pull`.'
  throw new Conflict(`Commits bring ${JSON.stringify(garbled)}, whose name is not in UTF-8.`, { paths: [garbled] }, hint)
}
