import type { ContentType } from '#core/types/content-type.ts'

/** The number of records that a list shows at once. */
export interface ListSizes {
  /** On each of its pages. */
  readonly perPage: number
  /** In its feeds, at most. */
  readonly feedLimit: number
}

/** The sizes of lists as the configuration of a site has them; the usual ones where they are missing. */
export interface SiteSizes {
  readonly per_page?: number
  readonly feed_limit?: number
}

/** Returns the sizes of the lists that are of no single type: the home page, and terms. */
export function sizesOfSite({ per_page = 10, feed_limit = 20 }: SiteSizes): ListSizes {
  return { perPage: per_page, feedLimit: feed_limit }
}

/** Returns the sizes of the lists of a type: its own, or else those of the site. */
export function sizesOfType({ perPage, feedLimit }: ContentType, site: ListSizes): ListSizes {
  return { perPage: perPage ?? site.perPage, feedLimit: feedLimit ?? site.feedLimit }
}
