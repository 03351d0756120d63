/** The filters of the site's templates beside those of LiquidJS. */
export const SITE_FILTERS: ReadonlySet<string> = new Set([
  ...['short_day', 'day', 'asset', 'url', 'absolute_url', 'excerpt', 'markdown', 'image', 'json', 't', 'forms'],
])
