import { randomInt } from 'node:crypto'
import type { Roles } from '#core/access/roles.ts'
import type { Author } from '#core/document.ts'
import type { Asked } from '#core/history/revision.ts'
import { keyOf, MEDIA } from '#core/key.ts'
import { isOwn, ownBy } from '#core/queries/extent.ts'
import type { Condition } from '#core/queries/query.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, Forbidden } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { asciiSlug } from '#lib/text/slug.ts'
import { checkNewUser, type NewUser } from './input.ts'
import { fieldsOf, holderOf, KIND, readUser } from './stored.ts'
import type { User } from './user.ts'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 16

/** Room for a number after a handle of the most characters one may have. */
const LONGEST_MADE = 90

/** Number of handles that are looked up at once. */
const AT_ONCE = 50

/** Number of times another handle is tried because somebody else was quicker. */
const TRIES = 100

/** The handles that may be assigned: any that no other user has, or only those among them that are the author of nothing. */
export type Handles = 'any' | 'unwritten'

/** The author of a new user, and the request for it. */
interface Requester {
  readonly by: Author
  readonly asked: Asked | undefined
}

/** The dependencies of who makes users. */
export interface CreatorDeps {
  readonly store: Store
  readonly types: ContentTypes
  readonly clock: Clock
  readonly roles: Roles
}

/** Makes users, each with an address and a handle that no other has. */
export class Creator {
  readonly #store: Store
  readonly #clock: Clock
  readonly #types: ContentTypes
  readonly #roles: Roles

  constructor({ store, types, clock, roles }: CreatorDeps) {
    this.#store = store
    this.#types = types
    this.#clock = clock
    this.#roles = roles
  }

  /** See `Users.create`. */
  async create(input: NewUser, by: Requester, handles: Handles): Promise<User> {
    const { email, name, role, handle } = checkNewUser(this.#roles, input)
    const createdAt = new Date(this.#clock.now()).toISOString()
    const { passwordHash, invitedTo } = input
    const user = {
      ...{ id: newId(), email, name, role, disabled: false, tokenVersion: 1, passwordHash, createdAt },
      ...(invitedTo !== undefined && { invitedTo }),
    }
    if (handle !== undefined) {
      if (handles === 'unwritten') await this.#mustBeUnwritten(handle)
      return this.#make({ ...user, handle }, by)
    }
    const base = asciiSlug(name, LONGEST_MADE) || 'user'
    for (let tries = 1; ; tries++) {
      const made = { ...user, handle: await this.#free(base, handles) }
      try {
        return await this.#make(made, by)
      } catch (error) {
        const isMet = error instanceof Conflict && !(await holderOf(this.#store, 'email', email))
        if (!isMet || tries === TRIES) throw error
      }
    }
  }

  /** The first of `ada`, `ada-2`… that may be given. */
  async #free(base: string, given: Handles): Promise<string> {
    const isWritten = given === 'any' ? async () => false : await this.#authors()
    for (let first = 1; ; first += AT_ONCE) {
      const handles = Array.from({ length: AT_ONCE }, (_, n) => (first + n === 1 ? base : `${base}-${first + n}`))
      const where = [{ field: 'handle', op: 'in', value: handles, as: 'text' } as const]
      const { items } = await this.#store.heads(KIND, { where })
      const taken = new Set(items.map(({ fields }) => fields.handle))
      for (const handle of handles) if (!taken.has(handle) && !(await isWritten(handle))) return handle
    }
  }

  async #mustBeUnwritten(handle: string): Promise<void> {
    if (!(await (await this.#authors())(handle))) return
    throw new Forbidden(
      `The handle "${handle}" is the author of records there are, which would be the user’s own. Giving it needs the right content:write for all records.`,
    )
  }

  /**
   * Resolves with a look at whether a record of any kind, one that was removed among them, has somebody as its author, or they have
   * uploaded a file.
   */
  async #authors(): Promise<(handle: string) => Promise<boolean>> {
    const kinds = new Set([...(await this.#store.kinds()), ...this.#types.declared().map(({ name }) => name)])
    const removed: Fields[] = []
    for (const kind of kinds)
      for (const { head } of (await this.#store.past(kind, { removed: true }))?.heads ?? [])
        removed.push(ofMaker(kind, head.fields))
    return async (handle) => {
      for (const kind of kinds) {
        const where: Condition[] = [{ ...ownBy(handle), field: makerOf(kind) }]
        if ((await this.#store.heads(kind, { where, limit: 0 })).total > 0) return true
      }
      return removed.some((fields) => isOwn(fields, handle))
    }
  }

  async #make(user: User, { by, asked }: Requester): Promise<User> {
    const { id, email, handle } = user
    const unique = [
      { field: 'email', value: email },
      { field: 'handle', value: handle },
    ]
    const put = { set: fieldsOf(user) }
    const [document] = await this.#store
      .write([{ key: keyOf(KIND, id), put, expects: 'absent', unique }], by, asked)
      .catch((error) => this.#taken(error, email))
    const made = document && readUser(document)
    if (!made) throw new Error('The store gave no document back for a new user.')
    return made
  }

  /** Says which of the two is taken, without repeating it. */
  async #taken(error: unknown, email: string): Promise<never> {
    if (!(error instanceof Conflict)) throw error
    const what = (await holderOf(this.#store, 'email', email)) ? 'address' : 'handle'
    throw new Conflict(`There is a user with this ${what} already.`)
  }
}

function newId(): string {
  return Array.from({ length: ID_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
}

/** The field of a kind's documents that names whose own they are. */
function makerOf(kind: string): 'author' | 'uploaded_by' {
  return kind === MEDIA ? 'uploaded_by' : 'author'
}

function ofMaker(kind: string, fields: Readonly<Fields>): Fields {
  return { author: fields[makerOf(kind)] ?? null }
}
