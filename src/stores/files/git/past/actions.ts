import type { Action } from '../../../../core/revision.ts'
import type { Message } from '../message.ts'

/** What a commit did to one record, whatever it says of itself. */
export interface Deed {
  /** Whether the record was nowhere before; undefined where that can't be known (the oldest commit of a shallow clone). */
  readonly isNew: boolean | undefined
  readonly isGone: boolean
  /** The text of the record's key at that time: `posts/a`. */
  readonly owner: string
}

const OF_NEW: ReadonlySet<Action> = new Set(['created', 'restored', 'rolled_back', 'published', 'external'])
const OF_CHANGED: ReadonlySet<Action> = new Set(['updated', 'published', 'unpublished', 'rolled_back', 'restored', 'external'])

/** What a revision is called: what its commit says, where that fits the record (a commit may be over several), else what the commit did to it. */
export function actionOf({ action, number, from }: Pick<Message, 'action' | 'number' | 'from'>, deed: Deed): Action {
  if (action === undefined && number === undefined) return 'external'
  const plain = plainAction(from, deed)
  if (action === undefined || action === plain) return plain
  if (deed.isGone) return action === 'external' ? action : plain
  if (deed.isNew === undefined) return action === 'deleted' ? plain : action
  return (deed.isNew ? OF_NEW : OF_CHANGED).has(action) ? action : plain
}

function plainAction(from: string | undefined, { isNew, isGone, owner }: Deed): Action {
  if (isGone) return from === owner ? 'moved' : 'deleted'
  if (isNew) return from === undefined || from === owner ? 'created' : 'moved'
  return 'updated'
}
