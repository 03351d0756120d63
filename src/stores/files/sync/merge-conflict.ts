import type { Objects } from '#git/objects/objects.ts'
import type { Json } from '#lib/json.ts'
import type { RecordForm } from './record-merge.ts'

/**
 * Changes of both sides to one file that only a person can decide on. `ours`, `theirs` and `base` are the fields in question,
 * else the texts; null if there is no file.
 */
export interface SyncConflict {
  readonly [key: string]: Json
  /** From the site's root where it is below it, else from the top of the repository with `/` before it. */
  readonly file: string
  readonly type: string | null
  readonly id: string | null
  /** Empty where it is about the file as a whole. */
  readonly fields: string[]
  readonly ours: Json
  readonly theirs: Json
  readonly base: Json
}

/** A function that returns the record of the file at a path (from the top of the repository), or undefined if it is none. */
export type RecordAt = (path: string) => RecordForm | undefined

/** The dependencies of a merge. */
export interface MergeDeps {
  readonly top: string
  /** The site's folder from the top, with `/` at its end, or ''. */
  readonly prefix: string
  /** The folder of content, from the site's. */
  readonly content: string
  readonly objects: Objects
  readonly recordAt: RecordAt
}
