import type { Access } from '#core/access/access.ts'
import type { Roles } from '#core/access/roles.ts'
import { plainAddress } from '#core/address.ts'
import type { Author, Head } from '#core/document.ts'
import type { Asked } from '#core/history/revision.ts'
import { parseKey } from '#core/key.ts'
import type { Page, Sort } from '#core/queries/query.ts'
import type { Change, Part, Store } from '#core/store.ts'
import { Cache } from '#lib/cache.ts'
import { NotFound, Stale } from '#lib/errors.ts'
import { Creator, type CreatorDeps, type Handles } from './creator.ts'
import { checkName, checkNewUser, checkRole, type NewUser } from './input.ts'
import { isOwner, otherOwner } from './owners.ts'
import { type Changes, changedFields, holderOf, KIND, readUser } from './stored.ts'
import type { User, UserChanges } from './user.ts'

/** Number of times a change is retried because another came in between. */
const TRIES = 100

/** Most users for which rights are cached. */
const MOST_KEPT = 10_000

const BY_ADDRESS: readonly Sort[] = [{ field: 'email', descending: false, as: 'text' }]

/** Gives the changes that take away what ends with a user, written together with the user's removal. */
export type Leaving = (id: string) => Promise<readonly Change[]>

/** Narrows the access of a user to what exists for them now; gives the same object for the same as long as nothing changes. */
export type Narrow = (access: Access) => Promise<Access>

/** A check that throws if a change is not allowed for this user. */
export type Check = (user: User) => void

/**
 * The users of a site. At least one owner that is not disabled stays, once there is one: what would take away the last throws
 * Conflict.
 */
export class Users {
  /** The roles that they can have. */
  readonly roles: Roles
  readonly #store: Store
  readonly #siteHost: string
  readonly #creator: Creator
  readonly #leaving: Leaving
  readonly #narrow: Narrow
  readonly #access = new Cache<{ readonly user: User; readonly access: Access }>({ most: MOST_KEPT })

  constructor(deps: CreatorDeps & { siteHost: string; leaving?: Leaving; narrow?: Narrow }) {
    const { store, roles, siteHost, leaving = nothing, narrow = async (access) => access } = deps
    this.#store = store
    this.roles = roles
    this.#siteHost = siteHost
    this.#creator = new Creator(deps)
    this.#leaving = leaving
    this.#narrow = narrow
  }

  async byId(id: string): Promise<User | undefined> {
    const key = parseKey(KIND, id)
    const document = key && (await this.#store.get(key))
    return document && readUser(document)
  }

  /** The user of this address, however it is written. */
  async byEmail(address: string): Promise<User | undefined> {
    const email = plainAddress(address)
    return email === undefined ? undefined : holderOf(this.#store, 'email', email)
  }

  /** Finds a user by id, address or handle; throws NotFound if there is none. */
  async find(who: string): Promise<User> {
    const user = who.includes('@')
      ? await this.byEmail(who)
      : ((await this.byId(who)) ?? (await holderOf(this.#store, 'handle', who)))
    if (!user) throw new NotFound(`There is no user "${who}".`, 'cms user:list shows them.')
    return user
  }

  /** All users, by their addresses. */
  async list(): Promise<User[]> {
    return (await this.page({})).items
  }

  /** A part of the list of all users. */
  async page(part: Part): Promise<Page<User>> {
    const { items, total } = await this.#store.heads(KIND, { sort: BY_ADDRESS, ...part })
    return { items: items.flatMap((head) => readUser(head) ?? []), total }
  }

  /** Throws InvalidInput naming all that is wrong with the input for a new user. */
  check(input: NewUser): void {
    checkNewUser(this.roles, input)
  }

  /**
   * Makes a user. An address or a handle that is taken throws Conflict; a handle that was not asked for is made of the name, and
   * numbered then. Whose handle is the author of records has these: where `handles` is `unwritten` such a one is Forbidden, and
   * numbered where it was not asked for.
   */
  create(input: NewUser, by: Author, handles: Handles = 'any', asked?: Asked): Promise<User> {
    return this.#creator.create(input, { by, asked }, handles)
  }

  /**
   * Changes what is given. `check` is asked of the user as they are before, in the same step. Another role, or another
   * `disabled`, ends all that they are signed in with.
   */
  async update(
    id: string,
    { name, role, disabled }: UserChanges,
    by: Author,
    check: Check = passes,
    asked?: Asked,
  ): Promise<User> {
    const wanted = {
      ...(name !== undefined && { name: checkName(name) }),
      ...(role !== undefined && { role: checkRole(this.roles, role) }),
      ...(disabled !== undefined && { disabled }),
    }
    const changesOf = (user: User) => {
      check(user)
      const next = { ...user, ...wanted }
      const isEnding = next.role !== user.role || next.disabled !== user.disabled
      return { ...wanted, ...(isEnding && ending(user)) }
    }
    return this.#change(id, by, changesOf, asked)
  }

  /** Gives them another role, and ends all that they are signed in with. */
  setRole(id: string, role: string, by: Author): Promise<User> {
    return this.update(id, { role }, by)
  }

  /** Says whether they may not sign in, and ends all that they are signed in with. */
  setDisabled(id: string, disabled: boolean, by: Author): Promise<User> {
    return this.update(id, { disabled }, by)
  }

  /**
   * Gives them a password, as its hash; undefined takes it away. Ends all that they are signed in with. `check` is as for
   * `update`.
   */
  setPassword(id: string, passwordHash: string | undefined, by: Author, check: Check = passes): Promise<User> {
    return this.#change(id, by, (user) => {
      check(user)
      return { passwordHash, ...ending(user) }
    })
  }

  /** Keeps another hash of the password they have; nothing, where they have another one than `before` is the hash of. */
  rehash(id: string, before: string, passwordHash: string, by: Author): Promise<User> {
    return this.#change(id, by, (user) => (user.passwordHash === before ? { passwordHash } : {}))
  }

  /** Notes that they signed in, which ends the invitation that their account stood for. */
  async arrived(user: User, by: Author = this.author(user)): Promise<void> {
    if (user.invitedTo !== undefined) await this.#change(user.id, by, () => ({ invitedTo: undefined }))
  }

  /** Ends all that they are signed in with. */
  endSessions(id: string, by: Author): Promise<User> {
    return this.#change(id, by, ending)
  }

  /** Removes a user and gives who they were; what they wrote stays, and keeps their handle. `check` is as for `update`. */
  async remove(id: string, by: Author, check: Check = passes, asked?: Asked): Promise<User> {
    return this.#again(async () => {
      const { user, head } = await this.#there(id)
      check(user)
      const witness = isOwner(user) ? [await otherOwner(this.#store, user)] : []
      const leaving = await this.#leaving(id)
      await this.#store.write([{ key: head.key, remove: true, expects: head.version }, ...witness, ...leaving], by, asked)
      return user
    })
  }

  /** Resolves with the access of a user now: nothing while disabled; the same object as long as nothing about it changes. */
  async access(user: User): Promise<Access> {
    return this.#narrow(this.#byRole(user))
  }

  #byRole(user: User): Access {
    const known = this.#access.get(user.id)
    if (known && isSame(known.user, user)) return known.access
    const { id, handle, role, disabled } = user
    const access = this.roles.access(disabled ? '' : role, { id, handle, author: this.author(user) })
    this.#access.set(id, { user, access })
    return access
  }

  /** The name and the rights of a user who may sign in; undefined for any other. */
  async acting(id: string): Promise<{ name: string; access: Access } | undefined> {
    const user = await this.byId(id)
    return user && !user.disabled ? { name: user.name, access: await this.access(user) } : undefined
  }

  /** Returns the author of a user's changes, without their address, since a history is often public. */
  author({ id, name }: User): Author {
    return { name, email: `user+${id}@${this.#siteHost}` }
  }

  #change(id: string, by: Author, changesOf: (user: User) => Changes, asked?: Asked): Promise<User> {
    return this.#again(async () => {
      const { user, head } = await this.#there(id)
      const changes = changesOf(user)
      const next = { ...user, ...changes }
      const witness = isOwner(user) && !isOwner(next) ? [await otherOwner(this.#store, user)] : []
      const change = { key: head.key, put: { set: changedFields(changes) }, expects: head.version }
      await this.#store.write([change, ...witness], by, asked)
      return next
    })
  }

  async #there(id: string): Promise<{ user: User; head: Head }> {
    const key = parseKey(KIND, id)
    const head = key && (await this.#store.get(key))
    const user = head && readUser(head)
    if (!head || !user) throw new NotFound('The user was not found.', 'cms user:list shows them.')
    return { user, head }
  }

  async #again<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof Stale) || tries === TRIES) throw error
      }
    }
  }
}

function passes(): void {}

async function nothing(): Promise<[]> {
  return []
}

function ending({ tokenVersion }: User): Changes {
  return { tokenVersion: tokenVersion + 1 }
}

/** Returns whether two readings of a user have the same rights, under the same name. */
function isSame(one: User, other: User): boolean {
  return one.role === other.role && one.disabled === other.disabled && one.handle === other.handle && one.name === other.name
}
