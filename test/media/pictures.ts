import sharp, { type Sharp } from 'sharp'
import { type BytesReader, readerOf } from '#media/bytes.ts'
import { type Inspected, type InspectOptions, inspect } from '#media/inspect.ts'
import { bytesOfCut } from '#media/pieces.ts'

/** Sides of the pictures here. */
export const WIDE = 40
export const HIGH = 24

/** Names of things that must not be left in a file. */
export const SECRETS = ['Ada Lovelace', 'SN-4711', 'sekret', 'http://ns.adobe.com/xap', 'Photoshop 3.0'] as const

/** Pixels that differ from each other, as a picture of sharp. */
export function pixels(frames = 1): Sharp {
  const bytes = Buffer.from(Array.from({ length: WIDE * HIGH * 3 * frames }, (_, index) => (index * 7919) % 251))
  return sharp(bytes, { raw: { width: WIDE, height: HIGH * frames, channels: 3, ...(frames > 1 && { pageHeight: HIGH }) } })
}

/** EXIF with a turning, an owner, a serial number and a place, behind a picture of its own, high byte first. */
export function exifWith(turning: number): Buffer {
  const texts = [...SECRETS, '51.5007 N'].map((text) => Buffer.from(`${text}\0`))
  const entries = [[0x0112, 3, 1], ...texts.map(({ length }, index) => [0x9000 + index, 2, length])] as const
  const head = Buffer.alloc(8 + 2 + 12 * entries.length + 4)
  head.write('MM')
  head.writeUInt16BE(42, 2)
  head.writeUInt32BE(8, 4)
  head.writeUInt16BE(entries.length, 8)
  let place = head.length
  for (const [index, [tag, type, count]] of entries.entries()) {
    const at = 10 + 12 * index
    head.writeUInt16BE(tag, at)
    head.writeUInt16BE(type, at + 2)
    head.writeUInt32BE(count, at + 4)
    if (index === 0) head.writeUInt16BE(turning, at + 8)
    else head.writeUInt32BE(place, at + 8)
    if (index > 0) place += count
  }
  return Buffer.concat([head, ...texts])
}

/** A segment of a JPEG. */
export function segment(marker: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(bytes.length + 2, 2)
  return Buffer.concat([head, bytes])
}

/** A JPEG with these segments at its beginning. */
export async function jpegWith(...segments: readonly Buffer[]): Promise<Buffer> {
  const plain = await pixels().jpeg().toBuffer()
  return Buffer.concat([plain.subarray(0, 2), ...segments, plain.subarray(2)])
}

/** A chunk of a PNG. */
export function pngChunk(name: string, content: Buffer | string): Buffer {
  const bytes = Buffer.concat([Buffer.from(name, 'latin1'), Buffer.from(content)])
  const chunk = Buffer.alloc(bytes.length + 8)
  chunk.writeUInt32BE(bytes.length - 4)
  bytes.copy(chunk, 4)
  chunk.writeUInt32BE(crc(bytes), bytes.length + 4)
  return chunk
}

/** A PNG with these chunks before its data. */
export async function pngWith(...chunks: readonly Buffer[]): Promise<Buffer> {
  const plain = await pixels().png().toBuffer()
  return Buffer.concat([plain.subarray(0, 33), ...chunks, plain.subarray(33)])
}

/** A chunk of a WebP. */
export function webpChunk(name: string, content: Buffer): Buffer {
  const head = Buffer.from(`${name}\0\0\0\0`, 'latin1')
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
}

/** A WebP of these chunks. */
export function webpOf(...chunks: readonly Buffer[]): Buffer {
  const all = Buffer.concat([Buffer.from('WEBP'), ...chunks])
  const head = Buffer.from('RIFF\0\0\0\0')
  head.writeUInt32LE(all.length, 4)
  return Buffer.concat([head, all])
}

/** A box of ISO 14496-12. */
export function box(name: string, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(bytes.length + 8)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, bytes])
}

/** Numbers of four bytes, the high one first. */
export function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length)
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(number | 0, 4 * index)
  return bytes
}

/** A file as `inspect` would have it: cut, or as it is. */
export async function cutOf(bytes: Buffer, options?: InspectOptions): Promise<Buffer> {
  const { cut } = await inspect(readerOf(bytes), options)
  return cut ? await joined(readerOf(bytes), cut) : bytes
}

async function joined(reader: BytesReader, cut: NonNullable<Inspected['cut']>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of bytesOfCut(reader, cut)) chunks.push(chunk)
  const made = Buffer.concat(chunks)
  if (made.length !== cut.size) throw new Error(`The cut has ${made.length} bytes, not ${cut.size}.`)
  return made
}

/** The pixels of a picture as they are shown: turned, all frames one below the other. */
export async function shownPixels(bytes: Buffer, animated = false): Promise<string> {
  const { data, info } = await sharp(bytes, { animated }).autoOrient().raw().toBuffer({ resolveWithObject: true })
  return `${info.width} x ${info.height} x ${info.channels} ${data.toString('hex')}`
}

/** The word for what bytes are, where they are not taken. */
export async function refusal(bytes: Buffer, ending?: string): Promise<string | undefined> {
  return await inspect(readerOf(bytes), { ending }).then(
    () => undefined,
    (error: { reason?: string; found?: string; stack?: string }) => {
      if (!error.reason) throw error
      return `${error.reason} ${error.found}`
    },
  )
}

const TABLE = Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value >>> 0
})

function crc(bytes: Buffer): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 255] ?? 0)
  return (value ^ 0xffffffff) >>> 0
}
