import type { YieldingFile } from '../files/placing.ts'
import { hrefOf, type Place } from '../outline/site-snapshot.ts'

/** The file of a built site that hosts read redirects from (Netlify, Cloudflare Pages). */
export const REDIRECTS = '_redirects'

/** Signs by which a rule is one of many addresses, in either form of them. */
const OF_PATTERNS = /[*:]/
const ALL_OF_PATTERNS = /[*:]/g

/**
 * Returns the rules of redirects, one a line: `/old /new 301`, percent-encoded. An old address with a sign that means something in
 * rules has none: its page leads on.
 */
export function redirectRules(files: readonly YieldingFile[], place: Pick<Place, 'base' | 'urls'>): string {
  const rules = files.map(({ address, to }) =>
    to === undefined || OF_PATTERNS.test(address) ? '' : `${place.base}${address} ${plainIn(hrefOf(place, to))} 301\n`,
  )
  return rules.join('')
}

/** An address in which `*` and `:` stand for themselves. */
function plainIn(address: string): string {
  return address.replace(ALL_OF_PATTERNS, (sign) => (sign === '*' ? '%2A' : '%3A'))
}
