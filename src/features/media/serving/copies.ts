import type { Readable } from 'node:stream'
import { short } from '#lib/text/short-hash.ts'
import { areaOf } from '#media/pictures/area.ts'
import type { Pictures } from '#media/pictures/pictures.ts'
import { PICTURE_FORMATS } from '#media/pictures/request.ts'
import { tagOf } from '#media/pictures/tag.ts'
import type { Picture } from '../../picture.ts'
import { type FormLimits, formsOf } from './forms.ts'
import { type AskedPicture, pictureAsked } from './picture-path.ts'
import type { MediaFiles, ServedMedia } from './served-media.ts'
import { smallerOf } from './smaller.ts'

/** A file of media, or a smaller picture of one, to be copied. */
export interface Copy {
  /** A text that is another for every other bytes. */
  readonly version: string
  /** Makes the picture, where it is one that is made; undefined where that can't be. */
  bytes(): Promise<CopiedBytes | undefined>
}

/** The bytes of a copy; see `ServedMedia`. */
export interface CopiedBytes {
  readonly size: number
  open(): Promise<Readable | undefined>
}

interface Found {
  /** The path below `media/`; of a former address, that which it leads to. */
  readonly path: string
  readonly file: ServedMedia
  /** The smaller picture of it that is addressed. */
  readonly asked: AskedPicture | undefined
}

/** Media as they are at their addresses, for the pages of a site. */
export class MediaCopies {
  readonly #files: MediaFiles
  readonly #pictures: () => Promise<Pictures>
  readonly #limits: FormLimits
  /** Resolves with whether smaller pictures can be made on this machine. */
  readonly canMakePictures: () => Promise<boolean>

  constructor(files: MediaFiles, pictures: () => Promise<Pictures>, limits: FormLimits, canMakePictures: () => Promise<boolean>) {
    this.canMakePictures = canMakePictures
    this.#files = files
    this.#pictures = pictures
    this.#limits = limits
  }

  /** The answer of the address whose path below `/media/` this is; of a former one, that of the address it leads to. */
  async find(path: string): Promise<Copy | undefined> {
    const found = await this.#at(path)
    if (!found) return undefined
    const { file, asked } = found
    if (!asked) return { version: file.etag, bytes: async () => file }
    const bytes = async () => smallerOf(await this.#pictures(), file, asked)
    // Without what makes them, the picture itself is in the place of a smaller one.
    if (!(await this.canMakePictures())) return { version: `whole ${file.etag}`, bytes }
    const request = { ...asked, focalPoint: file.focalPoint ?? undefined }
    return { version: tagOf(await file.ref(), request, this.#limits.maxPixels), bytes }
  }

  /** Resolves with whether an address, or a former one, leads to a file. No picture is made, and no bytes are read. */
  async has(path: string): Promise<boolean> {
    return (await this.#at(path)) !== undefined
  }

  /** The picture at the address whose path below `/media/` this is, or at that which a former one leads to; undefined where none is. */
  async picture(path: string): Promise<Picture | undefined> {
    const found = await this.#at(path)
    if (!found?.file.contentType.startsWith('image/')) return undefined
    const { file, asked } = found
    const { alt, focalPoint } = file
    const { width, height, type, moves, pixels } = await file.measures()
    const canBeDrawn = PICTURE_FORMATS.some((one) => one === type) && !moves && pixels <= this.#limits.maxPixels
    const isSized = width !== null && height !== null
    if (!canBeDrawn || !isSized || !(await this.canMakePictures()))
      return { width, height, alt, print: short(JSON.stringify([width, height, alt])), forms: () => [] }
    const size = asked ? areaOf(width, height, asked).drawn : { width, height }
    const ref = await file.ref()
    const source = { path: found.path, ref, width, height, type, focalPoint }
    const print = short(JSON.stringify([size, alt, asked !== undefined, source]))
    return { ...size, alt, print, forms: (...as) => (asked ? [] : formsOf(source, this.#limits, ...as)) }
  }

  async #at(path: string): Promise<Found | undefined> {
    const asked = pictureAsked(path, this.#limits.widths)
    const source = asked?.path ?? path
    const file = await this.#files.find(source)
    if (file) return { path: source, file, asked }
    const moved = await this.#files.movedTo(source)
    const other = moved === undefined ? undefined : await this.#files.find(moved)
    return moved !== undefined && other ? { path: moved, file: other, asked } : undefined
  }
}
