import type { Cursor } from '../bytes.ts'
import { broken } from '../fault.ts'
import { checkSides, type Picture, type Reach } from '../picture.ts'
import { PieceList } from '../pieces.ts'

const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b
const CONTROL = 0xf9

/** Hundredths of a second that browsers take for a frame of none or one. */
const QUICKEST = 10

/** Reads a GIF (87a, 89a) to its end. Its metadata stay. */
export async function readGif(cursor: Cursor, reach: Reach): Promise<Picture> {
  await cursor.need(13)
  const [width, height] = [little(cursor, 6), little(cursor, 8)]
  checkSides('gif', width, height)
  cursor.at = 13 + tableSize(cursor.byte(10))
  const pieces = new PieceList('gif')
  if (reach === 'size') return { width, height, turning: 1, frames: 1, pixels: width * height, pieces }
  let [frames, right, below, delay, total] = [0, width, height, 0, 0]
  // Some programs leave out the trailer.
  while (cursor.left > 0 || frames === 0) {
    await cursor.need(1)
    const block = cursor.byte()
    if (block === TRAILER) break
    if (block === EXTENSION) {
      await cursor.need(6)
      if (cursor.byte(1) === CONTROL && cursor.byte(2) === 4) delay = little(cursor, 4)
      cursor.at += 2
    } else if (block === IMAGE) {
      await cursor.need(10)
      right = Math.max(right, little(cursor, 1) + little(cursor, 5))
      below = Math.max(below, little(cursor, 3) + little(cursor, 7))
      frames++
      total += delay > 1 ? delay : QUICKEST
      cursor.at += 10 + tableSize(cursor.byte(9)) + 1
    } else throw broken('gif', 'The GIF has a part that is damaged.')
    await skipBlocks(cursor)
  }
  if (frames === 0) throw broken('gif', 'There is no picture in the file.')
  pieces.keep(0, cursor.at)
  if (cursor.left > 0) pieces.keep(cursor.at, cursor.at + 1)
  else pieces.insert(Buffer.from([TRAILER]))
  const duration = frames > 1 ? total / 100 : undefined
  return { width, height, turning: 1, frames, pixels: right * below * frames, pieces, ...(duration && { duration }) }
}

/** Goes behind blocks of up to 255 bytes, the last of which is empty. */
async function skipBlocks(cursor: Cursor): Promise<void> {
  for (;;) {
    if (!cursor.has(1)) await cursor.need(1)
    const length = cursor.byte()
    cursor.at += 1 + length
    if (length === 0) return
  }
}

/** Bytes of the table of colours that flags tell of. */
function tableSize(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

function little(cursor: Cursor, offset: number): number {
  return cursor.byte(offset) + 256 * cursor.byte(offset + 1)
}
