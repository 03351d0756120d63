import type { Access } from '#core/access/access.ts'
import { keyText } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { Conflict } from '#lib/errors.ts'

/** The message for a caller who may not know which record it is. */
const HIDDEN = 'One of the records can not be changed safely in the way its file is written: nothing was changed.'

/**
 * Names in the conflict of a write the document that caused it, for a caller who may know of it. A store names it only if there
 * are several.
 */
export function conflictOf(access: Access, changes: readonly Change[], error: Conflict): Conflict {
  if (!seesAll(access, changes)) return new Conflict(HIDDEN)
  const [only, ...others] = changes
  if (!only || others.length > 0) return error
  return new Conflict(`${keyText(only.key)}: ${error.message}`, error.conflict, error.hint)
}

/** Returns whether the reader may know of everything that a write affects. */
function seesAll(access: Access, changes: readonly Change[]): boolean {
  const kinds = new Set(changes.map(({ key }) => key.kind).filter((kind) => !kind.includes('/')))
  return [...kinds].every((kind) => access.may('content:read', kind) && access.may('content:drafts', kind))
}
