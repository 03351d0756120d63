import type { Change, Store } from '#core/store.ts'
import { Conflict } from '#lib/errors.ts'
import { KIND, readUser } from './stored.ts'
import type { User } from './user.ts'

/** Returns whether a user is one of the owners that a site needs. */
export function isOwner({ role, disabled }: Pick<User, 'role' | 'disabled'>): boolean {
  return role === 'owner' && !disabled
}

/**
 * Finds the change that must be part of any write after which this user is no longer an owner: one of another owner, as they are
 * now. It changes nothing of them, and the write fails as Stale if they change meanwhile. Throws Conflict if there is no other
 * owner.
 */
export async function otherOwner(store: Store, user: User): Promise<Change> {
  const { items } = await store.heads(KIND, { where: [{ field: 'role', op: 'eq', value: 'owner', as: 'text' }] })
  const other = items.find((head) => head.key.id !== user.id && isOwner(readUser(head) ?? NOBODY))
  if (other) return { key: other.key, put: {}, expects: other.version }
  throw new Conflict('This is the last owner, and one has to stay. Make somebody else an owner first.')
}

const NOBODY = { role: '', disabled: true }
