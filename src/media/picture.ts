import { broken } from './fault.ts'
import type { PieceList } from './pieces.ts'

/** The turning of a picture as EXIF numbers it (tag 0x0112): 1 is as it is stored, from 5 on width and height are swapped. */
export type Turning = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

/** The way that a picture is read: to its size, or to its end with all metadata kept or cut. */
export type Reach = 'size' | 'cut' | 'keep'

/** Facts about a picture, and the pieces that are its own. */
export interface Picture {
  /** Pixels as they are stored, before turning. */
  readonly width: number
  readonly height: number
  readonly turning: Turning
  readonly frames: number
  /** Set where its first bytes say that it moves; those of a GIF don't. */
  readonly moves?: true
  /** Pixels that a program decodes to show all of it. */
  readonly pixels: number
  readonly duration?: number
  /** The file without metadata, or without that which lies behind its end alone. */
  readonly pieces: PieceList
}

/** A size as it is stored, where there is one, and the turning. */
interface Stored {
  readonly width?: number
  readonly height?: number
  readonly turning: Turning
}

/** Returns the size at which a picture or a film is shown: turned. */
export function shownSize({ width, height, turning }: Stored): { readonly width?: number; readonly height?: number } {
  if (width === undefined || height === undefined) return {}
  return turning >= 5 ? { width: height, height: width } : { width, height }
}

/** Throws a fault where a picture has no pixels. */
export function checkSides(found: string, width: number, height: number): void {
  if (width < 1 || height < 1) throw broken(found, 'The picture has no pixels.')
}
