import type { Author } from '#core/document.ts'

/** `git` of the configuration, as far as the store uses it. */
export interface GitSettings {
  readonly enabled: boolean | 'auto'
  /** The only branch that is written to; null follows HEAD. */
  readonly branch: string | null
  readonly remote: string
  /** Intervals at which a served site pulls and pushes: `off`, or a length of time such as `60s`. */
  readonly pull?: string
  readonly push?: string
  /** The treatment of an author's unsaved edit of a file that is written: it is committed first, or the write is rejected. */
  readonly local_edits: 'keep' | 'refuse'
  /** The committer. The author of a commit is the acting user. */
  readonly author: Author
}
