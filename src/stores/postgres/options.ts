import type { Problem } from '#core/document.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'

/** A site in a database, and how it is kept in view. */
export interface PostgresOptions {
  /** The address of the database: see `addressOf`. */
  readonly url: string
  readonly types: ContentTypes
  readonly clock: Clock
  /**
   * True if changes of other nodes are followed for as long as the store is open. A server does this, a command does not need it.
   */
  readonly watch: boolean
  /** The secret that private keys are sealed with, at least 32 bytes. */
  readonly secret: string
  /** A callback for each document that turns out to have a problem. */
  readonly onProblem?: (problem: Problem) => void
}
