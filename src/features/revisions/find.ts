import type { Revision } from '#core/revision.ts'
import { parseRevisionName, revisionNamed } from '#core/revision-name.ts'
import { NotFound } from '#lib/errors.ts'
import type { History } from '../records/histories.ts'

/**
 * Finds the revision that a parameter names among those the reader may see; throws InvalidInput for an invalid name, NotFound if
 * no revision has it.
 */
export function mustFind({ visible }: History, parameter: string, text: string): Revision {
  const revision = revisionNamed(visible, parseRevisionName(parameter, text))
  if (!revision) throw new NotFound('The revision was not found.', '`cms log` lists those there are.')
  return revision
}

/** Returns the revision before among those the reader may see. */
export function previous({ visible }: History, revision: Revision): Revision | undefined {
  return visible[visible.indexOf(revision) + 1]
}
