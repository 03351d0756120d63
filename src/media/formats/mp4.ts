import type { Cursor } from '../bytes.ts'
import { broken } from '../fault.ts'
import type { Turning } from '../picture.ts'
import { type Box, boxesIn, bytesIn, Numbers } from './boxes.ts'

/** Facts about a film: its size as it is stored, where it has one, and seconds, where they are known. */
export interface Film {
  readonly width?: number
  readonly height?: number
  readonly turning: Turning
  readonly duration?: number
  /** Pictures of the track that has the most. */
  readonly samples: number
}

/** Boxes that are looked at on one level: a film in fragments has many more, which say nothing new. */
const MOST = 1000

/** Turnings by the first four numbers of a track's matrix, each over 65,536. */
const MATRICES: readonly (readonly [string, Turning])[] = [
  ['0,1,-1,0', 6],
  ['-1,0,0,-1', 3],
  ['0,-1,1,0', 8],
]

/** Reads a film of ISO 14496-14. */
export async function readMp4(cursor: Cursor): Promise<Film> {
  const boxes = await boxesIn(cursor, 0, cursor.size, MOST)
  const film = boxes.find(({ name }) => name === 'moov')
  const hasData = boxes.some(({ name }) => name === 'mdat' || name === 'moof')
  if (!film || !hasData) throw broken('mp4', 'There is no film in the file, or it was cut short.')
  return await filmOf(cursor, film)
}

/** Facts in a box `moov`. */
export async function filmOf(cursor: Cursor, film: Box): Promise<Film> {
  const parts = await boxesIn(cursor, film.start, film.end, MOST)
  let found: Film = { turning: 1, samples: 0 }
  let scale = 0
  for (const box of parts) {
    if (box.name === 'mvhd') {
      const times = await timesOf(cursor, box)
      scale = times.scale
      found = { ...found, ...durationOf(times.length, scale) }
    } else if (box.name === 'trak') {
      const track = await trackOf(cursor, box)
      const samples = Math.max(found.samples, track.samples)
      found = { ...(found.width ? found : { ...found, ...track }), samples }
    } else if (box.name === 'mvex') {
      const [head] = (await boxesIn(cursor, box.start, box.end, MOST)).filter(({ name }) => name === 'mehd')
      if (head && !found.duration) found = { ...found, ...durationOf(await fragmentsLength(cursor, head), scale) }
    }
  }
  return found
}

async function trackOf(
  cursor: Cursor,
  track: Box,
): Promise<{ width?: number; height?: number; turning?: Turning; samples: number }> {
  const parts = await boxesIn(cursor, track.start, track.end, MOST)
  const table = await within(cursor, track, ['mdia', 'minf', 'stbl', 'stsz'])
  const samples = table ? await samplesOf(cursor, table) : 0
  const head = parts.find(({ name }) => name === 'tkhd')
  const numbers = new Numbers(head ? await bytesIn(cursor, head) : Buffer.alloc(0))
  numbers.next(numbers.next(4) >= 2 ** 24 ? 48 : 36)
  const matrix = Array.from({ length: 9 }, () => numbers.next(4) | 0)
  const [width, height] = [Math.floor(numbers.next(4) / 65536), Math.floor(numbers.next(4) / 65536)]
  if (width < 1 || height < 1) return { samples }
  const turn = [0, 1, 3, 4].map((index) => (matrix[index] ?? 0) / 65536).join()
  return { width, height, turning: MATRICES.find(([text]) => text === turn)?.[1] ?? 1, samples }
}

/** The box at the end of a way of names. */
async function within(cursor: Cursor, box: Box, names: readonly string[]): Promise<Box | undefined> {
  let found: Box | undefined = box
  for (const name of names) {
    if (!found) return undefined
    found = (await boxesIn(cursor, found.start, found.end, MOST)).find((one) => one.name === name)
  }
  return found
}

async function samplesOf(cursor: Cursor, { start, end }: Box): Promise<number> {
  const numbers = new Numbers(await bytesIn(cursor, { name: 'stsz', start, end: Math.min(end, start + 12) }))
  numbers.next(8)
  return numbers.next(4)
}

async function timesOf(cursor: Cursor, box: Box): Promise<{ scale: number; length: number }> {
  const numbers = new Numbers(await bytesIn(cursor, box))
  const width = numbers.next(4) >= 2 ** 24 ? 8 : 4
  numbers.next(2 * width)
  const scale = numbers.next(4)
  return { scale, length: known(numbers.next(width), width) }
}

async function fragmentsLength(cursor: Cursor, box: Box): Promise<number> {
  const numbers = new Numbers(await bytesIn(cursor, box))
  const width = numbers.next(4) >= 2 ** 24 ? 8 : 4
  return known(numbers.next(width), width)
}

/** All bits set mean that a length is not known. */
function known(length: number, width: number): number {
  return length >= 2 ** (8 * width) - 1 ? 0 : length
}

function durationOf(length: number, scale: number): { duration?: number } {
  return length > 0 && scale > 0 ? { duration: length / scale } : {}
}
