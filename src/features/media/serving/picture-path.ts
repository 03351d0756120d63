import { PICTURE_FORMATS, type PictureFormat } from '#media/pictures/request.ts'

/** A smaller picture that is asked for by its address. `path` is that of the picture below `media/`. */
export interface AskedPicture {
  readonly path: string
  readonly width: number
  readonly height?: number
  readonly format: PictureFormat
}

const PICTURE = /^_w(\d{1,5})(?:x(\d{1,5}))?\/(.+)\.([a-z]+)$/

/** Times the width that a height may be at most. */
const MOST_HEIGHT = 2

/**
 * Reads `_w640/2026/photo.jpg.webp` or `_w640x360/…`, below `media/`; undefined where that names no smaller picture: of another
 * width than these, of a height over twice the width, or in no format of pictures.
 */
export function pictureAsked(path: string, widths: readonly number[]): AskedPicture | undefined {
  const [, wide = '', high, source = '', ending] = PICTURE.exec(path) ?? []
  const format = PICTURE_FORMATS.find((one) => one === ending)
  const width = Number(wide)
  const height = high === undefined ? undefined : Number(high)
  if (!format || !widths.includes(width) || String(width) !== wide) return undefined
  if (height === undefined) return { path: source, width, format }
  if (String(height) !== high || height < 1 || height > width * MOST_HEIGHT) return undefined
  return { path: source, width, height, format }
}

/**
 * Returns the address below `media/` of a smaller picture that a query asks for, such as `?w=640&h=360&format=webp`; undefined for
 * a query that asks for none. Without a format it is that of the picture, or JPEG.
 */
export function pictureOfQuery(path: string, query: string): string | undefined {
  const asked = new URLSearchParams(query)
  const width = asked.get('w')
  if (width === null) return undefined
  const height = asked.get('h')
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  const own = PICTURE_FORMATS.find((one) => one === ending) ?? 'jpeg'
  return `_w${width}${height === null ? '' : `x${height}`}/${path}.${asked.get('format') ?? own}`
}

/** Returns the address below `media/` that `pictureAsked` reads as this. */
export function addressOf({ path, width, height, format }: AskedPicture): string {
  return `_w${width}${height === undefined ? '' : `x${height}`}/${path}.${format}`
}
