import type { ContentTypes } from '#core/content-type.ts'
import type { Problem } from '#core/document.ts'
import type { Clock } from '#lib/clock.ts'
import type { WriteStep } from './committing/git.ts'
import type { GitSettings } from './committing/settings.ts'

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
  /** Told of each file that turns out to have something wrong with it. */
  onProblem?: (problem: Problem) => void
  /** Told now and then how many files have been looked at, until the store is open. */
  onProgress?: (files: number) => void
  /** False: nothing is kept for a quicker start. */
  snapshot?: boolean
  /** Of the configuration: heads read under another one are not used again. */
  fingerprint: string
  /** Absent: no history is kept, whatever the folder lies in. */
  git?: GitSettings
  /** Told of each step of a write that becomes a commit, as it is about to begin. */
  onStep?: (step: WriteStep) => void
}
