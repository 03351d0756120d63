import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { Conflict } from '#lib/errors.ts'
import type { IndexEntry } from './index/bytes.ts'
import { UNMERGED } from './index/file.ts'
import { git } from './process.ts'
import type { Repository } from './repository.ts'

/** Attributes that make git keep other bytes than the file has. */
const CHANGING = ['filter', 'working-tree-encoding', 'ident']
const MENTIONS = /filter|working-tree-encoding|ident/

/**
 * Throws Conflict where a file can't be committed as the bytes it has: it lies in a repository within this one, is a link or a submodule to git, or an
 * attribute has git keep something else in its place. Paths are from the top of the working tree; `entries` has those of `attributePaths`, too.
 */
export async function checkPlaces(
  repository: Repository,
  paths: readonly string[],
  entries: ReadonlyMap<string, IndexEntry>,
): Promise<void> {
  const folders = new Set(paths.flatMap((path) => foldersOf(dirname(path))))
  for (const folder of folders) if (existsSync(join(repository.top, folder, '.git'))) throw inSubmodule(folder)
  for (const path of paths) {
    const mode = entries.get(path)?.mode
    if (mode === UNMERGED) throw unmerged(path)
    if (mode !== undefined && !mode.startsWith('100')) throw new Conflict(`"${path}" is a link or a submodule in the repository.`)
  }
  const [filtered] = await changedByAttributes(repository, paths, entries)
  if (filtered !== undefined)
    throw new Conflict(`"${filtered}" has a git attribute (${CHANGING.join(', ')}) that Quire can't save with.`)
}

/** The folders on the way down to one, from the top of the working tree, without the top. */
function foldersOf(folder: string): string[] {
  return folder === '.' ? [] : [...foldersOf(dirname(folder)), folder]
}

function unmerged(path: string): Conflict {
  return new Conflict(
    `"${path}" has a conflict in git that is not resolved yet.`,
    undefined,
    `Resolve it, then run: git add ${path}`,
  )
}

function inSubmodule(folder: string): Conflict {
  return new Conflict(
    `The folder "${folder}" is a repository of its own.`,
    undefined,
    'Take it out of the content, or remove its .git.',
  )
}

/** The files of the working tree that may say what git keeps of these paths, from its top. */
export function attributePaths(paths: readonly string[]): string[] {
  const folders = ['', ...new Set(paths.flatMap((path) => foldersOf(dirname(path))))]
  return folders.map((folder) => posix.join(folder, '.gitattributes'))
}

/** Those of the paths for which git keeps other bytes than the file has. `entries` has those of `attributePaths`, too. */
export async function changedByAttributes(
  repository: Repository,
  paths: readonly string[],
  entries: ReadonlyMap<string, IndexEntry>,
): Promise<Set<string>> {
  if (!mayChange(repository, attributePaths(paths), entries)) return new Set()
  const { top } = repository
  const input = paths.map((path) => `${path}\0`).join('')
  const fields = (await git(top, ['check-attr', '-z', '--stdin', ...CHANGING], { input })).toString('utf8').split('\0')
  const changed = new Set<string>()
  for (let at = 0; at + 2 < fields.length; at += 3) {
    if (!['unspecified', 'unset'].includes(fields[at + 2] ?? '')) changed.add(fields[at] ?? '')
  }
  return changed
}

/** Git takes a file of the working tree from the index where it is gone, and not at all where it is a link; the others may be links. */
function mayChange(
  { top, common, attributes }: Repository,
  own: readonly string[],
  entries: ReadonlyMap<string, IndexEntry>,
): boolean {
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), '.config')
  const others = [join(common, 'info', 'attributes'), join(config, 'git', 'attributes'), '/etc/gitattributes']
  if ([...others, ...(attributes === undefined ? [] : [attributes])].some(mentions)) return true
  return own.some((path) => {
    const isFile = lstatSync(join(top, path), { throwIfNoEntry: false })?.isFile()
    return isFile === undefined ? entries.has(path) : isFile && mentions(join(top, path))
  })
}

function mentions(file: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false
  return MENTIONS.test(readFileSync(file, 'utf8'))
}
