/** A word of a text or of a query. `form` is what is written, folded (small letters, no accents); `stem` is what it counts as, '' for a stop word. */
export interface Word {
  readonly form: string
  readonly stem: string
}

/** What stands before a stop word that is kept for phrases: in no word, and before all of them. */
export const STOP = '\u0003'

/** What a word of a text or of a phrase is found by: its stem; for a stop word its form, behind a mark that no stem has. */
export function termOf({ form, stem }: Word): string {
  return stem === '' ? `${STOP}${form}` : stem
}
