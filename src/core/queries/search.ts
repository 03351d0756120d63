import type { Clause } from '#fulltext/clauses.ts'
import type { Key, Kind } from '../key.ts'
import type { Extent } from './extent.ts'

/**
 * A search query. A document is found if it has everything required, nothing prohibited, and at least one clause that is not
 * prohibited. A query that only prohibits finds nothing. Documents that have everything (except words that no readable document
 * has) come before those that only have some of it. Besides the stems of the words themselves there are at most MOST_TERMS terms,
 * taken clause by clause. For beginnings the shorter forms come first. For mistakes the nearer ones come first, then the shorter
 * ones (code points), then by code point. Forms of one stem are one term.
 */
export interface SearchQuery {
  readonly clauses: readonly Clause[]
  /**
   * The kinds there are for the reader, and how much of each. What is not among it is neither found nor counted, and has no part
   * in a score or a term.
   */
  readonly readable: ReadonlyMap<Kind, Extent>
  /** Only documents of this kind, and with this status (as the clock has it). */
  readonly kind?: Kind
  readonly status?: string
  readonly offset: number
  /** Undefined asks for all from `offset` on. */
  readonly limit: number | undefined
}

/**
 * A document that was found. The score is above 0; which scores a store gives is its own matter, the better one first. Ties are
 * in the order of the keys' texts.
 */
export interface Hit {
  readonly key: Key
  readonly score: number
}

/** The result of a search. */
export interface Found {
  readonly hits: readonly Hit[]
  readonly total: number
  /** Number of documents found of each kind, even if `kind` limits the hits. Kinds without any are absent. */
  readonly kinds: ReadonlyMap<Kind, number>
  /** The stems that were looked for, those of words that nothing was found for among them: what to mark in an excerpt. */
  readonly stems: ReadonlySet<string>
  /** Time at which the clock next changes what there is for the reader, in milliseconds since 1970; infinite for never. */
  readonly until: number
}

/**
 * Finds documents by their words. What is written is found within a moment: `find` waits for it a little (some 50 ms) and answers
 * from what there is then. While it is made for the first time, `find` waits some seconds and then throws Unavailable.
 */
export interface SearchIndex {
  find(query: SearchQuery): Promise<Found>
  /** Grows with every change of what could be found; the clock alone does not change it. */
  readonly revision: number
  /** Resolves with the size of the index as it is now, in bytes. */
  bytes(): Promise<number>
  /** Resolves when all that was written before the call can be found. */
  ready(): Promise<void>
  close(): Promise<void>
}
