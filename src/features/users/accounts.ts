import type { Access } from '#core/access/access.ts'
import type { Asked } from '#core/history/revision.ts'
import type { Mailer, Message } from '#core/mail.ts'
import { type ListMeta, metaOf, type Paging } from '#http/requests/paging.ts'
import type { Clock } from '#lib/clock.ts'
import { NotFound } from '#lib/errors.ts'
import type { NewUser } from './input.ts'
import { givableHandles, mustCover, mustMay } from './rights.ts'
import type { UserView } from './schema.ts'
import type { User, UserChanges } from './user.ts'
import type { Users } from './users.ts'

/** Milliseconds that an invitation is valid. */
export const INVITATION_LIFE = 7 * 86_400_000

/** The dependencies of accounts. */
export interface AccountDeps {
  readonly users: Users
  readonly mailer: Mailer
  readonly clock: Clock
}

/** The users of a site, for one caller at a time: nobody grants more than they have, or changes a user who has more. */
export class Accounts {
  readonly #users: Users
  readonly #mailer: Mailer
  readonly #clock: Clock

  constructor({ users, mailer, clock }: AccountDeps) {
    this.#users = users
    this.#mailer = mailer
    this.#clock = clock
  }

  /** A part of the list of users, by their addresses. */
  async list(access: Access, paging: Paging): Promise<{ data: UserView[]; meta: ListMeta }> {
    mustMay(access, 'users:read')
    const { page, perPage } = paging
    const { items, total } = await this.#users.page({ offset: (page - 1) * perPage, limit: perPage })
    return { data: items.map(viewOf), meta: metaOf(total, paging) }
  }

  async get(access: Access, id: string): Promise<UserView> {
    mustMay(access, 'users:read')
    const user = await this.#users.byId(id)
    if (!user) throw new NotFound('The user was not found.')
    return viewOf(user)
  }

  /** Makes a user, and has an invitation sent to them. */
  async create(access: Access, input: Omit<NewUser, 'passwordHash'>, asked?: Asked): Promise<UserView> {
    mustMay(access, 'users:write')
    mustCover(this.#users.roles, access, input.role ?? 'viewer')
    const user = await this.#users.create(input, access.author, givableHandles(access), asked)
    try {
      await this.#mailer.send(this.invitation(user))
    } catch (error) {
      // A second call must not fail because the address is taken.
      await this.#users.remove(user.id, access.author, undefined, asked)
      throw error
    }
    return viewOf(user)
  }

  /** Sends the invitation to who has an account. Throws NotFound for who has none. */
  async send(id: string): Promise<void> {
    const user = await this.#users.byId(id)
    if (!user) throw new NotFound('The user was not found.')
    await this.#mailer.send(this.invitation(user))
  }

  /** The message that invites a user. */
  invitation({ email }: User): Message {
    return { template: 'invitation', to: email, data: {}, until: this.#clock.now() + INVITATION_LIFE }
  }

  /** Changes a user. Who does is answered with all of them, and so needs the right to read users. */
  async update(access: Access, id: string, changes: UserChanges, asked?: Asked): Promise<UserView> {
    mustMay(access, 'users:read')
    mustMay(access, 'users:write')
    const { role } = changes
    const check = (user: User) => {
      mustCover(this.#users.roles, access, user.role)
      if (role !== undefined && role !== user.role) mustCover(this.#users.roles, access, role)
    }
    return viewOf(await this.#users.update(id, changes, access.author, check, asked))
  }

  /** Ends all that a user is signed in with. */
  async signOut(access: Access, id: string): Promise<void> {
    await this.#covered(access, id)
    await this.#users.endSessions(id, access.author)
  }

  /** Has another invitation sent to a user. */
  async invite(access: Access, id: string): Promise<void> {
    await this.#mailer.send(this.invitation(await this.#covered(access, id)))
  }

  /** The user whom the caller may change. */
  async #covered(access: Access, id: string): Promise<User> {
    mustMay(access, 'users:write')
    const user = await this.#users.byId(id)
    if (!user) throw new NotFound('The user was not found.')
    mustCover(this.#users.roles, access, user.role)
    return user
  }

  async remove(access: Access, id: string, asked?: Asked): Promise<UserView> {
    mustMay(access, 'users:write')
    const check = ({ role }: User) => mustCover(this.#users.roles, access, role)
    return viewOf(await this.#users.remove(id, access.author, check, asked))
  }
}

/** Returns the view of a user that is shown, with nothing about how they sign in. */
export function viewOf({ id, email, name, handle, role, disabled, createdAt }: User): UserView {
  return { id, email, name, handle, role, disabled, created_at: createdAt ?? null }
}
