import type { Markdown, Rendered } from '#markdown/markdown.ts'
import type { Syntax } from '#markdown/parser.ts'
import type { ShortcodeCall, Shortcodes } from '#markdown/shortcodes.ts'
import { withFileAddresses } from '../files/raw-html.ts'
import { clean } from './clean.ts'
import { type MadeShortcodes, shortcodeKey } from './shortcodes.ts'

/** The options for rendering a body to HTML. `trusted` leaves raw HTML as it is, but for what `fileAt` knows. */
export interface BodyOptions {
  /** The page's title: a first heading that says the same is left out. */
  readonly title: string
  readonly trusted: boolean
  readonly syntax?: Syntax
  /** The id of the heading whose part of the text is wanted; the whole text without it. */
  readonly part?: string | undefined
  readonly shortcodes?: Shortcodes | undefined
  /** Returns the href that a link has in the page. */
  resolve(href: string): string
  /** As `resolve`, of files beside records; undefined for any other link. */
  fileAt?(href: string): string | undefined
  /** Returns the path of the page that a link in double brackets names; undefined where it names none. */
  pageNamed?(name: string): string | undefined
}

/** The HTML of a body, with its headings. Raw HTML in it is cleaned unless the type is trusted. */
export function bodyHtml(markdown: Markdown, body: string, options: BodyOptions): Rendered {
  const { title, part, trusted, syntax = {}, shortcodes, resolve, fileAt, pageNamed } = options
  const raw = fileAt && ((html: string) => withFileAddresses(html, fileAt))
  const treatment = trusted ? raw && { raw } : { clean: (html: string) => clean(html, resolve) }
  return markdown.render(body, { title, part, syntax, shortcodes, resolve, ...(pageNamed && { pageNamed }), ...treatment })
}

/** The shortcodes of some names, of which some uses are made; the others are put into `missing`. */
export function shortcodesOf(
  names: ReadonlySet<string>,
  made: MadeShortcodes,
  missing: Map<string, ShortcodeCall>,
): Shortcodes | undefined {
  if (names.size === 0) return undefined
  const html = (call: ShortcodeCall) => {
    const key = shortcodeKey(call)
    const known = made.get(key)
    if (known === undefined) missing.set(key, call)
    return known
  }
  return { has: (name) => names.has(name), html }
}
