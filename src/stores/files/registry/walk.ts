import { append } from '#lib/append.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import type { FileRegistry } from './file-registry.ts'
import type { Known } from './snapshot.ts'

/** Walks a folder in slices, between which other work runs; `onSlice` is called with the number of files so far. */
export async function walkInSlices(
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
