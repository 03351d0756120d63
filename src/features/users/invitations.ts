import type { Access } from '#core/access/access.ts'
import type { Asked } from '#core/history/revision.ts'
import { parseKey } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import { givableHandles } from './rights.ts'
import { KIND, readUser } from './stored.ts'
import type { User } from './user.ts'
import type { Users } from './users.ts'

/** The least role there is: what an invitation by others than those who manage users gives. */
const LEAST = 'viewer'

/** Number of users that are looked up at once. */
const AT_ONCE = 500

/** Accounts that stand for invitations to teams, until the first sign-in by them. */
export class Invitations {
  readonly #store: Store
  readonly #users: Users

  constructor({ store, users }: { store: Store; users: Users }) {
    this.#store = store
    this.#users = users
  }

  /** Makes the account of an invitation, with the least role. Throws as `Users.create`. */
  make(access: Access, email: string, invitedTo: string, asked: Asked | undefined): Promise<User> {
    return this.#users.create({ email, role: LEAST, invitedTo }, access.author, givableHandles(access), asked)
  }

  /** The change that removes the account of an invitation to this team; undefined for one that is more than that by now. */
  async withdrawal(id: string, team: string): Promise<Change | undefined> {
    const key = parseKey(KIND, id)
    const head = key && (await this.#store.get(key))
    const user = head && readUser(head)
    if (!head || user?.invitedTo !== team || user.role !== LEAST) return undefined
    return { key: head.key, remove: true, expects: head.version }
  }

  /** Those of these ids that there are, by their ids. */
  async some(ids: readonly string[]): Promise<ReadonlyMap<string, User>> {
    const found = new Map<string, User>()
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const where = [{ field: 'id', op: 'in', value: ids.slice(at, at + AT_ONCE), as: 'text' } as const]
      const { items } = await this.#store.heads(KIND, { where })
      for (const head of items) {
        const user = readUser(head)
        if (user) found.set(user.id, user)
      }
    }
    return found
  }
}
