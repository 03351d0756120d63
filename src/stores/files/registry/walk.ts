import { isAtWork, isHeldForUs, steadiness, untilDone } from '#git/landing/checkout.ts'
import type { Repository } from '#git/repository.ts'
import { append } from '#lib/append.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import type { FileRegistry } from './file-registry.ts'
import type { Known } from './snapshot.ts'

/** Walks of a folder that follow each other where each finds that another git has worked meanwhile. */
const MOST_WALKS = 5

interface Walk {
  readonly known: Known | undefined
  /** Repository whose git processes may change the files. */
  readonly repository: Repository | undefined
  /** The index that a git which runs this process as a hook has locked. */
  readonly heldIndex: string | undefined
  /** A callback with the number of files so far. */
  readonly onSlice: ((files: number) => void) | undefined
}

/**
 * Walks a folder, and again where another's git has worked meanwhile, a few times at most: some files are from before its work then.
 * One that is at work for long, or that runs this process, is not waited for.
 */
export async function walkWhole(
  registry: FileRegistry,
  path: string,
  { known, repository, heldIndex, onSlice }: Walk,
): Promise<void> {
  for (let walks = 1; ; walks++) {
    const isSteady = repository && steadiness(repository)
    await walkInSlices(registry, path, walks === 1 ? known : undefined, onSlice)
    if (!repository || !isSteady || isSteady() || walks === MOST_WALKS || isHeldForUs(repository, heldIndex)) return
    await untilDone(repository)
    if (isAtWork(repository)) return
  }
}

/** Walks a folder in slices, between which other work runs. */
async function walkInSlices(
  registry: FileRegistry,
  path: string,
  known: Known | undefined,
  onSlice?: (files: number) => void,
): Promise<void> {
  const slices = new Slices()
  const left = [path]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    append(left, registry.look(next, known))
    if (!slices.isOver) continue
    onSlice?.(registry.folders.size)
    await slices.pause()
  }
}
