import type { Head } from './document.ts'
import { type Permalink, placed } from './permalink.ts'

/** Matches an address on another host. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]{2}/i
const OUT_OF_SITE: Permalink = { url: null, fault: 'is on another host' }

/** Most aliases of a record that lead to it, and other names of a term: those after them are left out, and `cms check` says so. */
export const MOST_ALIASES = 5_000

/**
 * The addresses that lead to a record's page: front matter `aliases`, a string or a list, each made absolute as Hugo does (from
 * the page's folder).
 */
export function aliasesOf(head: Pick<Head, 'fields'>, url: string): string[] {
  const paths = new Set<string>()
  for (const { place } of aliasPlaces(head, url)) if (place.url !== null && place.url !== url) paths.add(place.url)
  return [...paths]
}

/** The aliases of a record as they are written, each with its address, or the reason why it has none. */
export function* aliasPlaces(
  { fields: { aliases } }: Pick<Head, 'fields'>,
  url: string,
): Generator<{ readonly alias: string; readonly place: Permalink }> {
  const folder = url.slice(0, url.lastIndexOf('/') + 1)
  for (const alias of Array.isArray(aliases) ? aliases.slice(0, MOST_ALIASES) : [aliases]) {
    const text = typeof alias === 'string' ? alias.trim() : ''
    if (text === '') continue
    yield { alias: text, place: ELSEWHERE.test(text) ? OUT_OF_SITE : placed(text.startsWith('/') ? text : folder + text) }
  }
}
