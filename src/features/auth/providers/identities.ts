import { hash } from 'node:crypto'
import type { Document } from '#core/document.ts'
import { keyOf } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import type { User } from '#features/users/user.ts'
import type { Users } from '#features/users/users.ts'
import { Conflict, Stale } from '#lib/errors.ts'
import type { AuditedThing } from '../../audited-thing.ts'
import type { Registration } from '../registration.ts'
import { NoAccount } from './failures.ts'
import type { Person } from './provider.ts'

const KIND = '.identities'

/** Identities as the audit log tells of them: that one is linked to a user. */
export const AUDITED_IDENTITIES: AuditedThing = { kind: KIND, sort: 'user', names: { user: 'identity' }, part: { owner: 'user' } }

/** Number of times a link is retried if another write came in between. */
const TRIES = 3

/** Of whom a person is: the provider's name in the configuration, and who stands behind it. */
export interface Source {
  readonly name: string
  readonly realm: string
}

/**
 * The accounts of the people that providers identify. An identity is a provider and its id for a person, and nothing else, since
 * e-mail addresses change hands. It is linked once, to the account of an address that the provider confirms.
 */
export class Identities {
  readonly #store: Store
  readonly #users: Users
  readonly #registration: Registration

  constructor({ store, users, registration }: { store: Store; users: Users; registration: Registration }) {
    this.#store = store
    this.#users = users
    this.#registration = registration
  }

  /** The account of a person; linked or, where anybody may have one, made at the first time. Throws NoAccount. */
  async userOf(source: Source, person: Person): Promise<User> {
    for (let tries = 1; ; tries++) {
      const linked = await this.#linked(source, person)
      const user = linked.user ?? (await this.#owner(source, person))
      if (user.disabled) throw noAccount(source)
      if (linked.user) return user
      try {
        await this.#link(source, person, user, linked.document)
        return user
      } catch (error) {
        // The same person at the same time, on another node or in another window: who came first decides.
        const isLate = error instanceof Conflict || error instanceof Stale
        if (!isLate || tries === TRIES) throw error
      }
    }
  }

  /** Finds the account that an identity was linked to. A removed one does not count: the identity may then be linked anew. */
  async #linked(source: Source, person: Person): Promise<{ document: Document | undefined; user: User | undefined }> {
    const document = await this.#store.get(keyOf(KIND, idOf(source, person)))
    const id = document?.fields.user
    return { document, user: typeof id === 'string' ? await this.#users.byId(id) : undefined }
  }

  async #owner(source: Source, { email, name }: Person): Promise<User> {
    const user = email === undefined ? undefined : await this.#registration.admit(email, name)
    if (!user) throw noAccount(source)
    return user
  }

  async #link(source: Source, person: Person, user: User, before: Document | undefined): Promise<void> {
    const set = { provider: source.name, realm: source.realm, subject: person.subject, user: user.id }
    const expects = before?.version ?? 'absent'
    await this.#store.write([{ key: keyOf(KIND, idOf(source, person)), put: { set }, expects }], this.#users.author(user))
  }
}

function idOf({ name, realm }: Source, { subject }: Person): string {
  return hash('sha256', JSON.stringify([name, realm, subject]), 'hex')
}

/** Returns one error for all that have no account to sign in with, so that it does not reveal who has one. */
function noAccount({ name }: Source): NoAccount {
  return new NoAccount(`There is no account here for whom "${name}" knows by a verified address.`)
}
