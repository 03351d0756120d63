/**
 * A word of a text or of a query. `form` is what is written, folded (small letters, no accents); `stem` is what it counts as, ''
 * for a stop word.
 */
export interface Word {
  readonly form: string
  readonly stem: string
}

/** A prefix of stop words that are kept for phrases. It is in no word, and sorts before all of them. */
export const STOP = '\u0003'

/** Returns the index term of a word in a text or phrase: its stem, or for a stop word its form after a mark that no stem has. */
export function termOf({ form, stem }: Word): string {
  return stem === '' ? `${STOP}${form}` : stem
}
