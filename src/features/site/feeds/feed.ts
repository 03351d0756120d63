import type { AuthorView } from '../pages/authors.ts'

/** A record in a feed. Its address is whole. */
export interface FeedEntry {
  readonly title: string
  readonly address: string
  readonly excerpt: string
  /** RFC 3339. */
  readonly published: string
  readonly updated: string
  readonly authors: readonly AuthorView[]
  /** Names of its terms. */
  readonly terms: readonly string[]
  /** Its text, with whole addresses; '' where there is its excerpt alone. */
  readonly html: string
}

/** The newest records of a list, for programs that look whether there is something new. Addresses are whole. */
export interface Feed {
  /** Of the list, or of the site. */
  readonly title: string
  readonly locale: string
  readonly site: string
  /** The page that has the same list. */
  readonly page: string
  /** RFC 3339: when one of them was last changed. */
  readonly updated: string
  readonly entries: readonly FeedEntry[]
}
