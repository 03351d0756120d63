import type { Author } from '#core/document.ts'
import type { Action, RevisionNumber } from '#core/history/revision.ts'
import type { Key } from '#core/key.ts'

/** A commit that this process made. Paths are from the site's root. */
export interface Committed {
  readonly commit: string
  readonly number: RevisionNumber
  readonly action: Action
  /** See `Note.actions`. */
  readonly actions?: ReadonlyMap<string, Action> | undefined
  readonly by: Author
  readonly message: string
  /** Key, as text, that a record was moved from. */
  readonly from: string | undefined
  /** `blob` is the id of the bytes that git keeps of the file; without one, the file was removed. */
  readonly edits: readonly { readonly path: string; readonly key: Key; readonly blob: string | undefined }[]
}

/** The listener of the committer for commits that are on the disk. */
export type OnCommitted = (commits: readonly Committed[], old: string | undefined, tip: string) => void
