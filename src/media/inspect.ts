import { type BytesReader, Cursor } from './bytes.ts'
import { broken, MediaFault } from './fault.ts'
import { BEGINNING, foreignType, typeOfBrands } from './foreign.ts'
import { readAvif } from './formats/avif.ts'
import { readGif } from './formats/gif.ts'
import { readJpeg } from './formats/jpeg.ts'
import { readMp3 } from './formats/mp3.ts'
import { readMp4 } from './formats/mp4.ts'
import { checkPdf } from './formats/pdf.ts'
import { PNG_MARK, readPng } from './formats/png.ts'
import { readWebm } from './formats/webm.ts'
import { readWebp } from './formats/webp.ts'
import type { Picture, Reach, Turning } from './picture.ts'
import { type Cut, PieceList } from './pieces.ts'
import { checkText } from './text.ts'
import { MEDIA_TYPES, type MediaType, typeOfEnding } from './types.ts'

/** Facts about a media file, told by its bytes. */
export interface Inspected {
  readonly type: MediaType
  /** Pixels of a picture or a film as they are stored; `shownSize` turns them. */
  readonly width?: number
  readonly height?: number
  readonly turning: Turning
  /** Pictures of an animation, 1 of any other picture; undefined of what is none. */
  readonly frames?: number
  /** See `Picture`. */
  readonly moves?: true
  /** Pixels that are decoded to show all of a picture: the size that is largest, times the frames. */
  readonly pixels?: number
  /** Seconds of a film, of sound or of an animation, where they are known. */
  readonly duration?: number
  /** The file without what does not belong into it; undefined where all of it does. */
  readonly cut?: Cut
}

export interface InspectOptions {
  /** The ending of the file's name, without its dot: it tells CSV from text. */
  readonly ending?: string | undefined
  /** True where metadata stay. What lies behind the end of a file goes all the same. */
  readonly keepMetadata?: boolean
}

/**
 * Looks at the bytes of a file: its type, its size, and what is to be cut out of it. Throws `MediaFault` for another type and for
 * a file that is broken. Time is bounded by the file's size, memory by some 2 MiB, whatever it says of itself.
 */
export async function inspect(reader: BytesReader, options: InspectOptions = {}): Promise<Inspected> {
  return await looked(reader, options.ending, options.keepMetadata ? 'keep' : 'cut')
}

/** Facts that the first bytes of a file tell. */
export type Glance = Pick<Inspected, 'type' | 'width' | 'height' | 'turning' | 'pixels' | 'moves' | 'duration'>

/** Bytes of a text that a glance looks at. */
const GLANCE = 64 * 1024

/**
 * Looks at as few bytes of a file as tell its type and its size, for lists: some 100 KB, wherever its metadata are of usual length.
 * It does not see whether a file is whole, and tells no duration of a GIF and a WebP. Throws as `inspect`.
 */
export async function glance(reader: BytesReader, options: Pick<InspectOptions, 'ending'> = {}): Promise<Glance> {
  const { frames: _, cut: __, ...facts } = await looked(reader, options.ending, 'size')
  return facts
}

async function looked(reader: BytesReader, ending = '', reach: Reach): Promise<Inspected> {
  const cursor = new Cursor(reader)
  const type = await typeOf(cursor)
  cursor.at = 0
  cursor.found = type ?? 'text'
  return type ? await READERS[type](cursor, reach) : await readText(cursor, ending, reach)
}

type BinaryType = Exclude<MediaType, 'txt' | 'csv'>
type Reader = (cursor: Cursor, reach: Reach) => Promise<Inspected>

const READERS: Readonly<Record<BinaryType, Reader>> = {
  jpeg: async (cursor, reach) => asInspected('jpeg', cursor, await readJpeg(cursor, reach)),
  png: async (cursor, reach) => asInspected('png', cursor, await readPng(cursor, reach)),
  webp: async (cursor, reach) => asInspected('webp', cursor, await readWebp(cursor, reach)),
  gif: async (cursor, reach) => asInspected('gif', cursor, await readGif(cursor, reach)),
  avif: async (cursor) => asInspected('avif', cursor, await readAvif(cursor)),
  pdf: async (cursor) => {
    await checkPdf(cursor)
    return { type: 'pdf', turning: 1 }
  },
  mp4: async (cursor) => {
    const { samples: _, ...film } = await readMp4(cursor)
    return { type: 'mp4', ...film }
  },
  webm: async (cursor) => {
    const { samples: _, end, ...film } = await readWebm(cursor)
    const pieces = new PieceList('webm')
    pieces.keep(0, end)
    const cut = pieces.cut(cursor.size)
    return { type: 'webm', ...film, ...(cut && { cut }) }
  },
  mp3: async (cursor) => ({ type: 'mp3', turning: 1, ...(await readMp3(cursor)) }),
}

function asInspected(type: MediaType, cursor: Cursor, { pieces, ...picture }: Picture): Inspected {
  const cut = pieces.cut(cursor.size)
  return { type, ...picture, ...(cut && { cut }) }
}

/** The type that the first bytes tell; undefined for what may be text. */
async function typeOf(cursor: Cursor): Promise<BinaryType | undefined> {
  const count = await cursor.upTo(BEGINNING)
  if (count === 0) throw broken('empty', 'The file is empty.')
  const bytes = cursor.bytes(count)
  const text = bytes.toString('latin1')
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (bytes.subarray(0, PNG_MARK.length).equals(PNG_MARK)) return 'png'
  if (/^GIF8[79]a/.test(text)) return 'gif'
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp'
  if (text.startsWith('%PDF-')) return 'pdf'
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'webm'
  if (text.startsWith('ftyp', 4)) return typeOfFtyp(bytes)
  if (isTagged(text) || /^\xff[\xe2\xe3\xf2\xf3\xfa\xfb]/.test(text)) return 'mp3'
  const fault = foreignType(bytes)
  if (fault) throw fault
  return undefined
}

/** Returns whether a file begins with a tag ID3v2, whose version stands behind its name. */
function isTagged(text: string): boolean {
  return text.startsWith('ID3') && text.charCodeAt(3) >= 2 && text.charCodeAt(3) <= 4
}

/** Brands of the first box, the version among them left out. */
function typeOfFtyp(bytes: Buffer): 'avif' | 'mp4' {
  const end = Math.min(bytes.readUInt32BE(), bytes.length)
  const brands: string[] = []
  for (let at = 8; at + 4 <= end; at += 4) if (at !== 12) brands.push(bytes.toString('latin1', at, at + 4))
  const type = typeOfBrands(brands)
  if (type instanceof MediaFault) throw type
  return type
}

async function readText(cursor: Cursor, ending: string, reach: Reach): Promise<Inspected> {
  await checkText(cursor, reach === 'size' ? GLANCE : undefined)
  const named = typeOfEnding(ending)
  if (named && MEDIA_TYPES[named].family !== 'text') {
    const hint = 'Perhaps it stands for the file itself, as a pointer of Git LFS does.'
    throw new MediaFault('type', 'text', `This is a text, though its name ends with .${ending.toLowerCase()}.`, hint)
  }
  return { type: named === 'csv' ? 'csv' : 'txt', turning: 1 }
}
