import type { Prints } from '../data/prints.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { type FeedPlace, newestOf } from './feed-places.ts'
import { hasExcerpts, titleOf } from './feeds.ts'

/** Returns all that a feed depends on beside what the whole site does and what its texts ask. */
export async function inputsOfFeed({ listing, form }: FeedPlace, snapshot: SiteSnapshot, prints: Prints): Promise<string> {
  const parts = await Promise.all(newestOf(listing).map((entry) => prints.of(entry, snapshot)))
  const [name, isShort] = [titleOf(listing, snapshot), hasExcerpts(listing, snapshot)]
  return JSON.stringify([form.file, listing.url, name, isShort, parts.map(({ print }) => print)])
}
