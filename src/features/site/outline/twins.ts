import type { Entry } from './entry.ts'
import type { Outline } from './outline.ts'

const ENDING = '.md'
const HOME = '/index.md'

/** The address at which the text of a page is as Markdown, by the page's path: `/blog/hello.md`. */
export function twinOf(path: string): string {
  return path === '/' ? HOME : path + ENDING
}

/** Returns whether the page at a path is there as Markdown: that of a record which may be found, where no page has the address. */
export function hasTwin(path: string, outline: Outline): boolean {
  const entry = recordAt(path, outline)
  return entry !== undefined && !entry.noindex && !outline.records.has(twinOf(path))
}

/** The path of the page whose twin is at an address; undefined where there is none. */
export function pageOfTwin(address: string, outline: Outline): string | undefined {
  const path = address === HOME ? '/' : address.endsWith(ENDING) ? address.slice(0, -ENDING.length) : undefined
  return path !== undefined && hasTwin(path, outline) ? path : undefined
}

function recordAt(path: string, { records, index }: Outline): Entry | undefined {
  return path === '/' ? index : records.get(path)
}
