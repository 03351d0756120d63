// A process of its own: it reads pictures of strangers with native code, and may be ended at any moment.
import type { Sharp, SharpOptions } from 'sharp'
import { areaOf } from './area.ts'
import type { DrawAnswer, Drawing, DrawQuestion, PictureFormat } from './request.ts'

type SharpModule = (input: string, options: SharpOptions) => Sharp

/** Encoders by format. Their losses are not seen. */
const ENCODED: Readonly<Record<PictureFormat, (picture: Sharp) => Sharp>> = {
  jpeg: (picture) => picture.flatten({ background: '#ffffff' }).jpeg({ quality: 80, progressive: true }),
  png: (picture) => picture.png(),
  webp: (picture) => picture.webp({ quality: 80 }),
  avif: (picture) => picture.avif({ quality: 55, effort: 3 }),
}

/** The readers of libvips that are needed; it knows others, and programs that it would start. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}File`)

const loaded = load()

process.on('message', (question: DrawQuestion) => void answer(question))
process.on('disconnect', () => process.exit())

async function load(): Promise<SharpModule | undefined> {
  // A copy that is there but fails says so on each system in its own words.
  const sharp = await import('sharp').then(
    (module) => module.default,
    () => undefined,
  )
  sharp?.cache(false)
  sharp?.concurrency(1)
  sharp?.block({ operation: ['VipsForeignLoad'] })
  sharp?.unblock({ operation: LOADERS })
  return sharp
}

async function answer(question: DrawQuestion): Promise<void> {
  process.send?.(await answerTo(question))
}

async function answerTo(question: DrawQuestion): Promise<DrawAnswer> {
  const { id } = question
  const sharp = await loaded
  if (!sharp) return { id, isMissing: true }
  try {
    return { id, ...(question.drawing && (await draw(sharp, question.drawing, question.seconds))) }
  } catch {
    // libvips names files and its own parts: nothing that helps who sent the picture.
    return { id, isFailed: true }
  }
}

async function draw(sharp: SharpModule, drawing: Drawing, seconds: number): Promise<{ width: number; height: number }> {
  const { from, to, maxPixels, format } = drawing
  const options = { limitInputPixels: maxPixels, failOn: 'error' } as const
  const found = await sharp(from, options).metadata()
  const isTurned = (found.orientation ?? 1) > 1
  // One that is turned stands still: sharp turns no frames.
  const isMoving = format === 'webp' && !isTurned && (found.pages ?? 1) > 1 && (found.format === 'gif' || found.format === 'webp')
  const { width, height } = found.autoOrient
  const { drawn, ...part } = areaOf(width, isMoving ? (found.pageHeight ?? height) : height, drawing)
  const picture = isMoving ? sharp(from, { ...options, animated: true }) : sharp(from, options).autoOrient()
  const made = picture
    .extract(part)
    .resize({ ...drawn, fit: 'fill' })
    .timeout({ seconds: Math.ceil(seconds) })
  await ENCODED[format](made).toFile(to)
  return drawn
}
