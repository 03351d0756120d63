import type { Cursor } from '../bytes.ts'
import { broken } from '../fault.ts'
import { checkSides, type Picture, type Turning } from '../picture.ts'
import { PieceList } from '../pieces.ts'
import { largestOf } from './av1.ts'
import { type Box, boxesIn, bytesIn, Numbers } from './boxes.ts'
import { filmOf } from './mp4.ts'

/** Boxes, items and properties that a picture has at most. */
const MOST = 1024
/** Bytes of an item in which its sequence header has to be. */
const BEGINNING = 4096

interface Item {
  readonly id: number
  readonly extents: readonly { readonly start: number; readonly length: number }[]
}

/** The turning that a quarter of a circle, counter-clockwise, comes to. */
const QUARTERS: readonly Turning[] = [1, 8, 3, 6]

/** Reads an AVIF (AV1 Image File Format 1.1). It has no end but the last box, and its metadata stay. */
export async function readAvif(cursor: Cursor): Promise<Picture> {
  const boxes = await boxesIn(cursor, 0, cursor.size, MOST)
  const meta = boxes.find(({ name }) => name === 'meta')
  const film = boxes.find(({ name }) => name === 'moov')
  if (boxes.length === MOST || !meta) throw broken('avif', 'There is no picture in the file.')
  const parts = await boxesIn(cursor, meta.start + 4, meta.end, MOST)
  const { sides, turning, largest } = await properties(cursor, parts)
  const coded = await codedPixels(cursor, parts)
  const moving = film && (await filmOf(cursor, film))
  const frames = Math.max(1, moving?.samples ?? 1)
  const canvas = Math.max(largest, coded, (moving?.width ?? 0) * (moving?.height ?? 0))
  const pieces = new PieceList('avif')
  pieces.keep(0, cursor.size)
  const duration = frames > 1 ? moving?.duration : undefined
  return {
    ...sides,
    turning,
    frames,
    pixels: canvas * frames,
    pieces,
    ...(frames > 1 && { moves: true }),
    ...(duration && { duration }),
  }
}

/** The size and the turning of the picture that is shown, and the pixels of the largest of all. */
async function properties(
  cursor: Cursor,
  parts: readonly Box[],
): Promise<{ sides: { width: number; height: number }; turning: Turning; largest: number }> {
  const primary = new Numbers(await partOf(cursor, parts, 'pitm'))
  const shown = primary.next(primary.next(4) >= 2 ** 24 ? 4 : 2)
  const inner = await boxesIn(cursor, ...rangeOf(parts, 'iprp'), MOST)
  const list = await boxesIn(cursor, ...rangeOf(inner, 'ipco'), MOST)
  const own = associated(await partOf(cursor, inner, 'ipma'), shown)
  let [sides, turning, largest]: [{ width: number; height: number }, Turning, number] = [{ width: 0, height: 0 }, 1, 0]
  for (const [index, box] of list.entries()) {
    const isOwn = own.has(index + 1)
    if (box.name === 'irot' && isOwn) turning = QUARTERS[((await bytesIn(cursor, box))[0] ?? 0) & 3] ?? 1
    if (box.name !== 'ispe') continue
    const numbers = new Numbers(await bytesIn(cursor, box))
    numbers.next(4)
    const [width, height] = [numbers.next(4), numbers.next(4)]
    if (isOwn) sides = { width, height }
    largest = Math.max(largest, width * height)
  }
  checkSides('avif', sides.width, sides.height)
  return { sides, turning, largest }
}

/** The properties of an item, counted from 1. */
function associated(bytes: Buffer, item: number): Set<number> {
  const found = new Set<number>()
  const numbers = new Numbers(bytes)
  const [version, flags] = [numbers.next(1), numbers.next(3)]
  for (let left = numbers.next(4); left > 0 && numbers.left > 0; left--) {
    const isItem = numbers.next(version < 1 ? 2 : 4) === item
    for (let more = numbers.next(1); more > 0; more--) {
      const index = flags & 1 ? numbers.next(2) & 0x7fff : numbers.next(1) & 0x7f
      if (isItem) found.add(index)
    }
  }
  return found
}

/** The pixels of the largest item as its own bytes say: these are what a program makes room for. */
async function codedPixels(cursor: Cursor, parts: readonly Box[]): Promise<number> {
  const kinds = await itemKinds(cursor, parts)
  const data = parts.find(({ name }) => name === 'idat')?.start ?? 0
  let most = 0
  for (const item of located(await partOf(cursor, parts, 'iloc'), data)) {
    if (kinds.get(item.id) !== 'av01') continue
    const sides = largestOf(await beginningOf(cursor, item))
    if (!sides) throw broken('avif', 'The picture in the AVIF is damaged.')
    most = Math.max(most, sides.width * sides.height)
  }
  return most
}

async function beginningOf(cursor: Cursor, { extents }: Item): Promise<Buffer> {
  const chunks: Buffer[] = []
  let left = BEGINNING
  for (const { start, length } of extents) {
    cursor.at = start
    const count = Math.max(1, Math.min(left, length === 0 ? cursor.left : length))
    await cursor.need(count)
    chunks.push(Buffer.from(cursor.bytes(count)))
    left -= count
    if (left <= 0) break
  }
  return Buffer.concat(chunks)
}

async function itemKinds(cursor: Cursor, parts: readonly Box[]): Promise<Map<number, string>> {
  const numbers = new Numbers(await partOf(cursor, parts, 'iinf'))
  const head = numbers.next(4) < 2 ** 24 ? 6 : 8
  const [start, end] = rangeOf(parts, 'iinf')
  const kinds = new Map<number, string>()
  for (const box of await boxesIn(cursor, start + head, end, MOST)) {
    const entry = new Numbers(await bytesIn(cursor, box))
    const version = entry.next(1)
    entry.next(3)
    const id = entry.next(version < 3 ? 2 : 4)
    entry.next(2)
    kinds.set(id, entry.text(4))
  }
  return kinds
}

/** The places of all items; those in `idat` count from `data`. */
function located(bytes: Buffer, data: number): Item[] {
  const numbers = new Numbers(bytes)
  const version = numbers.next(1)
  numbers.next(3)
  const [sizes, more] = [numbers.next(1), numbers.next(1)]
  const items: Item[] = []
  let total = 0
  for (let left = numbers.next(version < 2 ? 2 : 4); left > 0 && numbers.left > 0; left--) {
    const id = numbers.next(version < 2 ? 2 : 4)
    const method = version > 0 ? numbers.next(2) & 15 : 0
    numbers.next(2)
    const base = numbers.next(more >> 4) + (method === 1 ? data : 0)
    const extents: { start: number; length: number }[] = []
    for (let count = numbers.next(2); count > 0 && numbers.left > 0; count--) {
      if (version > 0) numbers.next(more & 15)
      const start = base + numbers.next(sizes >> 4)
      extents.push({ start, length: numbers.next(sizes & 15) })
      total++
      if (total > MOST) throw tooMany()
    }
    if (method > 1) throw broken('avif', 'This kind of AVIF is shown by no browser.')
    items.push({ id, extents })
    if (items.length > MOST) throw tooMany()
  }
  return items
}

function tooMany(): Error {
  return broken('avif', 'The AVIF has more parts than a picture can need.')
}

function rangeOf(boxes: readonly Box[], name: string): [start: number, end: number] {
  const box = boxes.find((one) => one.name === name)
  if (!box) throw broken('avif', 'There is no picture in the file.')
  return [box.start, box.end]
}

async function partOf(cursor: Cursor, boxes: readonly Box[], name: string): Promise<Buffer> {
  const [start, end] = rangeOf(boxes, name)
  return Buffer.from(await bytesIn(cursor, { name, start, end }))
}
