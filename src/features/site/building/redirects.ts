import { buffer } from 'node:stream/consumers'
import type { SiteFile, SiteFiles } from '#core/files/site-files.ts'
import type { YieldingFile } from '../files/placing.ts'
import { hrefOf, type Place } from '../outline/site-snapshot.ts'

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

/** The most bytes of a file of redirects that is read. */
const MOST_BYTES = 4 * 1024 * 1024

/**
 * Returns a site's own redirects with these rules behind them: the first that fits counts. Undefined where the file is gone, or too large
 * to be one.
 */
export async function withOwnRules(own: SiteFile, files: SiteFiles, rules: string): Promise<Buffer | undefined> {
  const content = own.size <= MOST_BYTES ? await files.open(own) : undefined
  if (!content) return undefined
  const bytes = await buffer(content)
  const end = rules === '' || bytes.length === 0 || bytes.at(-1) === 10 ? '' : '\n'
  return Buffer.concat([bytes, Buffer.from(end + rules)])
}

/** An address in which `*` and `:` stand for themselves. */
function plainIn(address: string): string {
  return address.replace(ALL_OF_PATTERNS, (sign) => (sign === '*' ? '%2A' : '%3A'))
}
