import type { Author } from '../../../core/document.ts'
import type { Key } from '../../../core/key.ts'
import type { Action, RevisionNumber } from '../../../core/revision.ts'

/** A commit that this process made, and what it did to each record. */
export interface Committed {
  /** The full hash. */
  readonly commit: string
  readonly number: RevisionNumber
  readonly action: Action
  readonly by: Author
  /** Without the trailers. */
  readonly message: string
  /** The text of the key that a record was moved from: its removal is among the edits. */
  readonly from?: string | undefined
  readonly edits: readonly CommittedEdit[]
}

/** What a commit did to one file. */
export interface CommittedEdit {
  /** From the site's root. */
  readonly path: string
  readonly key: Key
  /** The git id of the bytes; absent where the file was removed. */
  readonly version?: string | undefined
}
