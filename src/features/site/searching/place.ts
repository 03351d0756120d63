import type { Outline } from '../outline.ts'

/** The most pages that are searched in a browser. */
export const MOST_PAGES = 2000

/** Returns whether a site may be small enough to be searched in a browser. The amount of text is checked when it is read. */
export function mayBeSearched({ records }: Outline): boolean {
  return records.size <= MOST_PAGES
}
