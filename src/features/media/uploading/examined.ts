import { buffer } from 'node:stream/consumers'
import type { Blobs, StoredBlob } from '#core/media/blobs.ts'
import { InvalidInput, Unavailable, UnsupportedMediaType } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { BytesReader } from '#media/bytes.ts'
import { MediaFault } from '#media/fault.ts'
import { type Inspected, inspect } from '#media/inspect.ts'
import { shownSize } from '#media/picture.ts'
import { MEDIA_TYPES, type MediaType } from '#media/types.ts'

/** The bounds of what is taken, as the configuration has them. */
export interface MediaLimits {
  readonly types: readonly MediaType[]
  readonly max_pixels: number
  readonly keep_metadata: boolean
}

/** Returns a reader of the ranges of a blob. */
export function blobReader(blobs: Blobs, { ref, size }: StoredBlob): BytesReader {
  return {
    size,
    read: async (start, end) => {
      const found = await blobs.open(ref, { start, end })
      if (!found) throw new Unavailable('The uploaded bytes are gone: send them again.', 1)
      return buffer(found)
    },
  }
}

/**
 * Looks at an upload. Throws UnsupportedMediaType for a type that is not taken, InvalidInput for a file that is broken or too large a
 * picture. Nothing is decoded.
 */
export async function examined(reader: BytesReader, ending: string, limits: MediaLimits): Promise<Inspected> {
  const found = await inspect(reader, { ending, keepMetadata: limits.keep_metadata }).catch((error: unknown) => {
    throw error instanceof MediaFault ? failureOf(error) : error
  })
  if (!limits.types.includes(found.type))
    throw new UnsupportedMediaType(`This is ${found.type}, which is not taken here: taken are ${limits.types.join(', ')}.`)
  const { pixels = 0 } = found
  if (pixels <= limits.max_pixels) return found
  const frames = (found.frames ?? 1) > 1 ? ` in ${counted(found.frames ?? 1)} frames` : ''
  throw wrong(`The picture has ${counted(pixels)} pixels${frames}; at most ${counted(limits.max_pixels)} are taken.`)
}

/** Returns what a sidecar says of the bytes of a file; null for what is not known of it. */
export function factsOf(found: Inspected, { ref, size }: StoredBlob): Fields {
  const { width = null, height = null } = shownSize(found)
  const { mime } = MEDIA_TYPES[found.type]
  return { checksum: `sha256:${ref}`, size, mime_type: mime, width, height, duration: found.duration ?? null }
}

function failureOf({ reason, message, hint }: MediaFault): InvalidInput | UnsupportedMediaType {
  const whole = hint === undefined ? message : `${message} ${hint}`
  return reason === 'type' ? new UnsupportedMediaType(whole) : wrong(whole)
}

function wrong(message: string): InvalidInput {
  return new InvalidInput({ file: [message] })
}

function counted(number: number): string {
  return number.toLocaleString('en')
}
