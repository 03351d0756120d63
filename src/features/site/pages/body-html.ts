import type { Markdown, Rendered } from '#markdown/markdown.ts'
import type { Syntax } from '#markdown/parser.ts'
import { withFileAddresses } from '../files/raw-html.ts'
import { clean } from './clean.ts'

/** The options for rendering a body to HTML. `trusted` leaves raw HTML as it is, but for what `fileAt` knows. */
export interface BodyOptions {
  /** The page's title: a first heading that says the same is left out. */
  readonly title: string
  readonly trusted: boolean
  readonly syntax?: Syntax
  /** Returns the href that a link has in the page. */
  resolve(href: string): string
  /** As `resolve`, of files beside records; undefined for any other link. */
  fileAt?(href: string): string | undefined
}

/** The HTML of a body, with its headings. Raw HTML in it is cleaned unless the type is trusted. */
export function bodyHtml(markdown: Markdown, body: string, options: BodyOptions): Rendered {
  const { title, trusted, syntax = {}, resolve, fileAt } = options
  const raw = fileAt && ((html: string) => withFileAddresses(html, fileAt))
  const treatment = trusted ? raw && { raw } : { clean: (html: string) => clean(html, resolve) }
  return markdown.render(body, { title, syntax, resolve, ...treatment })
}
