import { LRUCache } from 'lru-cache'
import type { Access } from '../../core/access.ts'
import { plainAddress } from '../../core/address.ts'
import type { Clock } from '../../core/clock.ts'
import type { Author, Head } from '../../core/document.ts'
import { Conflict, InvalidInput, NotFound, Stale } from '../../core/errors.ts'
import type { Fields } from '../../core/json.ts'
import { keyOf, parseKey } from '../../core/key.ts'
import type { Page, Sort } from '../../core/query.ts'
import type { Roles } from '../../core/roles.ts'
import type { Change, Part, Store } from '../../core/store.ts'
import { checkHandle, checkName, checkRole, handlesFor, newUserId } from './input.ts'
import { readUser } from './stored.ts'
import type { User } from './user.ts'

const KIND = '.users'
const OWNER = 'owner'

/** How often a change is made anew because another came between. */
const TRIES = 20

/** How many users' rights are kept at hand. */
const MOST_KEPT = 10_000

const BY_ADDRESS: readonly Sort[] = [{ field: 'email', descending: false, as: 'text' }]

/** Who is to be a user; what is not said is made of the address. `role` is the least where none is given. */
export interface NewUser {
  readonly email: string
  readonly name?: string | undefined
  readonly role?: string | undefined
  readonly handle?: string | undefined
  readonly passwordHash?: string | undefined
}

/** What of a user changes. */
type Changes = Partial<Pick<User, 'name' | 'role' | 'disabled' | 'tokenVersion' | 'passwordHash'>>

/** The users of a site. At least one owner that is not disabled stays, once there is one: what would take away the last throws Conflict. */
export class Users {
  readonly #store: Store
  readonly #clock: Clock
  readonly #roles: Roles
  readonly #siteHost: string
  readonly #access = new LRUCache<string, { readonly user: User; readonly access: Access }>({ max: MOST_KEPT })

  constructor({ store, clock, roles, siteHost }: { store: Store; clock: Clock; roles: Roles; siteHost: string }) {
    this.#store = store
    this.#clock = clock
    this.#roles = roles
    this.#siteHost = siteHost
  }

  async byId(id: string): Promise<User | undefined> {
    const key = parseKey(KIND, id)
    const document = key && (await this.#store.get(key))
    return document && readUser(document)
  }

  /** The user of this address, however it is written. */
  async byEmail(address: string): Promise<User | undefined> {
    const email = plainAddress(address)
    return email === undefined ? undefined : this.#whose('email', email)
  }

  /** The user that is meant by an id, an address or a handle; throws NotFound where there is none. */
  async find(who: string): Promise<User> {
    const user = who.includes('@') ? await this.byEmail(who) : ((await this.byId(who)) ?? (await this.#whose('handle', who)))
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

  /** Makes a user. An address or a handle that is taken throws Conflict; a handle that was not asked for is numbered then. */
  async create(input: NewUser, by: Author): Promise<User> {
    const email = plainAddress(input.email)
    if (email === undefined) throw new InvalidInput({ email: ['The email must be one plain address, such as ada@example.org.'] })
    const name = checkName(input.name, email)
    const role = checkRole(this.#roles, input.role ?? 'viewer')
    const fields = { email, name, role, passwordHash: input.passwordHash }
    if (input.handle !== undefined) return this.#make({ ...fields, handle: checkHandle(input.handle) }, by)
    for (const handles of handlesFor(name)) {
      const handle = await this.#free(handles)
      const made = handle && (await this.#make({ ...fields, handle }, by).catch((error) => this.#unlessMet(error, email)))
      if (made) return made
    }
    throw new Conflict('Too many users have this name; say which handle is wanted.')
  }

  setName(id: string, name: string, by: Author): Promise<User> {
    return this.#change(id, by, ({ email }) => ({ name: checkName(name, email) }))
  }

  setRole(id: string, role: string, by: Author): Promise<User> {
    const checked = checkRole(this.#roles, role)
    return this.#change(id, by, (user) => (user.role === checked ? {} : { role: checked, ...ending(user) }))
  }

  setDisabled(id: string, disabled: boolean, by: Author): Promise<User> {
    return this.#change(id, by, (user) => (user.disabled === disabled ? {} : { disabled, ...ending(user) }))
  }

  /** Gives them a password, as its hash; undefined takes it away. */
  setPassword(id: string, passwordHash: string | undefined, by: Author): Promise<User> {
    return this.#change(id, by, (user) => ({ passwordHash, ...ending(user) }))
  }

  /** Ends all that they are signed in with. */
  endSessions(id: string, by: Author): Promise<User> {
    return this.#change(id, by, ending)
  }

  /** Removes a user; what they wrote stays, and stays theirs by name. */
  async remove(id: string, by: Author): Promise<User> {
    return this.#again(async () => {
      const { user, head } = await this.#there(id)
      await this.#store.write([{ key: head.key, remove: true, expects: head.version }, ...(await this.#witness(user))], by)
      return user
    })
  }

  /** What a user may do: nothing while disabled; the same object as long as nothing of it changed. */
  access(user: User): Access {
    const known = this.#access.get(user.id)
    if (known && isSame(known.user, user)) return known.access
    const author = this.author(user)
    const access = this.#roles.access(user.disabled ? '' : user.role, { id: user.id, handle: user.handle, author })
    this.#access.set(user.id, { user, access })
    return access
  }

  /** Whose name a user's changes bear: without their address, for a history is often public. */
  author({ id, name }: User): Author {
    return { name, email: `user+${id}@${this.#siteHost}` }
  }

  async #whose(field: 'email' | 'handle', value: string): Promise<User | undefined> {
    const { items } = await this.#store.heads(KIND, { where: [{ field, op: 'eq', value, as: 'text' }], limit: 1 })
    return items[0] && readUser(items[0])
  }

  async #free(handles: readonly string[]): Promise<string | undefined> {
    const { items } = await this.#store.heads(KIND, { where: [{ field: 'handle', op: 'in', value: [...handles], as: 'text' }] })
    const taken = new Set(items.map(({ fields }) => fields.handle))
    return handles.find((handle) => !taken.has(handle))
  }

  async #make(user: Pick<User, 'email' | 'name' | 'handle' | 'role' | 'passwordHash'>, by: Author): Promise<User> {
    const { email, name, handle, role, passwordHash } = user
    const created = new Date(this.#clock.now()).toISOString()
    const set: Fields = { email, name, handle, role, disabled: false, token_version: 1, created }
    if (passwordHash !== undefined) set.password = passwordHash
    const unique = [
      { field: 'email', value: email },
      { field: 'handle', value: handle },
    ]
    const change: Change = { key: keyOf(KIND, newUserId()), put: { set }, expects: 'absent', unique }
    const [document] = await this.#store.write([change], by).catch((error) => this.#taken(error, email))
    const made = document && readUser(document)
    if (!made) throw new Error('The store gave no document back for a new user.')
    return made
  }

  /** Says which of the two is taken, without repeating it. */
  async #taken(error: unknown, email: string): Promise<never> {
    if (!(error instanceof Conflict)) throw error
    const isAddress = (await this.#whose('email', email)) !== undefined
    throw new Conflict(isAddress ? 'There is a user with this address already.' : 'There is a user with this handle already.')
  }

  /** Lets go of a conflict over a handle that another has taken a moment ago. */
  async #unlessMet(error: unknown, email: string): Promise<undefined> {
    if (!(error instanceof Conflict) || (await this.#whose('email', email))) throw error
  }

  #change(id: string, by: Author, change: (user: User) => Changes): Promise<User> {
    return this.#again(async () => {
      const { user, head } = await this.#there(id)
      const changes = change(user)
      if (Object.keys(changes).length === 0) return user
      const next = { ...user, ...changes }
      const witness = next.role === OWNER && !next.disabled ? [] : await this.#witness(user)
      const put: Change = { key: head.key, put: { set: fieldsOf(changes) }, expects: head.version }
      await this.#store.write([put, ...witness], by)
      return next
    })
  }

  /** Another owner who is to be one still when this user is none any more: a write that bears it fails where they change meanwhile. */
  async #witness(user: User): Promise<Change[]> {
    if (user.role !== OWNER || user.disabled) return []
    const { items } = await this.#store.heads(KIND, { where: [{ field: 'role', op: 'eq', value: OWNER, as: 'text' }] })
    const other = items.find((head) => head.key.id !== user.id && readUser(head)?.disabled === false)
    const hint = 'Make somebody else an owner first.'
    if (!other) throw new Conflict('This is the last owner, who has to stay.', undefined, hint)
    return [{ key: other.key, put: {}, expects: other.version }]
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

function ending({ tokenVersion }: User): Changes {
  return { tokenVersion: tokenVersion + 1 }
}

/** Changes as a document has them. */
function fieldsOf({ tokenVersion, ...changes }: Changes): Fields {
  const { passwordHash, ...others } = changes
  const password = 'passwordHash' in changes ? { password: passwordHash ?? null } : {}
  return { ...others, ...password, ...(tokenVersion !== undefined && { token_version: tokenVersion }) }
}

/** Whether two readings of a user come to the same rights, under the same name. */
function isSame(one: User, other: User): boolean {
  return one.role === other.role && one.disabled === other.disabled && one.handle === other.handle && one.name === other.name
}
