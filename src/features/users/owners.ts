import type { Change, Store } from '#core/store.ts'
import { Conflict } from '#lib/errors.ts'
import { KIND, readUser } from './stored.ts'
import type { User } from './user.ts'

/** Whether they are one of the owners that a site needs. */
export function isOwner({ role, disabled }: Pick<User, 'role' | 'disabled'>): boolean {
  return role === 'owner' && !disabled
}

/**
 * What a write has to bear that takes from this user what makes them an owner: another who is one, as they are now. It changes nothing of them, and the write
 * fails as Stale where they change meanwhile. Throws Conflict where there is no other.
 */
export async function otherOwner(store: Store, user: User): Promise<Change> {
  const { items } = await store.heads(KIND, { where: [{ field: 'role', op: 'eq', value: 'owner', as: 'text' }] })
  const other = items.find((head) => head.key.id !== user.id && isOwner(readUser(head) ?? NOBODY))
  if (other) return { key: other.key, put: {}, expects: other.version }
  throw new Conflict('This is the last owner, and one has to stay. Make somebody else an owner first.')
}

const NOBODY = { role: '', disabled: true }
