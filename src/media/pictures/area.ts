import type { PictureRequest } from './request.ts'

/** A part of a picture, and the size to draw it at. */
export interface Area {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly drawn: { readonly width: number; readonly height: number }
}

/** The part of a picture of `width` × `height` that a request shows, around its focal point; never drawn larger than it is. */
export function areaOf(width: number, height: number, asked: PictureRequest): Area {
  if (asked.height === undefined) {
    const across = Math.min(asked.width, width)
    return { left: 0, top: 0, width, height, drawn: { width: across, height: atLeast1((height * across) / width) } }
  }
  const shape = asked.width / asked.height
  const cut = { width: Math.min(width, atLeast1(height * shape)), height: Math.min(height, atLeast1(width / shape)) }
  const { x, y } = asked.focalPoint ?? { x: 0.5, y: 0.5 }
  const left = between(Math.round(width * x - cut.width / 2), width - cut.width)
  const top = between(Math.round(height * y - cut.height / 2), height - cut.height)
  const scale = Math.min(1, asked.width / cut.width, asked.height / cut.height)
  const drawn = scale === 1 ? cut : { width: Math.min(asked.width, cut.width), height: Math.min(asked.height, cut.height) }
  return { left, top, ...cut, drawn }
}

function atLeast1(number: number): number {
  return Math.max(1, Math.round(number))
}

function between(number: number, most: number): number {
  return Math.max(0, Math.min(number, most))
}
