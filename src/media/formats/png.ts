import { crc32 } from 'node:zlib'
import type { Cursor } from '../bytes.ts'
import { exifOf, turningOf, withoutMark } from '../exif.ts'
import { broken, cutShort } from '../fault.ts'
import { checkSides, type Picture, type Reach, type Turning } from '../picture.ts'
import { PieceList } from '../pieces.ts'

/** The first bytes of every PNG. */
export const PNG_MARK = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Length and name before the bytes of a chunk, a checksum behind them. */
const HEAD = 8
const AROUND = 12

/** Chunks that a picture is decoded, coloured or moved with; all others are about it. */
const OWN: ReadonlySet<string> = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP mDCV mDCv cLLI cLLi sBIT bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' '),
)
const CRITICAL: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND'])

/** Bit depths by type of colour. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

/** EXIF that is longer is not read: it has no turning, then. */
const LONGEST_EXIF = 1024 * 1024

/** Reads a PNG (third edition, with animations) to its end, and gathers its pieces. */
export async function readPng(cursor: Cursor, reach: Reach): Promise<Picture> {
  const [whole, last] = [reach === 'keep', reach === 'size' ? 'IDAT' : 'IEND']
  const pieces = new PieceList('png')
  pieces.keep(0, PNG_MARK.length)
  cursor.at = PNG_MARK.length
  const { width, height } = await header(cursor)
  let turning: Turning = 1
  let [frames, hasData, isMoving] = [0, false, false]
  for (let name = ''; name !== last; ) {
    if (!cursor.has(HEAD)) await cursor.need(HEAD)
    const start = cursor.at
    const length = cursor.u32()
    const end = start + length + AROUND
    name = cursor.text(4, 4)
    checkChunk(name, length, end, cursor, start === PNG_MARK.length)
    if (name === 'eXIf' && length <= LONGEST_EXIF) {
      await cursor.need(end - start)
      const exif = cursor.bytes(length, HEAD)
      turning = turningOf(withoutMark(exif))
      if (turning !== 1 && !whole && !exif.equals(exifOf(turning))) pieces.insert(chunkOf('eXIf', exifOf(turning)))
      else if (turning !== 1 && !whole) pieces.keep(start, end)
    }
    if (name === 'acTL') isMoving = true
    if (name === 'fcTL') frames++
    if (name === 'IDAT') hasData = true
    if (whole || OWN.has(name)) pieces.keep(start, end)
    cursor.at = end
  }
  if (!hasData) throw broken('png', 'There is no picture in the file.')
  const shown = isMoving ? Math.max(1, frames) : 1
  return { width, height, turning, frames: shown, ...(isMoving && { moves: true }), pixels: width * height * shown, pieces }
}

async function header(cursor: Cursor): Promise<{ readonly width: number; readonly height: number }> {
  const length = 13
  await cursor.need(AROUND + length)
  const head = cursor.bytes(4 + length, 4)
  const [depth, colour] = [head[12] ?? 0, head[13] ?? 0]
  const isHeader = cursor.u32() === length && head.toString('latin1', 0, 4) === 'IHDR'
  if (!isHeader || crc32(head) !== cursor.u32(HEAD + length) || !DEPTHS[colour]?.includes(depth))
    throw broken('png', 'The head of the PNG is damaged.')
  const [width, height] = [head.readUInt32BE(4), head.readUInt32BE(8)]
  checkSides('png', width, height)
  return { width, height }
}

function checkChunk(name: string, length: number, end: number, cursor: Cursor, isFirst: boolean): void {
  if (!/^[A-Za-z]{4}$/.test(name) || length > 0x7fff_ffff) throw broken('png', 'The PNG has a part that is damaged.')
  if (name === 'IHDR' && !isFirst) throw broken('png', 'The PNG says its size twice.')
  if (/^[A-Z]/.test(name) && !CRITICAL.has(name)) throw broken('png', `This kind of PNG (${name}) is shown by no browser.`)
  if (name === 'IEND' && length > 0) throw broken('png', 'The end of the PNG is damaged.')
  if (end > cursor.size) throw cutShort('png')
}

function chunkOf(name: string, content: Buffer): Buffer {
  const chunk = Buffer.alloc(AROUND + content.length)
  chunk.writeUInt32BE(content.length)
  chunk.write(name, 4, 'latin1')
  content.copy(chunk, HEAD)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, HEAD + content.length)), HEAD + content.length)
  return chunk
}
