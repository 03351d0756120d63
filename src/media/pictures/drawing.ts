// A process of its own: it reads pictures of strangers with native code, and may be ended at any moment.
import type { Sharp, SharpOptions } from 'sharp'
import { areaOf } from './area.ts'
import { isHeavy } from './heavy.ts'
import type { DrawAnswer, Drawing, DrawQuestion, PictureFormat } from './request.ts'

type SharpModule = (input: string | Buffer, options: SharpOptions) => Sharp

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
    return { id, ...(question.drawing && (await draw(sharp, question.drawing, question))) }
  } catch {
    // libvips names files and its own parts: nothing that helps who sent the picture.
    return { id, isFailed: true }
  }
}

async function draw(sharp: SharpModule, drawing: Drawing, { seconds, isAlone }: DrawQuestion): Promise<Omit<DrawAnswer, 'id'>> {
  const { from, to, maxPixels, format } = drawing
  const options = { limitInputPixels: maxPixels, failOn: 'error' } as const
  const found = await sharp(from, options).metadata()
  if (!isAlone && isHeavy(found)) return { isHeavy: true }
  const isTurned = (found.orientation ?? 1) > 1
  // One that is turned stands still: sharp turns no frames.
  const isMoving = format === 'webp' && !isTurned && (found.pages ?? 1) > 1 && (found.format === 'gif' || found.format === 'webp')
  const { width, height } = found.autoOrient
  const shown = isMoving ? (found.pageHeight ?? height) : height
  const { drawn, ...part } = areaOf(width, shown, drawing)
  const limit = { seconds: Math.ceil(seconds) }
  const picture = isMoving ? sharp(from, { ...options, animated: true }) : sharp(from, options).autoOrient()
  // Of a part, libvips reads all pixels; of the whole, a format that can be read at a smaller size is.
  const isWhole = part.width === width && part.height === shown
  const made = (isWhole ? picture : picture.extract(part)).resize({ ...drawn, fit: 'fill' }).timeout(limit)
  const encoded = isMoving ? made : await decoded(sharp, made)
  await ENCODED[format](encoded.timeout(limit)).toFile(to)
  return drawn
}

/** The picture as it comes out, small: what decoded it is freed before an encoder takes as much. */
async function decoded(sharp: SharpModule, picture: Sharp): Promise<Sharp> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return sharp(data, { raw: { width, height, channels } })
}
