import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { SiteFacts } from '../pages/page-renderer.ts'
import type { RecordView, Views } from '../pages/views.ts'
import { latest } from './sitemap.ts'
import { escapeXml } from './xml.ts'

const NEWEST = 20
/** Characters of HTML that an entry holds whole: a feed is fetched again and again. */
const LONGEST = 64 * 1024

/** The newest records as an Atom feed (RFC 4287), with their whole text where it is not over 64 KiB, else with the excerpt alone. */
export async function atomFeed(facts: SiteFacts, snapshot: SiteSnapshot, views: Views): Promise<string> {
  const prefix = snapshot.origin + snapshot.base
  const dated = snapshot.outline.home.entries.filter((entry) => entry.published !== undefined).slice(0, NEWEST)
  const records = await Promise.all(dated.map((entry) => views.entryOfFeed(entry, snapshot, LONGEST)))
  const entries = records.filter((record) => record !== undefined).map((record) => entryElement(record, snapshot.origin))
  const updated = latest(dated) ?? '1970-01-01T00:00:00.000Z'
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${escapeXml(facts.locale)}" xml:base="${escapeXml(`${prefix}/`)}">
<title>${escapeXml(facts.name)}</title>
<id>${escapeXml(`${prefix}/`)}</id>
<link rel="alternate" type="text/html" href="${escapeXml(`${prefix}/`)}"/>
<link rel="self" type="application/atom+xml" href="${escapeXml(`${prefix}/feed.xml`)}"/>
<updated>${escapeXml(updated)}</updated>
<author><name>${escapeXml(facts.name)}</name></author>
${entries.join('')}</feed>
`
}

function entryElement(record: RecordView, origin: string): string {
  const address = escapeXml(origin + record.url)
  const authors = record.authors.map(({ name }) => `<author><name>${escapeXml(name)}</name></author>`).join('')
  const published = record.published_at ?? ''
  return `<entry><title>${escapeXml(record.title)}</title><id>${address}</id><link href="${address}"/><published>${published}</published><updated>${escapeXml(record.updated_at ?? published)}</updated>${authors}<summary>${escapeXml(record.excerpt)}</summary>${contentElement(record.html)}</entry>\n`
}

function contentElement(html: string): string {
  return html === '' || html.length > LONGEST ? '' : `<content type="html">${escapeXml(html)}</content>`
}
