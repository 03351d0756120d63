import { mediaUrl } from '#core/media/media.ts'
import { etagOf } from '#http/answers/etag.ts'
import { areaOf } from '#media/pictures/area.ts'
import { PICTURE_FORMATS, type PictureFormat } from '#media/pictures/request.ts'
import { tagOf } from '#media/pictures/tag.ts'
import type { PictureForm, PictureShape } from '../../picture.ts'
import { addressOf, pictureAsked } from './picture-path.ts'
import type { ServedMedia } from './served-media.ts'

/** A picture that smaller ones can be made of. */
export interface FormSource extends Pick<ServedMedia, 'focalPoint'> {
  /** The path below `media/`. */
  readonly path: string
  readonly ref: string
  readonly width: number
  readonly height: number
  /** As its bytes tell it. */
  readonly type: string | null
}

/** The limits of smaller pictures. */
export interface FormLimits {
  /** The widths that they may have. */
  readonly widths: readonly number[]
  readonly maxPixels: number
}

/** Characters of an ETag by which an address names just these bytes. */
const TAG = 10

/** The smaller forms of a picture: see `Picture.forms`. Each is named with its bytes, so that it may be kept for ever. */
export function formsOf(source: FormSource, limits: FormLimits, shape?: PictureShape, format?: string): PictureForm[] {
  const { width, height } = source
  const across = shape ? Math.min(width, Math.round((height * shape.width) / shape.height)) : width
  const widths = limits.widths.toSorted((a, b) => a - b)
  const narrower = widths.filter((one) => one < across)
  if (!shape && narrower.length === 0) return []
  const asked = [...narrower, ...widths.slice(narrower.length, narrower.length + 1)]
  return asked.flatMap((one) => formOf(source, limits, one, formatOf(source, format), shape) ?? [])
}

function formatOf({ type }: FormSource, format: string | undefined): PictureFormat {
  const own = PICTURE_FORMATS.find((one) => one === type)
  if (format === 'own') return own ?? 'jpeg'
  return PICTURE_FORMATS.find((one) => one === format) ?? (own === 'avif' ? 'avif' : 'webp')
}

function formOf(
  { path, ref, width, height, focalPoint }: FormSource,
  { widths, maxPixels }: FormLimits,
  across: number,
  format: PictureFormat,
  shape: PictureShape | undefined,
): PictureForm | undefined {
  const down = shape && { height: Math.max(1, Math.round((across * shape.height) / shape.width)) }
  const address = addressOf({ path, width: across, format, ...down })
  if (!pictureAsked(address, widths)) return undefined
  const request = { format, width: across, ...down, focalPoint: focalPoint ?? undefined }
  const version = etagOf(tagOf(ref, request, maxPixels)).slice(1, 1 + TAG)
  const { drawn } = areaOf(width, height, request)
  return { address: `${mediaUrl(address.replaceAll('/', '~'))}?v=${version}`, ...drawn }
}
