import type { Cursor } from '../bytes.ts'
import { broken } from '../fault.ts'

/** Bytes that are looked through for frames of another rate. */
const LOOKED_AT = 1024 * 1024
/** Zeros that programs leave behind the tag. */
const MOST_ZEROS = 64 * 1024
/** Frames that have to follow one another, so that it is an MP3 at all. */
const FEWEST = 3

/** Kilobits a second of layer III by index: MPEG 1, and MPEG 2 and 2.5. */
const RATES: readonly (readonly number[])[] = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
]
/** Samples a second of MPEG 1; halved for MPEG 2, and again for 2.5. */
const SAMPLES: readonly number[] = [44100, 48000, 32000]

/** By the version that a frame says: 2.5, none, 2, 1. */
const DIVIDED: readonly number[] = [4, 1, 2, 1]

interface Frame {
  readonly length: number
  readonly rate: number
  readonly samples: number
  readonly perSecond: number
  /** Bytes from its beginning to where a table of the whole may stand. */
  readonly table: number
}

/** Reads the head of an MP3 (ISO 11172-3, ISO 13818-3), behind its tag ID3v2. Without a table its seconds are known only if its rate stays. */
export async function readMp3(cursor: Cursor): Promise<{ readonly duration?: number }> {
  await skipTag(cursor)
  const start = cursor.at
  await cursor.upTo(4)
  const first = frameOf(cursor)
  if (!first) throw broken('mp3', 'There is no sound in the file.')
  const table = await tableOf(cursor, first)
  const walk = await rateOf(cursor, start, first)
  if (table) return { duration: (table * first.samples) / first.perSecond }
  if (walk.isSteady) return { duration: ((cursor.size - start) * 8) / (first.rate * 1000) }
  return walk.isWhole ? { duration: walk.seconds } : {}
}

async function skipTag(cursor: Cursor): Promise<void> {
  cursor.at = 0
  await cursor.upTo(10)
  if (cursor.left >= 10 && cursor.text(3) === 'ID3') {
    const [a, b, c, d] = [6, 7, 8, 9].map((offset) => cursor.byte(offset) & 0x7f) as [number, number, number, number]
    const footer = cursor.byte(5) & 0x10 ? 10 : 0
    cursor.at = 10 + ((a << 21) | (b << 14) | (c << 7) | d) + footer
  }
  for (let zeros = 0; zeros < MOST_ZEROS && (await cursor.upTo(1)) === 1 && cursor.byte() === 0; zeros++) cursor.at++
}

/** The frame whose head of four bytes is at the place. */
function frameOf(cursor: Cursor): Frame | undefined {
  if (cursor.left < 4) return undefined
  const [a, b, c, d] = [cursor.byte(), cursor.byte(1), cursor.byte(2), cursor.byte(3)]
  const version = (b >> 3) & 3
  const isLayerIII = a === 0xff && (b & 0xe6) === 0xe2 && version !== 1
  const perSecond = (SAMPLES[(c >> 2) & 3] ?? 0) / (DIVIDED[version] ?? 1)
  const rate = RATES[version === 3 ? 0 : 1]?.[c >> 4] ?? 0
  if (!isLayerIII || !perSecond || !rate) return undefined
  const samples = version === 3 ? 1152 : 576
  const isMono = d >> 6 === 3
  const side = version === 3 ? (isMono ? 17 : 32) : isMono ? 9 : 17
  return { length: Math.floor((samples * rate * 125) / perSecond) + ((c >> 1) & 1), rate, samples, perSecond, table: 4 + side }
}

/** The number of frames that a table of Xing or VBRI in the first one says. */
async function tableOf(cursor: Cursor, frame: Frame): Promise<number | undefined> {
  if (cursor.left < frame.length || frame.length < 64) return undefined
  await cursor.need(frame.length)
  const name = cursor.text(4, frame.table)
  if ((name === 'Xing' || name === 'Info') && cursor.byte(frame.table + 7) & 1) return cursor.u32(frame.table + 8)
  return cursor.text(4, 36) === 'VBRI' ? cursor.u32(36 + 14) : undefined
}

/** Goes through frames, which have to follow one another at first. */
async function rateOf(
  cursor: Cursor,
  start: number,
  first: Frame,
): Promise<{ isSteady: boolean; isWhole: boolean; seconds: number }> {
  let [isSteady, seconds, count] = [true, 0, 0]
  cursor.at = start
  while (cursor.at < start + LOOKED_AT && cursor.left >= 4) {
    if (!cursor.has(4)) await cursor.need(4)
    const frame = frameOf(cursor)
    if (!frame && count < FEWEST) throw broken('mp3', 'There is no sound in the file.')
    if (!frame) break
    isSteady &&= frame.rate === first.rate
    seconds += frame.samples / frame.perSecond
    count++
    cursor.at += frame.length
  }
  return { isSteady, isWhole: cursor.at < start + LOOKED_AT, seconds }
}
