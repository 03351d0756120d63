import type { Head } from '#core/document.ts'
import type { Store } from '#core/store.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { AuditedThing } from '../audited-thing.ts'
import type { PrivateThing } from '../private-thing.ts'
import type { User } from './user.ts'

/** The private kind that users are documents of. */
export const KIND = '.users'

/** Users as events tell of them: nothing about how they sign in. */
export const TOLD_USERS: PrivateThing = {
  kind: KIND,
  sort: 'user',
  names: { email: 'email', handle: 'handle', name: 'name', role: 'role', disabled: 'disabled' },
}

/** Users as the audit log tells of them: a password, and the end of all sessions, by their names alone. */
export const AUDITED_USERS: AuditedThing = {
  kind: KIND,
  sort: 'user',
  names: { ...TOLD_USERS.names, password: 'password', token_version: 'sessions' },
  title: 'name',
  actions: { changed: { role: 'role.changed' } },
}

/** The properties of a user that can change. */
export type Changes = Partial<Pick<User, 'name' | 'role' | 'disabled' | 'tokenVersion' | 'passwordHash' | 'invitedTo'>>

/** The user that a document holds; undefined where it can't be read as one. One whose `disabled` is anything but false is. */
export function readUser({ key, fields, problem }: Head): User | undefined {
  const email = text(fields.email)
  const handle = text(fields.handle)
  if (problem?.severity === 'error' || email === undefined || handle === undefined) return undefined
  return {
    ...{ id: key.id, email, handle },
    name: text(fields.name) ?? handle,
    role: text(fields.role) ?? '',
    disabled: fields.disabled !== false,
    tokenVersion: typeof fields.token_version === 'number' ? fields.token_version : 0,
    passwordHash: text(fields.password),
    createdAt: text(fields.created),
    invitedTo: text(fields.invited),
  }
}

/** The user with this address or handle, which is taken as it is. */
export async function holderOf(store: Store, field: 'email' | 'handle', value: string): Promise<User | undefined> {
  const { items } = await store.heads(KIND, { where: [{ field, op: 'eq', value, as: 'text' }], limit: 1 })
  return items[0] && readUser(items[0])
}

/** A user as a document has them. */
export function fieldsOf({ id: _id, email, handle, createdAt, ...changes }: User): Fields {
  return { email, handle, created: createdAt ?? null, ...changedFields(changes) }
}

/** Changes as a document has them. */
export function changedFields({ tokenVersion, ...changes }: Changes): Fields {
  const { passwordHash, invitedTo, ...others } = changes
  const password = 'passwordHash' in changes ? { password: passwordHash ?? null } : {}
  const invited = 'invitedTo' in changes ? { invited: invitedTo ?? null } : {}
  return { ...others, ...(tokenVersion !== undefined && { token_version: tokenVersion }), ...password, ...invited }
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
