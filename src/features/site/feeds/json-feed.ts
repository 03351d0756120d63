import type { Feed, FeedEntry } from './feed.ts'

/** A feed as JSON Feed 1.1 (jsonfeed.org). */
export function jsonFeedOf({ entries, locale, page, title }: Feed, self: string): string {
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: page,
    feed_url: self,
    language: locale,
    items: entries.map(itemOf),
  }
  return `${JSON.stringify(feed, undefined, 1)}\n`
}

function itemOf({ address, authors, excerpt, html, published, terms, title, updated }: FeedEntry): object {
  return {
    id: address,
    url: address,
    title,
    // One of the two has to be there.
    ...(html === '' ? { content_text: excerpt } : { content_html: html, summary: excerpt }),
    date_published: published,
    date_modified: updated,
    ...(authors.length > 0 && { authors: authors.map(({ name }) => ({ name })) }),
    ...(terms.length > 0 && { tags: terms }),
  }
}
