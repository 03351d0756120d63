import type { Entry } from '../outline/entry.ts'
import type { Listing } from '../outline/outline.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { atomOf } from './atom.ts'
import type { Feed } from './feed.ts'
import { jsonFeedOf } from './json-feed.ts'
import { rssOf } from './rss.ts'

/** A form that feeds are made in. */
export interface FeedForm {
  readonly file: string
  readonly contentType: string
  /** The text of a feed whose address is `self`. */
  write(feed: Feed, self: string): string
}

/** The forms of feeds, by their files. */
export const FEED_FORMS: readonly FeedForm[] = [
  { file: 'feed.xml', contentType: 'application/atom+xml', write: atomOf },
  { file: 'rss.xml', contentType: 'application/rss+xml', write: rssOf },
  { file: 'feed.json', contentType: 'application/feed+json', write: jsonFeedOf },
]

/** The place of a feed: its list, and its form. */
export interface FeedPlace {
  readonly listing: Listing
  readonly form: FeedForm
}

/** Returns the address of the feed of a list, on the site. */
export function feedUrl({ url }: Listing, { file }: FeedForm): string {
  return url === '/' ? `/${file}` : `${url}/${file}`
}

/** Returns whether a list has feeds: what has no date is no news. */
export function hasFeed({ entries, newest: [newest] = entries }: Listing): boolean {
  return newest?.published !== undefined
}

/** The records that a feed of a list has: the newest of those with a date. */
export function newestOf({ entries, newest = entries, feedLimit }: Listing): Entry[] {
  return newest.slice(0, feedLimit).filter(({ published }) => published !== undefined)
}

/** All lists that may have feeds: that of the home page first. */
function listingsOf({ outline }: SiteSnapshot): Listing[] {
  const { home, lists, sections, terms } = outline
  return [home, ...[...lists.values(), ...sections.values(), ...terms.values()].filter(hasFeed)]
}

/** The feeds of a site, by address. That of the site is there always. A record at such an address goes first. */
export function feedPlaces(snapshot: SiteSnapshot): Map<string, FeedPlace> {
  const places = new Map<string, FeedPlace>()
  for (const listing of listingsOf(snapshot)) {
    for (const form of FEED_FORMS) {
      const url = feedUrl(listing, form)
      if (listing.url === '/' || !snapshot.outline.records.has(url)) places.set(url, { listing, form })
    }
  }
  return places
}

/** The feed at an address, if there is one. */
export function feedAt(path: string, { outline }: SiteSnapshot): FeedPlace | undefined {
  const form = FEED_FORMS.find(({ file }) => path.endsWith(`/${file}`))
  if (!form) return undefined
  const url = path.slice(0, -form.file.length - 1) || '/'
  if (url === '/') return { listing: outline.home, form }
  const listing = outline.records.has(path)
    ? undefined
    : (outline.lists.get(url) ?? outline.sections.get(url) ?? outline.terms.get(url))
  return listing && hasFeed(listing) ? { listing, form } : undefined
}
