import { randomBytes } from 'node:crypto'
import { htmlAddresses } from '#core/links/html-addresses.ts'
import { type LinkPlace, leadsElsewhere, resolveHref } from '#core/links/resolve.ts'
import type { ShortcodeCall, ShortcodeHtml } from '#markdown/shortcodes.ts'
import { escapeXml } from '../feeds/xml.ts'
import type { PagePlace } from '../theme/page-place.ts'
import { during } from '../theme/template-failure.ts'
import type { Theme } from '../theme/theme.ts'

/** The uses of shortcodes whose HTML is known, by what tells them apart. */
export type MadeShortcodes = ReadonlyMap<string, ShortcodeHtml>

/** The text that stands for what is within a shortcode while its template is rendered: nobody can write it. */
const INNER = `x${randomBytes(16).toString('hex')}`

/** The folder of templates that are shortcodes. */
export const SHORTCODES = 'shortcodes/'

/** The most uses of shortcodes in one text that are different, and the longest time that they may take together. */
const MOST = 1000
const LIMIT_MS = 10_000
/** The most times that a template runs for one use: each time it may ask for a picture that has to be read. */
const MOST_ROUNDS = 8
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#34;': '"',
  '&#39;': "'",
}
/** Matches addresses that run something: an argument may be the address of a link. */
const SCRIPTED = /^(?:javascript|vbscript|data:(?!image\/(?:png|jpeg|gif|webp|avif)))/i

/** The text that tells a use of a shortcode from others. */
export function shortcodeKey({ name, args, hasInner }: ShortcodeCall): string {
  return JSON.stringify([name, args, hasInner])
}

/**
 * Makes the HTML of uses of shortcodes with the theme. Addresses in it are resolved from the place of the record. Undefined where they
 * are too many. Throws TemplateFailure.
 */
export async function madeShortcodes(
  calls: readonly ShortcodeCall[],
  place: LinkPlace & PagePlace,
  theme: Theme,
): Promise<MadeShortcodes | undefined> {
  if (calls.length > MOST) return undefined
  const made = new Map<string, ShortcodeHtml>()
  const end = performance.now() + LIMIT_MS
  for (const call of calls) {
    const { name, args, hasInner } = call
    if (performance.now() > end) throw theme.failure(SHORTCODES + name, 'shortcodes of one text take over 10 seconds')
    const given = { name, args, inner: hasInner ? INNER : null }
    const html = await during({ path: place.page, given }, rendered(theme, SHORTCODES + name, given, place))
    const [before = '', ...rest] = withAddresses(html.trim(), place).split(INNER)
    made.set(shortcodeKey(call), rest.length === 0 ? { before } : { before, after: rest.join('') })
  }
  return made
}

/** The text of a template, once it has all pictures that it asks for. */
async function rendered(theme: Theme, name: string, data: object, place: PagePlace): Promise<string> {
  for (let round = 1; ; round++) {
    const html = await theme.render(name, data, place)
    if (!place.pictures?.isWaiting) return html
    if (round === MOST_ROUNDS) throw theme.failure(name, `it asks for more pictures each of the ${MOST_ROUNDS} times it is run`)
    await place.pictures.load()
  }
}

/** HTML of a template with its addresses as they have to be in the page. */
function withAddresses(html: string, place: LinkPlace): string {
  let [made, at] = ['', 0]
  for (const { start, end } of htmlAddresses(html).found) {
    const address = addressIn(
      place,
      html.slice(start, end).replace(/&(?:amp|lt|gt|quot|#34|#39);/g, (entity) => ENTITIES[entity] ?? entity),
    )
    if (address === undefined) continue
    made += html.slice(at, start) + escapeXml(address).replaceAll("'", '&#39;')
    at = end
  }
  return made + html.slice(at)
}

/** The address as it has to be in the page; undefined where it is that already. */
function addressIn(place: LinkPlace, href: string): string | undefined {
  if (SCRIPTED.test(href.replace(/[\p{Cc}\s]/gu, ''))) return '#'
  if (leadsElsewhere(href) || (href.startsWith('/') && href.startsWith(`${place.base}/`))) return undefined
  return resolveHref(href, place)
}
