import { lstatSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import type { IndexEntry } from '../index/bytes.ts'
import { git } from '../process.ts'
import type { Repository } from '../repository.ts'

/** The pattern of a line that is for files of one extension alone. */
const ONE_EXTENSION = /^[ \t]*\*(\.[\w.-]+)[ \t]/

/** The folders on the way down to one, from the top of the working tree, without the top. */
export function foldersOf(folder: string): string[] {
  return folder === '.' ? [] : [...foldersOf(dirname(folder)), folder]
}

/** The files of the working tree that may say what git keeps of these paths, from its top. */
export function attributePaths(paths: readonly string[]): string[] {
  const folders = ['', ...new Set(paths.flatMap((path) => foldersOf(dirname(path))))]
  return folders.map((folder) => posix.join(folder, '.gitattributes'))
}

/**
 * Returns whether a file that gives attributes to one of these paths has a text that matches. `entries` has those of
 * `attributePaths`, too: git takes such a file from the index where it is gone, and not at all where it is a link; files
 * elsewhere may be links.
 */
export function areMentioned(
  pattern: RegExp,
  { top, common, attributes }: Repository,
  paths: readonly string[],
  entries: ReadonlyMap<string, IndexEntry>,
): boolean {
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), '.config')
  const others = [join(common, 'info', 'attributes'), join(config, 'git', 'attributes'), '/etc/gitattributes']
  const endings = endingsOf(paths)
  const mentions = (file: string) =>
    statSync(file, { throwIfNoEntry: false })?.isFile() === true && pattern.test(linesFor(endings, readFileSync(file, 'utf8')))
  if ([...others, ...(attributes === undefined ? [] : [attributes])].some(mentions)) return true
  return attributePaths(paths).some((path) => {
    const isFile = lstatSync(join(top, path), { throwIfNoEntry: false })?.isFile()
    return isFile === undefined ? entries.has(path) : isFile && mentions(join(top, path))
  })
}

/** Drops the lines of attributes that are for files of another extension (`*.bat eol=crlf`): git need not be asked for those. */
function linesFor(endings: ReadonlySet<string>, text: string): string {
  const isForThese = (line: string) => {
    const ending = ONE_EXTENSION.exec(line)?.[1]?.toLowerCase()
    return ending === undefined || endings.has(ending)
  }
  return text.split('\n').filter(isForThese).join('\n')
}

/** All that the names of these files end with from a dot on, in small letters: git may be told to take both for one. */
function endingsOf(paths: readonly string[]): Set<string> {
  const endings = new Set<string>()
  for (const path of paths) {
    const name = posix.basename(path).toLowerCase()
    for (let at = name.indexOf('.'); at >= 0; at = name.indexOf('.', at + 1)) endings.add(name.slice(at))
  }
  return endings
}

/** The values of attributes as git names them: `set`, `unset`, `unspecified`, or a text. */
export type AttributeValues = ReadonlyMap<string, string>

/** Asks git for the attributes of paths. With `index`, the file of an index is asked, and not the working tree. */
export async function attributesOf(
  { top }: Repository,
  paths: readonly string[],
  names: readonly string[],
  index?: string,
): Promise<Map<string, AttributeValues>> {
  const input = paths.map((path) => `${path}\0`).join('')
  const args = ['check-attr', '-z', '--stdin', ...(index === undefined ? [] : ['--cached']), ...names]
  const env = index === undefined ? {} : { GIT_INDEX_FILE: index }
  const fields = (await git(top, args, { input, env })).toString('utf8').split('\0')
  const found = new Map<string, Map<string, string>>()
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', name = '', value = ''] = fields.slice(at, at + 3)
    const values = found.get(path) ?? new Map<string, string>()
    found.set(path, values.set(name, value))
  }
  return found
}
