import { SEARCH_PAGE } from '#core/permalink.ts'
import type { Outline } from '../outline/outline.ts'

const NAMES = ['index.json', 'documents.json', 'lunr.js', 'search.js', 'words.js'] as const

/** The addresses of the files that a browser searches with. */
export const SEARCH_FILES: readonly string[] = NAMES.map((name) => `${SEARCH_PAGE}/${name}`)

/** The most pages that are searched in a browser. */
export const MOST_PAGES = 2000

/** Returns whether a site may be small enough to be searched in a browser. The amount of text is checked when it is read. */
export function mayBeSearched({ records }: Outline): boolean {
  return records.size <= MOST_PAGES
}
