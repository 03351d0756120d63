import { tagged } from '#http/answers/etag.ts'
import { escapeXml } from '../feeds/xml.ts'
import type { SitePage, SiteSnapshot } from './site-snapshot.ts'

/** The answer that leads to an address of the site, as it is served; its body does so too where only files can be served. */
export function redirectTo(address: string, snapshot: SiteSnapshot): SitePage {
  const location = snapshot.base + address
  const href = escapeXml(location)
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Moved</title><meta name="robots" content="noindex">
<link rel="canonical" href="${escapeXml(snapshot.origin + location)}"><meta http-equiv="refresh" content="0; url=${href}"></head>
<body><p>This page has moved to <a href="${href}">${href}</a>.</p></body></html>
`
  return { status: 308, contentType: 'text/html; charset=utf-8', ...tagged(Buffer.from(html)), location }
}
