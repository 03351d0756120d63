import type { Feed, FeedEntry } from './feed.ts'
import { escapeXml } from './xml.ts'

const SPACES =
  'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"'

/** A feed as RSS 2.0 (rssboard.org), with whole texts and authors by the modules that readers know. */
export function rssOf(feed: Feed, self: string): string {
  const { locale, page, title, updated } = feed
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" ${SPACES}>
<channel>
<title>${escapeXml(title)}</title>
<link>${escapeXml(page)}</link>
<description>${escapeXml(title)}</description>
<language>${escapeXml(locale)}</language>
<lastBuildDate>${dateOf(updated)}</lastBuildDate>
<atom:link rel="self" type="application/rss+xml" href="${escapeXml(self)}"/>
${feed.entries.map(itemElement).join('')}</channel>
</rss>
`
}

function itemElement({ address, authors, excerpt, html, published, terms, title }: FeedEntry): string {
  const at = escapeXml(address)
  const people = authors.map(({ name }) => `<dc:creator>${escapeXml(name)}</dc:creator>`).join('')
  const categories = terms.map((term) => `<category>${escapeXml(term)}</category>`).join('')
  const content = html === '' ? '' : `<content:encoded>${escapeXml(html)}</content:encoded>`
  return `<item><title>${escapeXml(title)}</title><link>${at}</link><guid>${at}</guid><pubDate>${dateOf(published)}</pubDate>${people}${categories}<description>${escapeXml(excerpt)}</description>${content}</item>\n`
}

/** An instant as RFC 822 has it, with a year of four digits. */
function dateOf(instant: string): string {
  const date = new Date(instant)
  return Number.isNaN(date.getTime()) ? '' : date.toUTCString()
}
