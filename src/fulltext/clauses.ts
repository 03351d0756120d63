import type { Word } from './word.ts'

/** The requirement of a clause: a document must match it, may match it, or must not. */
export type Presence = 'optional' | 'required' | 'prohibited'

/**
 * One word that is asked for. Documents have it that have its stem, or the stem of a form it stands for: where `isBeginning`, the
 * forms that begin with it; where neither gives a term, those within `edits` letters of it (0, 1 or 2; two neighbours exchanged
 * are one edit). A term is a stem that a readable document has, by a form that a readable document has.
 */
export interface WordClause extends Word {
  readonly presence: Presence
  /** True if it is the beginning of a word: the last one of a query that is being typed. */
  readonly isBeginning: boolean
  readonly edits: 0 | 1 | 2
}

/**
 * Words that follow each other in one text, stop words among them (`termOf` says what each is found by). It has two words or
 * more.
 */
export interface PhraseClause {
  readonly presence: 'required' | 'prohibited'
  readonly phrase: readonly Word[]
}

export type Clause = WordClause | PhraseClause

/** The most terms that the words of one query come to beside the stems of the words themselves. */
export const MOST_TERMS = 64
