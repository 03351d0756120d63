import type { Problem } from '#core/document.ts'
import type { Kind } from '#core/key.ts'
import { append } from '#lib/append.ts'
import type { Misnamed } from './misnamed.ts'
import type { Places } from './places.ts'
import type { Entry, Registry } from './registry.ts'

/** The content of a folder when it was last checked. */
export interface Folder {
  files: Map<string, Entry>
  folders: Set<string>
  /** Names that are in the way, and why. */
  problems: Map<string, Problem>
}

interface Deps {
  readonly places: Places
  readonly registry: Registry
  readonly misnamed: Misnamed
}

/** Returns the problems with files and folders, of one kind or of all; ordered by file. */
export function problemsIn(folders: ReadonlyMap<string, Folder>, deps: Deps, only?: Kind): Problem[] {
  const { places, registry, misnamed } = deps
  const isWanted = (kind: Kind | undefined) => only === undefined || kind === only
  const problems = misnamed.all().flatMap(({ kind, problem }) => (isWanted(kind) ? problem : []))
  for (const [path, folder] of folders) {
    if (isWanted(places.ofFolder(path)?.kind)) append(problems, folder.problems.values())
    for (const entry of folder.files.values()) {
      const problem = isWanted(entry.head.key.kind) ? registry.problem(entry) : undefined
      if (problem) problems.push(problem)
    }
  }
  return problems.sort((a, b) => (a.file < b.file ? -1 : 1))
}
