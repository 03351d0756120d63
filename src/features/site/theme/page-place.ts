import type { PagePictures } from '../pictures/page-pictures.ts'

/** The facts of a page that filters use. */
export interface PagePlace {
  /** Scheme and host of the site. */
  readonly origin: string
  /** The path before every address. */
  readonly base: string
  /** The moment of the state of the site that is shown, in milliseconds since 1970. */
  readonly now: number
  /** See `LinkPlace`. */
  pageAt(path: string): string | undefined
  /** The pictures that it may show; without them, those of the site are as those elsewhere. */
  readonly pictures?: PagePictures | undefined
  /** The HTML of Markdown on this page. */
  markdown(text: string): string
  /** The address of a file beside records; undefined where a link leads to none. */
  fileHref(href: string): string | undefined
}
