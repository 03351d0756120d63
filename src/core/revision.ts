import type { Author, Version } from './document.ts'

/** What a write did to a record. `external` is a change that Quire did not make: a commit by hand. */
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

/** How an action is told of in a commit's message: `Publish posts/hello`. */
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
export const ACTIONS: readonly Action[] = [
  'created',
  'updated',
  'published',
  'unpublished',
  'moved',
  'deleted',
  'rolled_back',
  'restored',
  'external',
]

/**
 * What names a revision among those of its record: 13 digits, milliseconds since 1970. It is unique for the record and stays the same in every copy of
 * the history; the order of revisions is that of the list, not of the numbers.
 */
export type RevisionNumber = number

/** One state that a record was in, and who brought it there. */
export interface Revision {
  readonly number: RevisionNumber
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string
  readonly action: Action
  readonly by: Author
  /** What the author said of it, without the lines that Quire adds. */
  readonly message: string
  /** Of the record's bytes; absent where it was removed (deleted, or moved away). */
  readonly version?: Version
  /** The full hash of the commit, where the history is one of commits. */
  readonly commit?: string
  /** What was before it is not known: the end of a shallow clone. The record may be older, and others may have made it what it is here. */
  readonly isEnd?: true
}

/** The request that a write is made for. */
export interface Asked {
  /** Its id. */
  readonly request?: string
  /** What stands for what was asked, the same when it is asked again: a store that can tell does it once in a day. See `Store.write`. */
  readonly once?: string
}

/** What a write says of itself in the history. */
export interface Note extends Asked {
  /** By default what the changes show: created, updated, moved or deleted. */
  readonly action?: Action
  /** A sentence; by default one made of the action and the record. */
  readonly message?: string
}
