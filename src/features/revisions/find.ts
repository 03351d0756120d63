import type { Revision } from '#core/revision.ts'
import { parseRevisionName, revisionNamed } from '#core/revision-name.ts'
import { NotFound } from '#lib/errors.ts'
import type { History } from '../records/histories.ts'

/**
 * The revision that a parameter names, of those the reader may see; InvalidInput for what is no name, NotFound for what names
 * none.
 */
export function mustFind({ visible }: History, parameter: string, text: string): Revision {
  const revision = revisionNamed(visible, parseRevisionName(parameter, text))
  if (!revision) throw new NotFound('The revision was not found.', '`cms log` lists those there are.')
  return revision
}

/** The revision before, of those the reader may see. */
export function previous({ visible }: History, revision: Revision): Revision | undefined {
  return visible[visible.indexOf(revision) + 1]
}
