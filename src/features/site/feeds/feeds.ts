import type { Asked } from '../files/asked.ts'
import type { Entry } from '../outline/entry.ts'
import type { Listing } from '../outline/outline.ts'
import { PerSnapshot } from '../outline/per-snapshot.ts'
import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'
import type { SiteFacts } from '../pages/site-facts.ts'
import type { SummaryView } from '../pages/summaries.ts'
import type { Views } from '../pages/views.ts'
import type { Feed, FeedEntry } from './feed.ts'
import { type FeedPlace, feedUrl, newestOf } from './feed-places.ts'
import { latest } from './sitemap.ts'
import { escapeXml } from './xml.ts'

/** A record in a list, with its text as HTML, or ''. */
type ViewInFeed = SummaryView & { readonly html: string }

/** A feed, and the questions about pictures that it was made with. */
interface Made {
  readonly feed: Feed
  readonly asked: Asked
}

/** Characters of HTML that an entry holds whole: a feed is fetched again and again. */
const LONGEST = 64 * 1024
const SECTION_SIGN = / ?<a class="anchor"[^<>]*>[^<>]*<\/a>/g
const TO_OWN_PART = /(<a\s(?:[^<>]*?\s)?href=")#/g
const NEVER = '1970-01-01T00:00:00.000Z'

/**
 * The feeds of a site. Those of terms and sections have excerpts alone: there are many, and each text would be in several of them.
 */
export class Feeds {
  readonly #facts: SiteFacts
  readonly #views: Views
  /** Feeds by their lists: each is made into several forms. */
  readonly #feeds = new PerSnapshot((listing: Listing, snapshot) => this.#make(listing, snapshot))

  constructor(facts: SiteFacts, views: Views) {
    this.#facts = facts
    this.#views = views
  }

  /** The text of a feed. */
  async text(place: FeedPlace, snapshot: SiteSnapshot): Promise<string> {
    return (await this.written(place, snapshot)).text
  }

  /** The text of a feed, and the questions that its texts asked the site. */
  async written({ listing, form }: FeedPlace, snapshot: SiteSnapshot): Promise<{ text: string; asked: Asked }> {
    const { feed, asked } = await this.#current(listing, snapshot)
    return { text: form.write(feed, snapshot.origin + snapshot.base + feedUrl(listing, form)), asked }
  }

  async #current(listing: Listing, snapshot: SiteSnapshot): Promise<Made> {
    const made = await this.#feeds.of(listing, snapshot)
    if (await this.#views.answers.picturesAreStill(made.asked, snapshot)) return made
    this.#feeds.forget(listing, snapshot)
    return this.#feeds.of(listing, snapshot)
  }

  async #make(listing: Listing, snapshot: SiteSnapshot): Promise<Made> {
    const { name, locale } = this.#facts
    const newest = newestOf(listing)
    const asked: Asked = new Map()
    const views = await Promise.all(newest.map((entry) => this.#view(entry, listing, snapshot, asked)))
    const feed = {
      title: listing.url === '/' ? name : `${titleOf(listing, snapshot)} · ${name}`,
      ...{ locale, site: name },
      page: snapshot.origin + hrefOf(snapshot, listing.url),
      updated: latest(newest) ?? NEVER,
      entries: views.flatMap((view) => (view ? entryOf(view, snapshot.origin) : [])),
    }
    return { feed, asked }
  }

  async #view(entry: Entry, listing: Listing, snapshot: SiteSnapshot, asked: Asked): Promise<ViewInFeed | undefined> {
    if (!hasExcerpts(listing, snapshot)) return this.#views.entryOfFeed(entry, snapshot, LONGEST, asked)
    return { ...(await this.#views.summaries.of(entry, snapshot)), html: '' }
  }
}

/** Returns whether the feeds of a list, as those of terms and sections, are made of what lists show, and of nothing else. */
export function hasExcerpts({ url }: Listing, { outline }: SiteSnapshot): boolean {
  return url !== '/' && !outline.lists.has(url)
}

/** The name of a list in its feeds. */
export function titleOf({ url }: Listing, { outline: { lists, sections, terms } }: SiteSnapshot): string {
  return (lists.get(url) ?? sections.get(url))?.label ?? terms.get(url)?.name ?? url
}

function entryOf(view: ViewInFeed, origin: string): FeedEntry {
  const published = view.published_at ?? NEVER
  return {
    title: view.title,
    address: origin + view.url,
    excerpt: view.excerpt,
    published,
    updated: view.updated_at ?? published,
    authors: view.authors.filter(({ name }) => isReadable(name)),
    terms: view.terms.map(({ name }) => name).filter(isReadable),
    html: view.html.length > LONGEST ? '' : readElsewhere(view.html, origin + view.url),
  }
}

/** The text of a page with links to its own parts whole, and without the signs at its headings that show such links. */
function readElsewhere(html: string, address: string): string {
  return html.replace(SECTION_SIGN, '').replace(TO_OWN_PART, (_, before: string) => `${before}${escapeXml(address)}#`)
}

/** Returns whether anything of a name is left in XML. */
function isReadable(name: string): boolean {
  return escapeXml(name).trim() !== ''
}
