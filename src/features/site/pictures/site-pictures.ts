import type { SiteFile } from '#core/files/site-files.ts'
import { endingOf } from '#core/media/attachments.ts'
import type { FileFacts } from '#core/media/file-facts.ts'
import { pathOfAddress, plainPath } from '#core/permalink.ts'
import { short } from '#lib/text/short-hash.ts'
import { MEDIA_TYPES, typeOfEnding } from '#media/types.ts'
import type { Picture } from '../../picture.ts'
import type { MediaSource } from '../files/media-source.ts'
import { PerSnapshot } from '../outline/per-snapshot.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'

/** The places where the pictures of a site are. */
export interface PicturePlaces {
  readonly facts: FileFacts
  /** The media of the site; undefined where there are none. */
  readonly media: (() => MediaSource) | undefined
  /** The file of a record, a type or `static/` at an address in the spelling of `plainPath`. */
  fileAt(address: string, snapshot: SiteSnapshot): Promise<SiteFile | undefined>
  /** The state of the store and its files: another number when one of them may be another. */
  state(): number
}

/** A picture, and the state in which it was looked at. */
interface Looked {
  readonly state: number
  readonly picture: Promise<Picture | null>
}

/** Questions about pictures begin so, before the address. */
export const PICTURE = 'picture '

/** Addresses of media begin so. */
export const MEDIA = '/media/'

/** The pictures of a site by their addresses, each looked at once for a snapshot, and again when it may be another. */
export class SitePictures {
  readonly #places: PicturePlaces
  readonly #found = new PerSnapshot((address: string, snapshot): Looked => {
    const state = this.#places.state()
    const picture = this.#find(address, snapshot)
    picture.catch(() => this.#found.forget(address, snapshot))
    return { state, picture }
  })

  constructor(places: PicturePlaces) {
    this.#places = places
  }

  /** The picture at an address in the spelling of `plainPath`; null where there is none. */
  of(address: string, snapshot: SiteSnapshot): Promise<Picture | null> {
    if (this.#found.of(address, snapshot).state !== this.#places.state()) this.#found.forget(address, snapshot)
    return this.#found.of(address, snapshot).picture
  }

  /** Resolves with whether anything is at an address in the spelling of `plainPath`, where no page is. No bytes are read. */
  async isThere(address: string, snapshot: SiteSnapshot): Promise<boolean> {
    const { media, fileAt } = this.#places
    if (!address.startsWith(MEDIA)) return (await fileAt(address, snapshot)) !== undefined
    return (await media?.().has(mediaPathOf(address))) ?? false
  }

  async #find(address: string, snapshot: SiteSnapshot): Promise<Picture | null> {
    const { media, facts, fileAt } = this.#places
    if (address.startsWith(MEDIA)) return (await media?.().picture(mediaPathOf(address))) ?? null
    const file = await fileAt(address, snapshot)
    if (!file) return null
    const { width, height } = isPictureName(file.path) ? await facts.measures(file) : { width: null, height: null }
    return { width, height, alt: null, print: short(JSON.stringify([width, height])), forms: () => [] }
  }
}

/** The path below `/media/` of an address there in the spelling of `plainPath`, not encoded. */
export function mediaPathOf(address: string): string {
  return pathOfAddress(address).slice(MEDIA.length - 1)
}

/** The plain path on the site, without what it lies under, to which an address leads; undefined where that is elsewhere. */
export function pathOnSite(href: string, { origin, base }: Pick<SiteSnapshot, 'origin' | 'base'>): string | undefined {
  const own = href.startsWith(`${origin}/`) ? href.slice(origin.length) : href
  if (!own.startsWith(`${base}/`) || own.startsWith('//')) return undefined
  return plainPath(own.slice(base.length).split(/[?#]/, 1)[0] ?? '')
}

/** Returns whether a path is that of a picture, by its ending. */
export function isPictureName(path: string): boolean {
  const ending = endingOf(path)
  const type = typeOfEnding(ending)
  return ending === 'svg' || (type !== undefined && MEDIA_TYPES[type].family === 'image')
}
