import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
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
 * attribute has git keep something else in its place. Paths are from the top of the working tree.
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
  const [filtered] = await changedByAttributes(repository, paths)
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

/** Those of the paths for which git keeps other bytes than the file has. */
export async function changedByAttributes({ top, common }: Repository, paths: readonly string[]): Promise<Set<string>> {
  const folders = new Set(paths.flatMap((path) => foldersOf(dirname(path))))
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), '.config')
  const files = [
    ...['', ...folders].map((folder) => join(top, folder, '.gitattributes')),
    ...[join(common, 'info', 'attributes'), join(config, 'git', 'attributes'), '/etc/gitattributes'],
  ]
  if (!files.some(mentions)) return new Set()
  const input = paths.map((path) => `${path}\0`).join('')
  const fields = (await git(top, ['check-attr', '-z', '--stdin', ...CHANGING], { input })).toString('utf8').split('\0')
  const changed = new Set<string>()
  for (let at = 0; at + 2 < fields.length; at += 3) {
    if (!['unspecified', 'unset'].includes(fields[at + 2] ?? '')) changed.add(fields[at] ?? '')
  }
  return changed
}

function mentions(file: string): boolean {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return false
  return MENTIONS.test(readFileSync(file, 'utf8'))
}
