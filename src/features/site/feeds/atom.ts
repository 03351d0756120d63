import type { Feed, FeedEntry } from './feed.ts'
import { escapeXml } from './xml.ts'

/** A feed as Atom (RFC 4287). */
export function atomOf(feed: Feed, self: string): string {
  const { locale, page, site, title, updated } = feed
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${escapeXml(locale)}" xml:base="${escapeXml(page)}">
<title>${escapeXml(title)}</title>
<id>${escapeXml(page)}</id>
<link rel="alternate" type="text/html" href="${escapeXml(page)}"/>
<link rel="self" type="application/atom+xml" href="${escapeXml(self)}"/>
<updated>${escapeXml(updated)}</updated>
<author><name>${escapeXml(site)}</name></author>
${feed.entries.map(entryElement).join('')}</feed>
`
}

function entryElement({ address, authors, excerpt, html, published, terms, title, updated }: FeedEntry): string {
  const at = escapeXml(address)
  const people = authors.map(({ name }) => `<author><name>${escapeXml(name)}</name></author>`).join('')
  const categories = terms.map((term) => `<category term="${escapeXml(term)}"/>`).join('')
  const content = html === '' ? '' : `<content type="html">${escapeXml(html)}</content>`
  return `<entry><title>${escapeXml(title)}</title><id>${at}</id><link href="${at}"/><published>${escapeXml(published)}</published><updated>${escapeXml(updated)}</updated>${people}${categories}<summary>${escapeXml(excerpt)}</summary>${content}</entry>\n`
}
