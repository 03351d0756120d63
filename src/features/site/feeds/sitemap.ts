import type { Entry } from '../outline/site-entries.ts'
import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'
import { escapeXml } from './xml.ts'

/** Most addresses of one sitemap, and most bytes (sitemaps.org). */
const MOST_URLS = 50_000
const MOST_BYTES = 50 * 1024 * 1024
/** Most characters of an address in it. */
const LONGEST = 2047

/**
 * The sitemap's files by path (sitemaps.org 0.9): `/sitemap.xml` with the home page and every record that has a page and is
 * neither `noindex` nor unlisted; over 50,000 addresses or 50 MB an index of parts `/sitemap-1.xml`, ….
 */
export function sitemaps(snapshot: SiteSnapshot, mostUrls = MOST_URLS): Map<string, string> {
  const prefix = snapshot.origin + snapshot.base
  const shown = [...snapshot.outline.records.values()].filter((entry) => !entry.noindex && !entry.unlisted && entry.url !== '/')
  const all = [...snapshot.outline.records.values()]
  const front = snapshot.outline.index
  const home = front?.noindex || front?.unlisted ? [] : [urlElement(`${prefix}/`, latest(all))]
  const addressed = shown.map((entry) => ({ entry, address: snapshot.origin + hrefOf(snapshot, entry.url ?? '/') }))
  const short = addressed.filter(({ address }) => address.length <= LONGEST)
  const elements = [...home, ...short.map(({ entry, address }) => urlElement(address, entry.modified))]
  const parts = split(elements, mostUrls)
  if (parts.length <= 1) return new Map([['/sitemap.xml', urlSet(parts[0] ?? [])]])
  const files = new Map(parts.map((part, index) => [`/sitemap-${index + 1}.xml`, urlSet(part)]))
  const list = [...files.keys()].map((path) => `<sitemap><loc>${escapeXml(prefix + path)}</loc></sitemap>\n`).join('')
  const index = `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${list}</sitemapindex>\n`
  return new Map([['/sitemap.xml', index], ...files])
}

/** Makes the sitemap's files once for each snapshot: anyone may ask for any number of parts that there are not. */
export class Sitemaps {
  readonly #made = new WeakMap<SiteSnapshot, ReadonlyMap<string, string>>()

  of(snapshot: SiteSnapshot): ReadonlyMap<string, string> {
    const files = this.#made.get(snapshot) ?? sitemaps(snapshot)
    this.#made.set(snapshot, files)
    return files
  }
}

/** Returns the text of `robots.txt`: the paths that robots may read (RFC 9309), and the address of the sitemap. */
export function robotsTxt(snapshot: SiteSnapshot, sitemap: boolean): string {
  const line = sitemap ? `\nSitemap: ${snapshot.origin}${snapshot.base}/sitemap.xml\n` : ''
  return `User-agent: *\nDisallow: ${snapshot.base}/admin\nDisallow: ${snapshot.base}/api/\n${line}`
}

/** The instant of the newest change among records, RFC 3339; undefined where none is known. */
export function latest(entries: readonly Entry[]): string | undefined {
  let newest: string | undefined
  for (const { modified } of entries) if (modified !== undefined && (newest === undefined || modified > newest)) newest = modified
  return newest
}

function urlElement(address: string, modified: string | undefined): string {
  const lastmod = modified === undefined ? '' : `<lastmod>${escapeXml(modified)}</lastmod>`
  return `<url><loc>${escapeXml(address)}</loc>${lastmod}</url>\n`
}

function urlSet(elements: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${elements.join('')}</urlset>\n`
}

function split(elements: readonly string[], mostUrls: number): string[][] {
  const parts: string[][] = []
  let bytes = 0
  for (const element of elements) {
    const part = parts.at(-1)
    const size = Buffer.byteLength(element)
    bytes += size
    if (part && part.length < mostUrls && bytes < MOST_BYTES - 1000) part.push(element)
    else {
      parts.push([element])
      bytes = size
    }
  }
  return parts
}
