import { SEARCH_PAGE } from '#core/permalink.ts'
import type { Outline } from '../outline/outline.ts'
import { ID_SPACE } from './posting-code.ts'

/** The scripts that a browser searches with. */
export const SCRIPT_NAMES = ['lunr.js', 'search.js', 'words.js'] as const

/** The address of the file that a browser begins a search with: it says which words are in which of the others. */
export const INDEX_FILE = `${SEARCH_PAGE}/index.json`

/** The addresses of the folders of words and of pages. */
export const SEARCH_FOLDERS: readonly string[] = [`${SEARCH_PAGE}/words`, `${SEARCH_PAGE}/pages`]

/** The addresses of the files that a browser searches with, of which the names never change, and of the folders of the others. */
export const SEARCH_FILES: readonly string[] = [
  INDEX_FILE,
  ...SCRIPT_NAMES.map((name) => `${SEARCH_PAGE}/${name}`),
  ...SEARCH_FOLDERS,
]

/** The most pages that are searched in a browser. */
export const MOST_PAGES = 20_000

const PAGE_FILE = new RegExp(`^${SEARCH_PAGE}/pages/([0-9a-f]{5})\\.json$`)

/** Returns whether a site is small enough to be searched in a browser. */
export function mayBeSearched({ records }: Outline): boolean {
  return records.size <= MOST_PAGES
}

/** The address of a file of words. */
export function wordsFile(name: string): string {
  return `${SEARCH_PAGE}/words/${name}.json`
}

/** The address of the file of a page, by the page's number. */
export function pageFile(id: number): string {
  return `${SEARCH_PAGE}/pages/${id.toString(16).padStart(5, '0')}.json`
}

/** The number of the page whose file is at an address. */
export function pageOfFile(address: string): number | undefined {
  const id = Number.parseInt(PAGE_FILE.exec(address)?.[1] ?? '', 16)
  return id < ID_SPACE ? id : undefined
}

/** The reason why a site is not searched in a browser, as a sentence; undefined where it is. */
export function unsearchedReason(outline: Outline): string | undefined {
  if (mayBeSearched(outline)) return undefined
  const pages = outline.records.size.toLocaleString('en')
  return `The site has ${pages} pages: over ${MOST_PAGES.toLocaleString('en')} can't be searched in a browser.`
}
