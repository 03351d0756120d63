import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { SiteFiles } from '#core/files/site-files.ts'
import { endingOf } from '#core/media/attachments.ts'
import type { Blobs, ByteRange } from '#core/media/blobs.ts'
import type { FileFacts, FullMeasures } from '#core/media/file-facts.ts'
import { mediaAt, mediaPath, mimeOfEnding } from '#core/media/media.ts'
import { type ETag, etagOf } from '#http/answers/etag.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { BytesReader } from '#media/bytes.ts'
import type { FocalPoint } from '#media/pictures/request.ts'
import { typeOfEnding } from '#media/types.ts'
import type { Library } from '../library.ts'
import { checksumIn, focalPointOf, numberIn, textIn } from '../sidecar.ts'

/** The bytes of a media file, to be sent. */
export interface ServedMedia {
  readonly name: string
  readonly contentType: string
  readonly size: number
  readonly etag: ETag
  readonly focalPoint: FocalPoint | null
  /** The text of its sidecar for who does not see it. */
  readonly alt: string | null
  /** True if its bytes are a blob: one that is not there was never brought here, or is gone for good. */
  readonly isBlob: boolean
  /** Resolves with a name of the bytes, the same for the same bytes wherever they lie, as far as that can be told. */
  ref(): Promise<string>
  /** Resolves with what its first bytes tell, or what was told of them when it was uploaded. */
  measures(): Promise<FullMeasures>
  /** The bytes, or those of a range; undefined where they are not there any more. */
  open(range?: ByteRange): Promise<Readable | undefined>
}

/** The dependencies of media that are served. */
export interface ServedDeps {
  readonly library: Library
  readonly facts: FileFacts
  readonly siteFiles: SiteFiles
  /** Opens the blobs of the site. */
  readonly blobs: () => Blobs
}

/** Finds media by their paths, for everyone: their addresses are public to who knows them. */
export class MediaFiles {
  readonly #deps: ServedDeps

  constructor(deps: ServedDeps) {
    this.#deps = deps
  }

  /** The file at a path below `media/`; undefined where there is none. The bytes of one may not be there. */
  async find(path: string): Promise<ServedMedia | undefined> {
    const key = mediaAt(path)
    const entry = key && (await this.#deps.library.one(key))
    if (!key || !entry) return undefined
    const { head, file } = entry
    const fields = head?.fields ?? {}
    // What a sidecar says of the type is no reason to send bytes as a page.
    const about = { name: path.slice(path.lastIndexOf('/') + 1), contentType: mimeOfEnding(key.id) }
    const said = { focalPoint: focalPointOf(fields.focal_point), alt: textIn(fields, 'alt') }
    const { siteFiles, blobs, facts } = this.#deps
    if (file) {
      const etag = etagOf(JSON.stringify([file.path, file.version]))
      const ref = async () => (await facts.checksum(file)) ?? etag
      const measures = () => facts.measures(file)
      return {
        ...{ ...about, ...said, size: file.size, etag, isBlob: false },
        ...{ ref, measures, open: (range) => siteFiles.open(file, range) },
      }
    }
    const [checksum, size] = [checksumIn(fields), numberIn(fields, 'size')]
    if (checksum === null || size === null) return undefined
    const ref = checksum.slice('sha256:'.length)
    const open: ServedMedia['open'] = (range) => blobs().open(ref, range)
    const measures = async () => toldOf(fields, path) ?? facts.measured({ name: path, version: checksum, reader: () => reader })
    const made: ServedMedia = {
      ...{ ...about, ...said, size, etag: etagOf(ref), isBlob: true },
      ...{ ref: async () => checksum, measures, open },
    }
    const reader = readerOf(made)
    return made
  }

  /** The path below `media/` to which the one at this path was moved; undefined where none was, or none is there. */
  async movedTo(path: string): Promise<string | undefined> {
    const key = mediaAt(path)
    const moved = key && (await this.#deps.library.movedTo(key))
    const to = moved && mediaPath(moved.id)
    // Sidecars without bytes may lead to each other in a circle.
    return to !== undefined && (await this.find(to)) ? to : undefined
  }
}

/** The measures in a sidecar; undefined where it has not all, or they don't say whether it moves. */
function toldOf(fields: Readonly<Fields>, path: string): FullMeasures | undefined {
  const [width, height, duration] = [numberIn(fields, 'width'), numberIn(fields, 'height'), numberIn(fields, 'duration')]
  const type = typeOfEnding(endingOf(path)) ?? null
  if (width === null || height === null || type === 'png') return undefined
  return { width, height, duration, type, moves: duration !== null, pixels: width * height }
}

/** The bytes of a media file are not there. */
export class BytesMissing extends Error {}

/** Returns a reader of a media file by ranges. Its reads throw Unavailable where the file is another by now, else BytesMissing. */
export function readerOf({ name, size, isBlob, open }: ServedMedia): BytesReader {
  return {
    size,
    read: async (start, end) => {
      const bytes = await open({ start, end })
      if (!bytes && isBlob) throw new BytesMissing(`The bytes of ${name} are not there.`)
      if (!bytes) throw new Unavailable(`${name} is gone, or was replaced meanwhile.`, 1)
      return buffer(bytes)
    },
  }
}
