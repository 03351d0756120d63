import { htmlAddresses } from '#core/links/html-addresses.ts'
import { fileHref, type LinkPlace, leadsElsewhere } from '#core/links/resolve.ts'
import type { Fields, Json } from '#lib/json.ts'
import { type Answers, type Asked, placeOf } from '../files/asked.ts'
import { PICTURE_FIELDS, PICTURE_WITHIN } from '../outline/pictured.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { PagePictures } from '../pictures/page-pictures.ts'
import type { Plan } from './plans.ts'
import type { RecordView } from './views.ts'

/** The picture that stands for a page where others link to it. */
export interface PageImage {
  /** Whole. */
  readonly url: string
  readonly alt: string
  /** In pixels; null where it is not known. */
  readonly width: number | null
  readonly height: number | null
}

/** The receivers of what the finding of a picture asks the site. */
interface Asking {
  /** Its questions are added. */
  readonly asked: Asked
  readonly pictures: PagePictures
}

/** A picture as a record names it. */
interface Named {
  readonly src: string
  readonly alt?: string | undefined
  readonly width?: number | undefined
  readonly height?: number | undefined
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

/** Finds the pictures of pages. */
export class PageImages {
  readonly #answers: Answers

  constructor(answers: Answers) {
    this.#answers = answers
  }

  /**
   * The picture that the record of a page names as its own, else the first of its text, else the logo of the site.
   */
  async ofPage(
    { whole }: Pick<Plan, 'whole'>,
    record: RecordView | undefined,
    snapshot: SiteSnapshot,
    asking: Asking,
  ): Promise<PageImage | undefined> {
    const { base, origin, settings } = snapshot
    const own = whole && record && (await this.#of(record, placeOf(whole.entry, snapshot, base, asking.asked), origin, asking))
    const logo = settings.site?.logo
    if (own || typeof logo !== 'string' || logo === '') return own
    return this.#whole({ src: logo }, { base, page: '/' }, origin, asking)
  }

  async #of({ fields, html }: RecordView, place: LinkPlace, origin: string, asking: Asking) {
    const own = await namedIn(fields, place, (path) => this.#answers.mediaAt(path, asking.asked))
    const shown = own ?? firstIn(html)
    return shown && this.#whole(shown, place, origin, asking)
  }

  async #whole(
    { src, alt, width, height }: Named,
    { base, page }: Pick<LinkPlace, 'base' | 'page'>,
    origin: string,
    { pictures }: Asking,
  ): Promise<PageImage | undefined> {
    const url = wholeAddress(src, { base, page }, origin)
    if (!url) return undefined
    const known = await pictures.loaded(url.href)
    return {
      url: url.href,
      alt: alt ?? known?.alt ?? '',
      width: width ?? known?.width ?? null,
      height: height ?? known?.height ?? null,
    }
  }
}

/**
 * The picture that a record names as its own, by its fields as they are shown: from the site's top, beside the record, or below media/,
 * where `mediaAt` gives the address of a media file by its path. Undefined where it names none, or none that is known of.
 */
export async function namedIn(
  fields: Readonly<Fields>,
  place: LinkPlace,
  mediaAt: (path: string) => Promise<string | undefined>,
): Promise<Named | undefined> {
  for (const name of PICTURE_FIELDS) {
    const value = fields[name]
    const found = pictureIn(Array.isArray(value) ? value[0] : value)
    if (!found) continue
    const src = await addressOf(found.src, place, mediaAt)
    return src === undefined ? undefined : { ...found, src }
  }
  return undefined
}

/** The whole address to which one leads from a page of a site; undefined where that is none of the web. */
export function wholeAddress(src: string, { base, page }: Pick<LinkPlace, 'base' | 'page'>, origin: string): URL | undefined {
  const from = origin + base + page
  const url = URL.canParse(src, from) ? new URL(src, from) : undefined
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}

async function addressOf(
  value: string,
  place: LinkPlace,
  mediaAt: (path: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (leadsElsewhere(value)) return value
  if (value.startsWith('/')) return place.base === '' || value.startsWith(`${place.base}/`) ? value : place.base + value
  const media = await mediaAt(value)
  return media === undefined ? fileHref(value.includes('%') ? value : encodeURI(value), place) : place.base + media
}

function pictureIn(value: Json | undefined): Named | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : { src: value.trim() }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  const src = PICTURE_WITHIN.map((name) => value[name]).find((one) => typeof one === 'string' && one.trim() !== '')
  const alt = typeof value.alt === 'string' ? value.alt : undefined
  return typeof src === 'string' ? { src: src.trim(), alt } : undefined
}

/** The first picture of a page that is no data. */
function firstIn(html: string): Named | undefined {
  if (!html.includes('<img')) return undefined
  for (const { start, end } of htmlAddresses(html).found) {
    const tag = html.slice(html.lastIndexOf('<', start), html.indexOf('>', end))
    const src = plain(html.slice(start, end))
    if (!/^<img\s/i.test(tag) || /^data:/i.test(src)) continue
    const value = (name: string) => new RegExp(`\\s${name}="([^"]*)"`, 'i').exec(tag)?.[1]
    const count = (name: string) => (/^\d{1,6}$/.test(value(name) ?? '') ? Number(value(name)) : undefined)
    return { src, alt: plain(value('alt') ?? ''), width: count('width'), height: count('height') }
  }
  return undefined
}

function plain(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
}
