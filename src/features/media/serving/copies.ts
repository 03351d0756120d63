import type { Readable } from 'node:stream'
import type { Pictures } from '#media/pictures/pictures.ts'
import { pictureAsked } from './picture-path.ts'
import type { MediaFiles } from './served-media.ts'
import { smallerOf } from './smaller.ts'

/** A file of media, or a smaller picture of one, to be copied. */
export interface Copy {
  readonly size: number
  /** A text that is another for every other bytes. */
  readonly version: string
  open(): Promise<Readable | undefined>
}

/** Media as they are at their addresses, for a site that is built. */
export class MediaCopies {
  readonly #files: MediaFiles
  readonly #pictures: () => Promise<Pictures>
  readonly #widths: readonly number[]

  constructor(files: MediaFiles, pictures: () => Promise<Pictures>, widths: readonly number[]) {
    this.#files = files
    this.#pictures = pictures
    this.#widths = widths
  }

  /** The answer of the address whose path below `/media/` this is; of a former one, that of the address it leads to. */
  async find(path: string): Promise<Copy | undefined> {
    const asked = pictureAsked(path, this.#widths)
    const source = asked?.path ?? path
    const file = (await this.#files.find(source)) ?? (await this.#moved(source))
    const found = file && asked ? await smallerOf(await this.#pictures(), file, asked) : file
    return found && { size: found.size, version: found.etag, open: () => found.open() }
  }

  /** Resolves with whether an address, or a former one, leads to a file. No picture is made, and no bytes are read. */
  async has(path: string): Promise<boolean> {
    const source = pictureAsked(path, this.#widths)?.path ?? path
    return ((await this.#files.find(source)) ?? (await this.#moved(source))) !== undefined
  }

  async #moved(path: string) {
    const moved = await this.#files.movedTo(path)
    return moved === undefined ? undefined : this.#files.find(moved)
  }
}
