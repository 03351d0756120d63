/** Formats that smaller pictures are made in. */
export const PICTURE_FORMATS = ['jpeg', 'png', 'webp', 'avif'] as const
export type PictureFormat = (typeof PICTURE_FORMATS)[number]

/** A place in a picture, each 0 to 1 from its upper left corner, as it is shown. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/** A smaller picture to be made. */
export interface PictureRequest {
  readonly format: PictureFormat
  /** Pixels; a picture that is smaller already is not enlarged. */
  readonly width: number
  /** With it, what does not fit is cut off around the focal point; the middle without one. */
  readonly height?: number | undefined
  readonly focalPoint?: FocalPoint | undefined
}

/** A picture to be drawn: files for what is there and for what is made of it. */
export interface Drawing extends PictureRequest {
  readonly from: string
  readonly to: string
  readonly maxPixels: number
}

/** A question to the process; without a drawing, the one whether it can draw at all. */
export interface DrawQuestion {
  readonly id: number
  /** Seconds that it may take. */
  readonly seconds: number
  readonly drawing?: Drawing
  /** True where it is asked while the process is at nothing else. */
  readonly isAlone?: true
}

/** An answer of the process; `isMissing` where sharp is not installed, `isHeavy` where the picture is to be asked for alone. */
export interface DrawAnswer {
  readonly id: number
  readonly width?: number
  readonly height?: number
  readonly isMissing?: true
  readonly isFailed?: true
  readonly isHeavy?: true
}
