import { join } from 'node:path'
import { readableBytes } from '#lib/files/readable.ts'
import type { Repository } from '../repository.ts'

/** A layer begins with eight bytes, of which the seventh is the number of chunks; their table has twelve bytes a row (gitformat-commit-graph). */
const HEADER = 8
const ROW = 12
/** The chunk with which a record's log skips the commits that did not touch it. */
const CHANGED_PATHS = 'BIDX'

/**
 * Returns the kind of commit graph that git keeps for quick walks: `none`, one `without` the paths of commits in part of it, or a
 * `whole` one (which may be behind).
 */
export function commitGraph({ common }: Repository): 'none' | 'without' | 'whole' {
  const info = join(common, 'objects', 'info')
  const chain =
    readableBytes(join(info, 'commit-graphs', 'commit-graph-chain'))
      ?.toString('latin1')
      .split('\n')
      .filter(Boolean) ?? []
  const layers = chain.map((hash) => readableBytes(join(info, 'commit-graphs', `graph-${hash}.graph`)))
  const single = readableBytes(join(info, 'commit-graph'))
  const all = single ? [single, ...layers] : layers
  if (all.length === 0 || all.includes(undefined)) return 'none'
  return all.every((layer) => layer && chunks(layer).includes(CHANGED_PATHS)) ? 'whole' : 'without'
}

function chunks(layer: Buffer): string[] {
  return Array.from({ length: layer[6] ?? 0 }, (_, n) => layer.toString('latin1', HEADER + n * ROW, HEADER + n * ROW + 4))
}
