/** A smaller picture: its address on the site, without the path that the site lies under, and its size in pixels. */
export interface PictureForm {
  readonly address: string
  readonly width: number
  readonly height: number
}

/** The shape that pictures are cut to, around the focal point. */
export interface PictureShape {
  readonly width: number
  readonly height: number
}

/** A picture of a site, as pages show it. */
export interface Picture {
  /** Pixels, as it is shown; null where its bytes don't tell. */
  readonly width: number | null
  readonly height: number | null
  /** The text for who does not see it. */
  readonly alt: string | null
  /** A text that is the same as long as a page shows it alike. */
  readonly print: string
  /**
   * Its smaller forms, from the narrowest to the one of its own width; none where there are none. With a shape, parts of that shape.
   * Without a format they are in the one that is best for it.
   */
  forms(shape?: PictureShape, format?: string): readonly PictureForm[]
}
