import type { MediaKnowing } from '#core/media/media-values.ts'
import { cacheKey } from '#lib/cache-key.ts'
import type { Picture } from '../../picture.ts'
import type { Asked } from '../files/asked.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { withPictures } from './picture-html.ts'
import { isPictureName, MEDIA, mediaPathOf, PICTURE, pathOnSite, type SitePictures } from './site-pictures.ts'

/** A place in a template, by the name it has among the templates. */
export interface TemplateSpot {
  readonly template: string | undefined
  readonly line: number | undefined
}

/** A picture that a template asks for, and which is not there. */
export interface MissingPicture extends TemplateSpot {
  readonly href: string
}

/** The way in which the pictures of a page are found and shown. */
export interface PagePicturesOptions {
  /** Questions are added to it. */
  readonly asked?: Asked | undefined
  /** For a page that is read elsewhere: there are no smaller forms on it. */
  readonly isWhole?: boolean
  /** The media files that it may tell of, where that is not all of them: any other is as one that is not there. */
  readonly knows?: MediaKnowing | undefined
}

/** The most pictures of one page that are looked at. */
const MOST = 1_000
const AT_ONCE = 16

/**
 * The pictures that one page shows. What makes it can't wait: a picture that was not looked at yet is absent then, and `isWaiting`
 * says so. Once it was loaded, that is done again.
 */
export class PagePictures {
  readonly #pictures: SitePictures
  readonly #snapshot: SiteSnapshot
  readonly #asked: Asked | undefined
  readonly #isWhole: boolean
  readonly #knows: MediaKnowing | undefined
  readonly #known = new Map<string, Picture | null>()
  readonly #missing = new Map<string, MissingPicture>()
  #wanted = new Set<string>()

  constructor(pictures: SitePictures, snapshot: SiteSnapshot, { asked, isWhole = false, knows }: PagePicturesOptions) {
    this.#pictures = pictures
    this.#snapshot = snapshot
    this.#asked = asked
    this.#isWhole = isWhole
    this.#knows = knows
  }

  /** True if a picture was asked for that has to be loaded before the page can be made. */
  get isWaiting(): boolean {
    return this.#wanted.size > 0
  }

  /**
   * The picture to which an address leads; null where the site has none there, undefined where the address leads elsewhere, it is not
   * loaded yet, or the page has too many.
   */
  at(href: string): Picture | null | undefined {
    const address = pathOnSite(href, this.#snapshot)
    if (address === undefined) return undefined
    const known = this.#known.get(address)
    if (known === undefined && this.#known.size + this.#wanted.size < MOST) this.#wanted.add(address)
    return known
  }

  /** True if any picture of the site was asked for. */
  get hasAny(): boolean {
    return this.#known.size > 0
  }

  /** Has the pictures loaded to which some of these values may lead, before they are asked for. */
  async foresee(values: readonly unknown[]): Promise<void> {
    for (const value of values) if (typeof value === 'string' && isPictureName(value)) this.at(value)
    await this.load()
  }

  /** The pictures that templates asked for and that are not there. */
  get missing(): readonly MissingPicture[] {
    return [...this.#missing.values()]
  }

  /** Notes that a template asks for a picture that is not there. */
  miss(href: string, spot: TemplateSpot): void {
    this.#missing.set(cacheKey(href, spot.template, spot.line), { href, ...spot })
  }

  /** As `at`, of one that is loaded now. */
  async loaded(href: string): Promise<Picture | null | undefined> {
    const known = this.at(href)
    if (known !== undefined || !this.isWaiting) return known
    await this.load()
    return this.at(href)
  }

  /** The address of a smaller form as it stands on the page. */
  hrefOf(address: string): string {
    return this.#snapshot.base + address
  }

  /** Returns HTML with its pictures completed, once they are loaded; see `withPictures`. */
  async completed(html: string): Promise<string> {
    const made = withPictures(html, this)
    if (!this.isWaiting) return made
    await this.load()
    return withPictures(html, this)
  }

  /** Loads what was asked for and is not there. */
  async load(): Promise<void> {
    const wanted = [...this.#wanted]
    for (let start = 0; start < wanted.length; start += AT_ONCE) {
      const part = wanted.slice(start, start + AT_ONCE)
      const found = await Promise.all(part.map((address) => this.#find(address)))
      for (const [n, picture] of found.entries()) this.#keep(part[n] ?? '', picture)
    }
    this.#wanted = new Set()
  }

  async #find(address: string): Promise<Picture | null> {
    const isHidden = this.#knows && address.startsWith(MEDIA) && !(await this.#knows(mediaPathOf(address)))
    return isHidden ? null : this.#pictures.of(address, this.#snapshot)
  }

  #keep(address: string, picture: Picture | null): void {
    this.#asked?.set(PICTURE + address, picture?.print ?? null)
    this.#known.set(address, picture && this.#isWhole ? { ...picture, forms: () => [] } : picture)
  }
}
