import { type Tagged, tagged } from '#http/answers/etag.ts'
import type { Clock } from '#lib/clock.ts'
import type { Entry } from '../outline/entry.ts'
import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'
import { MEDIA, mediaPathOf, pathOnSite } from '../pictures/site-pictures.ts'
import { type Covers, TRUSTED_MS } from './covers.ts'
import { escapeXml } from './xml.ts'

/** Most addresses of one sitemap, and most bytes (sitemaps.org). */
const MOST_URLS = 50_000
const MOST_BYTES = 50 * 1024 * 1024
/** Most characters of an address in it. */
const LONGEST = 2047

/** The names of the elements of a sitemap, and of the pictures in it. */
const SITEMAPS = 'http://www.sitemaps.org/schemas/sitemap/0.9'
const IMAGES = 'http://www.google.com/schemas/sitemap-image/1.1'

/** The addresses of the pictures of records; see `Covers`. */
type PicturesOf = ReadonlyMap<Entry, string>

/** A sitemap: its files by path, and the paths below `/media/` of the pictures that it names. */
export interface Sitemap {
  readonly files: ReadonlyMap<string, Tagged>
  readonly media: readonly string[]
}

/**
 * The sitemap's files by path (sitemaps.org 0.9, with Google's extension for pictures): `/sitemap.xml` with the home page and every
 * record that has a page and is neither `noindex` nor unlisted, each with the picture that is its own; over 50,000 addresses or 50 MB
 * an index of parts `/sitemap-1.xml`, ….
 */
export function sitemaps(snapshot: SiteSnapshot, pictures: PicturesOf = new Map(), mostUrls = MOST_URLS): Map<string, string> {
  const prefix = snapshot.origin + snapshot.base
  const all = [...snapshot.outline.records.values()]
  const front = snapshot.outline.index
  const frontPicture = front && pictures.get(front)
  const home = isListed(front) ? [urlElement(`${prefix}/`, latest(all), frontPicture)] : []
  const addressed = listedOf(snapshot).map((entry) => ({ entry, address: snapshot.origin + hrefOf(snapshot, entry.url ?? '/') }))
  const short = addressed.filter(({ address }) => address.length <= LONGEST)
  const elements = [...home, ...short.map(({ entry, address }) => urlElement(address, entry.modified, pictures.get(entry)))]
  const parts = split(elements, mostUrls)
  if (parts.length <= 1) return new Map([['/sitemap.xml', urlSet(parts[0] ?? [])]])
  const files = new Map(parts.map((part, index) => [`/sitemap-${index + 1}.xml`, urlSet(part)]))
  const list = [...files.keys()].map((path) => `<sitemap><loc>${escapeXml(prefix + path)}</loc></sitemap>\n`).join('')
  const index = `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="${SITEMAPS}">\n${list}</sitemapindex>\n`
  return new Map([['/sitemap.xml', index], ...files])
}

/**
 * Makes the sitemap once for each snapshot, and anew when its pictures may be others: anyone may ask for any number of parts that
 * there are not.
 */
export class Sitemaps {
  readonly #covers: Pick<Covers, 'of' | 'forget'>
  readonly #clock: Clock
  readonly #made = new WeakMap<SiteSnapshot, { readonly looked: number; readonly sitemap: Promise<Sitemap> }>()

  constructor(covers: Pick<Covers, 'of' | 'forget'>, clock: Clock) {
    this.#covers = covers
    this.#clock = clock
  }

  /** The sitemap of a snapshot; a file that a picture is may have come or gone a minute ago. */
  of(snapshot: SiteSnapshot): Promise<Sitemap> {
    const now = this.#clock.now()
    const known = this.#made.get(snapshot)
    if (known && Math.abs(now - known.looked) < TRUSTED_MS) return known.sitemap
    const sitemap = this.#make(snapshot)
    this.#made.set(snapshot, { looked: now, sitemap })
    sitemap.catch(() => this.#made.delete(snapshot))
    return sitemap
  }

  /** Has the files of pictures looked for anew: for a build, whose sitemap is to be right now. */
  lookAnew(): void {
    this.#covers.forget()
  }

  async #make(snapshot: SiteSnapshot): Promise<Sitemap> {
    const front = snapshot.outline.index
    const entries = [...(front && isListed(front) ? [front] : []), ...listedOf(snapshot)]
    const pictures = await this.#covers.of(entries, snapshot)
    const files = [...sitemaps(snapshot, pictures)].map(([path, xml]) => [path, tagged(Buffer.from(xml))] as const)
    const own = [...pictures.values()].flatMap((address) => pathOnSite(address, snapshot) ?? [])
    const media = own.filter((path) => path.startsWith(MEDIA)).map(mediaPathOf)
    return { files: new Map(files), media: [...new Set(media)] }
  }
}

/** Returns whether a record, or the home page where it has none, may be found. */
function isListed(entry: Entry | undefined): boolean {
  return !entry?.noindex && !entry?.unlisted
}

/** The records that a sitemap has, but for that of the home page. */
function listedOf({ outline }: SiteSnapshot): Entry[] {
  return [...outline.records.values()].filter((entry) => isListed(entry) && entry.url !== '/')
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

function urlElement(address: string, modified: string | undefined, picture: string | undefined): string {
  const lastmod = modified === undefined ? '' : `<lastmod>${escapeXml(modified)}</lastmod>`
  const isShort = picture !== undefined && picture.length <= LONGEST
  const image = isShort ? `<image:image><image:loc>${escapeXml(picture)}</image:loc></image:image>` : ''
  return `<url><loc>${escapeXml(address)}</loc>${lastmod}${image}</url>\n`
}

/** A set without pictures does not name what they are called in. */
function urlSet(elements: readonly string[]): string {
  const images = elements.some((element) => element.includes('<image:image>')) ? ` xmlns:image="${IMAGES}"` : ''
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${SITEMAPS}"${images}>\n${elements.join('')}</urlset>\n`
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
