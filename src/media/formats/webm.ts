import type { Cursor } from '../bytes.ts'
import { broken, cutShort, MediaFault } from '../fault.ts'
import { Numbers } from './boxes.ts'
import type { Film } from './mp4.ts'

/** Elements that are looked at on one level: what is asked for stands before the first cluster. */
const MOST = 1000

const EBML = 0x1a45dfa3
const DOCTYPE = 0x4282
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const SCALE = 0x2ad7b1
const DURATION = 0x4489
const TRACKS = 0x1654ae6b
const TRACK = 0xae
const VIDEO = 0xe0
const WIDTH = 0xb0
const HEIGHT = 0xba
const CLUSTER = 0x1f43b675

interface Element {
  readonly id: number
  readonly start: number
  readonly end: number
}

/** Reads a WebM (RFC 8794, RFC 9559) up to its first cluster. `end` is where its segment ends. */
export async function readWebm(cursor: Cursor): Promise<Film & { readonly end: number }> {
  const [head] = await elements(cursor, 0, cursor.size, 1)
  if (head?.id !== EBML) throw broken('webm', 'The head of the file is damaged.')
  const kind = (await elements(cursor, head.start, head.end)).find(({ id }) => id === DOCTYPE)
  const name = kind ? (await content(cursor, kind, 32)).toString('latin1').replace(/\0+$/, '') : ''
  if (name !== 'webm') {
    const hint = 'Convert it to WebM or MP4.'
    throw new MediaFault('type', 'mkv', 'This is a film of Matroska, which not every browser shows.', hint)
  }
  const [segment] = await elements(cursor, head.end, cursor.size, 1)
  if (segment?.id !== SEGMENT) throw broken('webm', 'There is no film in the file.')
  let found: Film = { turning: 1, samples: 0 }
  for (const element of await elements(cursor, segment.start, segment.end)) {
    if (element.id === INFO) found = { ...found, ...(await info(cursor, element)) }
    if (element.id === TRACKS) found = { ...found, ...(await sides(cursor, element)) }
  }
  return { ...found, end: segment.end }
}

async function info(cursor: Cursor, element: Element): Promise<{ duration?: number }> {
  let [scale, length] = [1_000_000, 0]
  for (const one of await elements(cursor, element.start, element.end)) {
    if (one.id === SCALE) scale = await number(cursor, one)
    if (one.id !== DURATION) continue
    const bytes = await content(cursor, one, 8)
    length = bytes.length === 8 ? bytes.readDoubleBE() : bytes.length === 4 ? bytes.readFloatBE() : 0
  }
  const duration = (length * scale) / 1e9
  return duration > 0 && Number.isFinite(duration) ? { duration } : {}
}

async function sides(cursor: Cursor, element: Element): Promise<{ width?: number; height?: number }> {
  for (const track of await elements(cursor, element.start, element.end)) {
    if (track.id !== TRACK) continue
    const video = (await elements(cursor, track.start, track.end)).find(({ id }) => id === VIDEO)
    const parts = video ? await elements(cursor, video.start, video.end) : []
    const [across, down] = [parts.find(({ id }) => id === WIDTH), parts.find(({ id }) => id === HEIGHT)]
    if (across && down) return { width: await number(cursor, across), height: await number(cursor, down) }
  }
  return {}
}

/** Reads the elements between two places, up to the first cluster. */
async function elements(cursor: Cursor, start: number, end: number, most = MOST): Promise<Element[]> {
  const found: Element[] = []
  for (let at = start; at < end && found.length < most; ) {
    cursor.at = at
    if ((await cursor.upTo(12)) < 2) throw cutShort('webm')
    const id = variable(cursor.bytes(Math.min(12, cursor.left)), false)
    const length = id && variable(cursor.bytes(Math.min(12, cursor.left)).subarray(id.width), true)
    if (!id || !length || id.width > 4) throw broken('webm', 'A part of the film is damaged.')
    const from = at + id.width + length.width
    // All bits set mean that the length is not known: it ends with what it is in.
    const to = length.isUnknown ? end : from + length.value
    if (to > end) throw end === cursor.size ? cutShort('webm') : broken('webm', 'A part of the film is damaged.')
    found.push({ id: id.value, start: from, end: to })
    if (id.value === CLUSTER) break
    at = to
  }
  return found
}

/** A number whose first byte says its width (RFC 8794, 4); ids keep the mark. */
function variable(bytes: Buffer, isLength: boolean): { value: number; width: number; isUnknown: boolean } | undefined {
  const first = bytes[0] ?? 0
  const width = Math.clz32(first) - 23
  if (first === 0 || width > bytes.length) return undefined
  const own = isLength ? first & (0xff >> width) : first
  const rest = new Numbers(bytes.subarray(1, width)).next(width - 1)
  const value = own * 2 ** (8 * (width - 1)) + rest
  return { value, width, isUnknown: isLength && value === 2 ** (7 * width) - 1 }
}

async function content(cursor: Cursor, { start, end }: Element, most: number): Promise<Buffer> {
  if (end - start > most) throw broken('webm', 'A part of the film is damaged.')
  cursor.at = start
  await cursor.need(end - start)
  return Buffer.from(cursor.bytes(end - start))
}

async function number(cursor: Cursor, element: Element): Promise<number> {
  const bytes = await content(cursor, element, 8)
  return new Numbers(bytes).next(bytes.length)
}
