import type { Revision } from '#core/history/revision.ts'
import { mustFindRevision } from '#core/history/revision-name.ts'
import type { History } from '../records/histories.ts'

/** Finds the revision that a parameter names, as `mustFindRevision`, among those of a record that the reader may see. */
export function mustFind({ visible }: History, parameter: string, text: string): Revision {
  return mustFindRevision(visible, parameter, text)
}

/** Returns the revision before among those the reader may see. */
export function previous({ visible }: History, revision: Revision): Revision | undefined {
  return visible[visible.indexOf(revision) + 1]
}
