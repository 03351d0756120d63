import type { Author } from './document.ts'

/** What a token or a role may do. `content:read` is what is live; each of the others is one right more. */
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

/**
 * How far a right goes: for nothing; for what is the reader's own as long as it is not in a live status; for what is the reader's own; for all.
 * Own is a record whose `author` is the reader's handle, or a list with it.
 */
export type Reach = 'none' | 'own-drafts' | 'own' | 'all'

/** Who asks, and what they may do. Rights are asked for by name; nothing else about the reader decides an answer. */
export interface Access {
  /** For logs and throttles: `token:<id>`, `user:<id>`, `local`. */
  readonly id: string
  /** Whose name a change bears. */
  readonly author: Author
  /** Equal for two readers who see the same things: goes into ETags where an answer depends on rights. */
  readonly fingerprint: string
  /** What a record's `author` is that is the reader's own; undefined for who has none: a token, the person at the machine. */
  readonly handle: string | undefined
  /** Whether the right is held for all, for all records of this type where one is given. */
  may(scope: Scope, type?: string): boolean
  /** How far the right goes for records of this type; `all` wherever `may` is true. */
  reach(scope: Scope, type: string): Reach
  /** The only fields of this type that the reader may write; undefined where there is no such limit. */
  writable(type: string): ReadonlySet<string> | undefined
  /** Whether this type exists for the reader at all: a token limited to types knows no others. */
  sees(type: string): boolean
}

/** Every right: the person at the machine, running a command. */
export function localAccess(author: Author): Access {
  return {
    id: 'local',
    author,
    fingerprint: 'all',
    handle: undefined,
    may: () => true,
    reach: () => 'all',
    writable: () => undefined,
    sees: () => true,
  }
}
