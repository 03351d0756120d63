import { lstatSync } from 'node:fs'
import type { IndexEntry } from '#git/index/bytes.ts'
import type { Repository } from '#git/repository.ts'
import { Conflict } from '#lib/errors.ts'
import type { Tree } from '../disk/tree.ts'
import type { Places } from '../registry/places.ts'
import type { Step } from '../writing/steps.ts'

/** Files of the site by their paths from its root: those at which documents may be that a write makes, and are not there. */
export function placesOfNew(steps: readonly Step[], places: Places): string[] {
  const made = steps.filter(({ before, after }) => before === undefined && after !== undefined)
  return [...new Set(made.flatMap(({ path, key }) => [path, ...places.candidates(key)]))]
}

/**
 * Throws Conflict where git holds one of these files and is told to leave it out of the folder, as a sparse checkout does: the
 * document is there for all others, and must not be replaced, nor get a twin.
 */
export function refuseLeftOut(
  { repository, tree }: { readonly repository: Repository; readonly tree: Tree },
  paths: readonly string[],
  entries: ReadonlyMap<string, IndexEntry>,
  says = { not: 'it is not replaced', do: 'Choose another id, or have' },
): void {
  for (const path of paths) {
    const full = `${repository.prefix}${path}`
    const mark = entries.get(full)?.overlooked
    if (mark === undefined || lstatSync(tree.real(path), { throwIfNoEntry: false })) continue
    throw new Conflict(
      `"${full}" is in the repository, but left out of this folder (${mark}): ${says.not}.`,
      undefined,
      `${says.do} the file here: git update-index --no-${mark} ${full} && git restore ${full}`,
    )
  }
}
