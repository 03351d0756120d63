import type { Author } from '../document.ts'

/** The rights that a token or a role may have. `content:read` covers live content. Each of the others adds one right. */
export const SCOPES = [
  'content:read',
  'content:drafts',
  'content:write',
  'content:publish',
  'content:delete',
  'taxonomy:write',
  'media:write',
  'menus:write',
  'settings:write',
  'users:read',
  'users:write',
  'teams:write',
  'billing:write',
  'webhooks:write',
  'modules:publish',
  'audit:read',
] as const

export type Scope = (typeof SCOPES)[number]

/** Names for the usual sets of scopes. */
export const PRESETS: Readonly<Record<string, readonly Scope[]>> = {
  read: ['content:read'],
  edit: ['content:read', 'content:drafts', 'content:write', 'content:publish', 'content:delete', 'taxonomy:write', 'media:write'],
  admin: SCOPES,
}

/** The reaches of a right, narrowest first. */
export const REACHES = ['none', 'own-drafts', 'own', 'all'] as const

/**
 * The reach of a right: for nothing; for the reader's own records while they are not in a live status; for the reader's own
 * records; for all. A record is the reader's own if its `author` is the reader's handle, or a list with it.
 */
export type Reach = (typeof REACHES)[number]

/** The caller and its rights. Rights are checked by name. Nothing else about the reader affects an answer. */
export interface Access {
  /** For logs and throttles: `token:<id>`, `user:<id>`, `local`. */
  readonly id: string
  /** The author of the caller's changes. */
  readonly author: Author
  /** Equal for two readers who see the same things: goes into ETags where an answer depends on rights. */
  readonly fingerprint: string
  /** The id of the user who calls, or whose token does. Undefined for callers that are nobody's. */
  readonly user: string | undefined
  /** The `author` value of the caller's own records. Undefined for callers without one: a token, the person at the machine. */
  readonly handle: string | undefined
  /** Returns whether the right is held for all records, or for all of this type if one is given. */
  may(scope: Scope, type?: string): boolean
  /** Returns the reach of the right for records of this type. It is `all` wherever `may` is true. */
  reach(scope: Scope, type: string): Reach
  /** The only fields of this type that the reader may write; undefined where there is no such limit. */
  writable(type: string): ReadonlySet<string> | undefined
  /** Returns whether this type exists for the reader at all. A token limited to types knows no others. */
  sees(type: string): boolean
}

/** Looks up the rights of a caller as they are now; rejects where they are over. For what comes long after a request began. */
export type Caller = () => Promise<Access>

/** Every right: the person at the machine, running a command. */
export function localAccess(author: Author): Access {
  return {
    id: 'local',
    author,
    fingerprint: 'all',
    user: undefined,
    handle: undefined,
    may: () => true,
    reach: () => 'all',
    writable: () => undefined,
    sees: () => true,
  }
}
