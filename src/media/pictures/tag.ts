import { createHash } from 'node:crypto'
import { cacheKey } from '#lib/cache-key.ts'
import type { PictureRequest } from './request.ts'

/** Counts up when the same request makes another picture. */
const EDITION = 2

/**
 * Returns a text that is another for every other picture that is made: of these bytes (`ref` is another for every other ones), as it
 * is asked for, where at most so many pixels are decoded.
 */
export function tagOf(ref: string, { format, width, height, focalPoint }: PictureRequest, maxPixels: number): string {
  const point = height === undefined ? undefined : focalPoint && { x: focalPoint.x, y: focalPoint.y }
  return createHash('sha256')
    .update(cacheKey(EDITION, ref, format, width, height, point, maxPixels))
    .digest('hex')
}
