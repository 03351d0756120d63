import type { Clause } from '#fulltext/clauses.ts'
import type { Extent } from './extent.ts'
import type { Key, Kind } from './key.ts'

/**
 * What is searched for. A document is found that has all that is required, nothing that is prohibited, and at least one thing that is asked for;
 * a query that only prohibits finds nothing. Documents that have all that is asked for, words aside that no readable document has, come before those
 * that have but some of it. The terms beside the words' own stems are at most MOST_TERMS, taken clause by clause: of a beginning the
 * shorter forms first, of a mistake the nearer ones, then the shorter ones (code points), then by code point; forms of one stem are one term.
 */
export interface SearchQuery {
  readonly clauses: readonly Clause[]
  /** The kinds there are for the reader, and how much of each. What is not among it is neither found nor counted, and has no part in a score or a term. */
  readonly readable: ReadonlyMap<Kind, Extent>
  /** Only documents of this kind, and with this status (as the clock has it). */
  readonly kind?: Kind
  readonly status?: string
  readonly offset: number
  /** Undefined asks for all from `offset` on. */
  readonly limit: number | undefined
}

/** A document that was found. The score is above 0; which scores a store gives is its own matter, the better one first. Ties are in the order of the keys' texts. */
export interface Hit {
  readonly key: Key
  readonly score: number
}

/** What a search found. */
export interface Found {
  readonly hits: readonly Hit[]
  readonly total: number
  /** How many there are of each kind, whatever `kind` narrows the hits to; kinds with none are absent. */
  readonly kinds: ReadonlyMap<Kind, number>
  /** The stems that were looked for, those of words that nothing was found for among them: what to mark in an excerpt. */
  readonly stems: ReadonlySet<string>
}

/**
 * Finds documents by their words. What is written is found within a moment: `find` waits for it a little (some 50 ms) and answers from what there is then.
 * While it is made for the first time, `find` waits some seconds and then throws Unavailable.
 */
export interface SearchIndex {
  find(query: SearchQuery): Promise<Found>
  /** Grows with every change of what could be found; the clock alone does not change it. */
  readonly revision: number
  /** Resolves when all that was written before the call can be found. */
  ready(): Promise<void>
  close(): Promise<void>
}
