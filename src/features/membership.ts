import type { Access } from '#core/access/access.ts'
import type { Asked } from '#core/history/revision.ts'
import type { Fields } from '#lib/json.ts'

/** Somebody who belongs to a thing of a resource. */
export interface MemberRow {
  readonly id: string
  readonly name: string
  readonly role: string
  /** RFC 3339 UTC. */
  readonly since: string
  /** True for who was invited, and has not come yet. */
  readonly isPending: boolean
}

/** The people who belong to things of a resource. Each method calls what the API's route calls, and throws what that throws. */
export interface Membership {
  /** The roles that they can have there, the least last. */
  readonly roles: readonly { readonly value: string; readonly label: string; readonly note?: string }[]
  /** The people who belong to one thing, of which these are the values. */
  of(values: Fields): readonly MemberRow[]
  /** Returns whether the reader may add people to it, remove them, and give them another role. */
  mayManage(access: Access, values: Fields): boolean
  /** Adds whoever has an address. */
  add(access: Access, id: string, member: { readonly email: string; readonly role: string }, asked: Asked): Promise<void>
  setRole(access: Access, id: string, member: string, role: string): Promise<void>
  remove(access: Access, id: string, member: string, asked: Asked): Promise<void>
}
