import type { Problem } from '#core/document.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import type { WriteStep } from './committing/git.ts'
import type { Provisional } from './committing/lookups.ts'
import type { GitSettings } from './committing/settings.ts'
import type { BesideBytes } from './writing/beside.ts'

/** A site's folder, and how it is kept in view. */
export interface FilesOptions {
  /** The site's folder. */
  root: string
  /** The folder of content, relative to the site's. */
  content: string
  /** The private folder, absolute or relative to the site's. */
  privateDir: string
  types: ContentTypes
  clock: Clock
  /**
   * True if edits made by others are watched for as long as the store is open. A server does this, a command does not need it.
   */
  watch: boolean
  /** True if the feed goes on from that of the processes before: of one process at a time. By default as `watch`. */
  follows?: boolean
  /** A callback for each file that turns out to have a problem. */
  onProblem?: (problem: Problem) => void
  /** A callback where a sync by the clock fails for another reason than the one before; with undefined once one works again. */
  onSync?: (error: Error | undefined) => void
  /** A callback with the number of files that have been read, now and then, until the store is open. */
  onProgress?: (files: number) => void
  /** False: nothing is kept for a quicker start. */
  snapshot?: boolean
  /** Of the configuration: heads read under another one are not used again. */
  fingerprint: string
  /** Milliseconds without a change after which a file that others saved is written over; 200 if nothing is said. */
  stillMs?: number
  /** Absent: what another git may be changing is waited for, and then not read. */
  provisional?: Provisional
  /** Absent: bytes that belong to documents stay blobs. */
  besideBytes?: BesideBytes
  /** Absent: no history is kept, whatever the folder lies in. */
  git?: GitSettings
  /** A callback for each step of a write that becomes a commit, as it is about to begin. */
  onStep?: (step: WriteStep) => void
}
