import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Conflict } from '#lib/errors.ts'
import type { IndexEntry } from '../index/bytes.ts'
import { UNMERGED } from '../index/file.ts'
import type { Repository } from '../repository.ts'
import { areMentioned, attributesOf, foldersOf } from './attributes.ts'

/** Attributes that make git keep other bytes than the file has. */
const CHANGING = ['filter', 'working-tree-encoding', 'ident']
const MENTIONS = /filter|working-tree-encoding|ident/

/**
 * Throws Conflict where a file can't be committed as the bytes it has: it lies in a repository within this one, is a link or a submodule to git, or an
 * attribute has git keep something else in its place, which is no matter for those of `verbatim`. Paths are from the top of the working tree; `entries` has
 * those of `attributePaths`, too.
 */
export async function checkPlaces(
  repository: Repository,
  paths: readonly string[],
  entries: ReadonlyMap<string, IndexEntry>,
  verbatim: ReadonlySet<string> = new Set(),
): Promise<void> {
  const folders = new Set(paths.flatMap((path) => foldersOf(dirname(path))))
  for (const folder of folders) if (existsSync(join(repository.top, folder, '.git'))) throw inSubmodule(folder)
  for (const path of paths) {
    const mode = entries.get(path)?.mode
    if (mode === UNMERGED) throw unmerged(path)
    if (mode !== undefined && !mode.startsWith('100')) throw new Conflict(`"${path}" is a link or a submodule in the repository.`)
  }
  await refuseFiltered(
    repository,
    paths.filter((path) => !verbatim.has(path)),
    entries,
  )
}

/** Throws Conflict where an attribute has git keep something else than the bytes of one of these files; as in `checkPlaces`. */
export async function refuseFiltered(
  repository: Repository,
  paths: readonly string[],
  entries: ReadonlyMap<string, IndexEntry>,
): Promise<void> {
  const [filtered] = paths.length > 0 ? await changedByAttributes(repository, paths, entries) : []
  if (filtered !== undefined)
    throw new Conflict(`"${filtered}" has a git attribute (${CHANGING.join(', ')}) that Quire can't save with.`)
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

/** Those of the paths for which git keeps other bytes than the file has. `entries` has those of `attributePaths`, too. */
export async function changedByAttributes(
  repository: Repository,
  paths: readonly string[],
  entries: ReadonlyMap<string, IndexEntry>,
): Promise<Set<string>> {
  if (!areMentioned(MENTIONS, repository, paths, entries)) return new Set()
  const found = await attributesOf(repository, paths, CHANGING)
  const isChanged = (path: string) => [...(found.get(path)?.values() ?? [])].some((value) => !/^uns(?:pecified|et)$/.test(value))
  return new Set(paths.filter(isChanged))
}
