import type { Author, Version } from '../document.ts'

/** The effect of a write on a record. `external` is a change that Quire did not make: a commit by hand. */
export type Action =
  | 'created'
  | 'updated'
  | 'published'
  | 'unpublished'
  | 'moved'
  | 'deleted'
  | 'rolled_back'
  | 'restored'
  | 'external'

/** The verb of each action in a commit's message: `Publish posts/hello`. */
export const VERBS: Readonly<Record<Action, string>> = {
  created: 'Create',
  updated: 'Update',
  published: 'Publish',
  unpublished: 'Unpublish',
  moved: 'Move',
  deleted: 'Delete',
  rolled_back: 'Roll back',
  restored: 'Restore',
  external: 'Change',
}

/** Every action there is. */
export const ACTIONS = Object.keys(VERBS) as readonly Action[]

/**
 * The number of a revision among those of its record: 13 digits, milliseconds since 1970. It is unique for the record and stays
 * the same in every copy of the history. The order of revisions is that of the list, not of the numbers.
 */
export type RevisionNumber = number

/** One state that a record was in, and who brought it there. */
export interface Revision {
  readonly number: RevisionNumber
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string
  readonly action: Action
  readonly by: Author
  /** The message of the author, without the lines that Quire adds. */
  readonly message: string
  /** Of the record's bytes; absent where it was removed (deleted, or moved away). */
  readonly version?: Version
  /** The full hash of the commit, where the history is one of commits. */
  readonly commit?: string
  /**
   * Set if the revisions before it are not known: the end of a shallow clone. The record may be older, and this state may be the
   * work of others.
   */
  readonly isEnd?: true
}

/** The part of Quire that a write was asked of: `cli` are commands, and what a server does by itself. */
export type WriteSource = 'api' | 'panel' | 'cli'

/** The request that a write is made for. */
export interface Asked {
  /** By default `cli`. */
  readonly source?: WriteSource
  /** Its id. */
  readonly request?: string
  /** A key for the request, the same on a retry. A store that supports it runs the write once in a day. See `Store.write`. */
  readonly once?: string
}

/** The metadata of a write in the history. */
export interface Note extends Asked {
  /** By default what the changes show: created, updated, moved or deleted. */
  readonly action?: Action
  /** The actions of records whose own is another one, by the texts of their keys. */
  readonly actions?: ReadonlyMap<string, Action>
  /** A sentence; by default one made of the action and the record. */
  readonly message?: string
}
