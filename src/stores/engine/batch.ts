import type { Author } from '#core/document.ts'
import type { Note } from '#core/history/revision.ts'
import { isPrivate } from '#core/key.ts'
import type { Change } from '#core/store.ts'

/** Changes that are written as one, and by whom. */
export interface Batch {
  readonly changes: readonly Change[]
  readonly by: Author
  readonly note: Note
}

/** Returns whether changes are private. Throws where they are not all content or all private. */
export function arePrivate(changes: readonly Change[]): boolean {
  const [first, ...others] = new Set(changes.map(({ key }) => isPrivate(key.kind)))
  if (others.length > 0) throw new Error('A batch is all content or all private.')
  return first === true
}
