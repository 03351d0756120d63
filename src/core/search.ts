import type { Extent } from './extent.ts'
import type { Key, Kind } from './key.ts'

/** A word of a text or of a query. `form` is what is written, folded (small letters, no accents); `stem` is what it counts as, '' for a stop word. */
export interface Word {
  readonly form: string
  readonly stem: string
}

/** Whether a document must have what a clause asks for, may have it, or must not. */
export type Presence = 'optional' | 'required' | 'prohibited'

/**
 * One word that is asked for. Documents have it that have its stem, or the stem of a form it stands for:
 * where `isBeginning`, the forms that begin with it; where neither gives a term, those within `edits` letters of it (0, 1 or 2; two neighbours
 * exchanged are one edit). A term is a stem that a readable document has, by a form that a readable document has.
 */
export interface WordClause extends Word {
  readonly presence: Presence
  /** Whether it is the beginning of a word: the last one of a query that is being typed. */
  readonly isBeginning: boolean
  readonly edits: 0 | 1 | 2
}

/** Words that follow each other in one text, stop words among them (`termOf` says what each is found by). It has two words or more. */
export interface PhraseClause {
  readonly presence: 'required' | 'prohibited'
  readonly phrase: readonly Word[]
}

export type Clause = WordClause | PhraseClause

/** The most terms that the words of one query come to beside the stems of the words themselves. */
export const MOST_TERMS = 64

/** What a word of a text or of a phrase is found by: its stem; for a stop word its form, behind a mark that no stem has. */
export function termOf({ form, stem }: Word): string {
  return stem === '' ? `${STOP}${form}` : stem
}

/** What stands before a stop word that is kept for phrases: in no word, and before all of them. */
export const STOP = '\u0003'

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

/** What of a document can be found, by field, as it is written: Markdown where it is Markdown. */
export interface SearchText {
  readonly title: string
  /** Ids of its terms, of all taxonomies, with `-` for a space. */
  readonly tags: readonly string[]
  /** The body first, then texts of other fields. */
  readonly body: readonly string[]
}
