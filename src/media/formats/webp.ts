import type { Cursor } from '../bytes.ts'
import { exifOf, turningOf, withoutMark } from '../exif.ts'
import { broken, cutShort } from '../fault.ts'
import { checkSides, type Picture, type Reach, type Turning } from '../picture.ts'
import { PieceList } from '../pieces.ts'

const HEAD = 8
const RIFF = 12
/** Bytes of a frame before the chunks in it. */
const FRAME = 16

/** Flags of VP8X. */
const HAS_EXIF = 0x08
const HAS_XMP = 0x04

/** EXIF that is longer is not read: it has no turning, then. */
const LONGEST_EXIF = 1024 * 1024

const IN_FRAMES: ReadonlySet<string> = new Set(['ALPH', 'VP8 ', 'VP8L'])
/** Chunks that are looked into, and those that stay as they are. */
const READ: ReadonlySet<string> = new Set(['VP8X', 'ANMF', 'EXIF', 'VP8 ', 'VP8L'])
const OWN: ReadonlySet<string> = new Set(['ICCP', 'ANIM', 'ALPH'])

interface Sides {
  readonly width: number
  readonly height: number
}

/** Reads a WebP (RFC 9649) to its end, and gathers its pieces. */
export async function readWebp(cursor: Cursor, reach: Reach): Promise<Picture> {
  return await new WebpReader(cursor, reach).read()
}

class WebpReader {
  readonly #cursor: Cursor
  readonly #whole: boolean
  /** True where one that moves is read up to its first frame. */
  readonly #isShort: boolean
  readonly #pieces = new PieceList('webp')
  #canvas: Sides | undefined
  #flags: Buffer | undefined
  #picture: Sides | undefined
  #turning: Turning = 1
  #hasTurning = false
  #frames = 0
  #duration = 0
  #isCut = false

  constructor(cursor: Cursor, reach: Reach) {
    this.#cursor = cursor
    this.#whole = reach === 'keep'
    this.#isShort = reach === 'size'
  }

  async read(): Promise<Picture> {
    const cursor = this.#cursor
    await cursor.need(RIFF + HEAD)
    const end = HEAD + cursor.bytes(4, 4).readUInt32LE()
    if (end > cursor.size) throw cutShort('webp')
    cursor.at = RIFF
    while (cursor.at < end && !(this.#isShort && this.#frames > 0)) {
      if (!cursor.has(HEAD)) await cursor.need(HEAD)
      const { name, length, next } = this.#head(end)
      if (READ.has(name)) await this.#chunk(name, length, next)
      else if (OWN.has(name)) this.#pieces.keep(cursor.at, next)
      else this.#isCut = true
      cursor.at = next
    }
    const { width, height } = this.#canvas ?? this.#picture ?? { width: 0, height: 0 }
    const frames = this.#frames || (this.#picture ? 1 : 0)
    if (frames === 0) throw broken('webp', 'There is no picture in the file.')
    checkSides('webp', width, height)
    const [turning, duration] = [this.#turning, this.#frames > 1 ? this.#duration / 1000 : 0]
    return {
      width,
      height,
      turning,
      frames,
      ...(this.#frames > 0 && { moves: true }),
      pixels: width * height * frames,
      pieces: this.#made(end),
      ...(duration && { duration }),
    }
  }

  async #chunk(name: string, length: number, next: number): Promise<void> {
    if (name === 'VP8X') return await this.#extended(length, next)
    if (name === 'ANMF') return await this.#frame(length, next)
    if (name === 'EXIF') return await this.#exif(length, next)
    await this.#still(name, length)
    this.#pieces.keep(this.#cursor.at, next)
  }

  /** The name and the length of a chunk, and where the next one begins: what is odd is followed by a zero. */
  #head(end: number): { readonly name: string; readonly length: number; readonly next: number } {
    const cursor = this.#cursor
    const length = cursor.bytes(4, 4).readUInt32LE()
    const next = cursor.at + HEAD + length + (length % 2)
    if (next > end) throw broken('webp', 'The WebP has a part that is longer than the file.')
    return { name: cursor.text(4), length, next }
  }

  async #extended(length: number, next: number): Promise<void> {
    const cursor = this.#cursor
    await cursor.need(HEAD + 10)
    if (length !== 10 || cursor.at !== RIFF) throw broken('webp', 'The head of the WebP is damaged.')
    this.#canvas = { width: 1 + little(cursor.bytes(3, 12)), height: 1 + little(cursor.bytes(3, 15)) }
    this.#flags = Buffer.from(cursor.bytes(next - cursor.at))
    this.#pieces.insert(this.#flags)
  }

  async #still(name: string, length: number): Promise<void> {
    if (this.#picture || this.#frames > 0) throw broken('webp', 'The WebP has two pictures.')
    this.#picture = await this.#sides(name, length)
    if (this.#canvas && !isSame(this.#canvas, this.#picture)) throw broken('webp', 'The WebP says two sizes.')
  }

  /** The size that the bytes of a picture themselves say. */
  async #sides(name: string, length: number): Promise<Sides> {
    const cursor = this.#cursor
    if (length < 10) throw broken('webp', 'The picture in the WebP is damaged.')
    await cursor.need(HEAD + 10)
    const bits = cursor.bytes(10, HEAD)
    if (name === 'VP8L' && bits[0] === 0x2f) {
      const packed = bits.readUInt32LE(1)
      return { width: 1 + (packed & 0x3fff), height: 1 + ((packed >>> 14) & 0x3fff) }
    }
    const isVp8 = name === 'VP8 ' && bits.readUIntBE(3, 3) === 0x9d012a && ((bits[0] ?? 1) & 1) === 0
    if (!isVp8) throw broken('webp', 'The picture in the WebP is damaged.')
    return { width: bits.readUInt16LE(6) & 0x3fff, height: bits.readUInt16LE(8) & 0x3fff }
  }

  async #frame(length: number, next: number): Promise<void> {
    const cursor = this.#cursor
    if (length < FRAME || !this.#canvas || this.#picture) throw broken('webp', 'A frame of the WebP is damaged.')
    await cursor.need(HEAD + FRAME)
    const head = Buffer.from(cursor.bytes(HEAD + FRAME))
    const sides = { width: 1 + little(head.subarray(14, 17)), height: 1 + little(head.subarray(17, 20)) }
    this.#duration += little(head.subarray(20, 23))
    const start = cursor.at
    const pieces = new PieceList('webp')
    let pictures = 0
    for (cursor.at += HEAD + FRAME; cursor.at < next; ) {
      if (!cursor.has(HEAD)) await cursor.need(HEAD)
      const inner = this.#head(next)
      if (inner.name.startsWith('VP8')) {
        pictures++
        if (!isSame(sides, await this.#sides(inner.name, inner.length)))
          throw broken('webp', 'A frame of the WebP says two sizes.')
      }
      if (IN_FRAMES.has(inner.name)) pieces.keep(cursor.at, inner.next)
      cursor.at = inner.next
    }
    const isOutside = 2 * little(head.subarray(8, 11)) + sides.width > this.#canvas.width
    const isBelow = 2 * little(head.subarray(11, 14)) + sides.height > this.#canvas.height
    if (pictures !== 1 || isOutside || isBelow) throw broken('webp', 'A frame of the WebP is damaged.')
    this.#frames++
    if (pieces.size === next - start - HEAD - FRAME) return this.#pieces.keep(start, next)
    this.#isCut = true
    head.writeUInt32LE(FRAME + pieces.size, 4)
    this.#pieces.insert(head)
    this.#pieces.append(pieces)
  }

  async #exif(length: number, next: number): Promise<void> {
    const cursor = this.#cursor
    if (length <= LONGEST_EXIF && this.#flags && !this.#hasTurning) {
      await cursor.need(HEAD + length)
      const exif = cursor.bytes(length, HEAD)
      this.#turning = turningOf(withoutMark(exif))
      this.#hasTurning = this.#turning !== 1
      const short = exifOf(this.#turning)
      if (this.#hasTurning && exif.equals(short)) return this.#pieces.keep(cursor.at, next)
      if (this.#hasTurning) this.#pieces.insert(chunkOf('EXIF', short))
    }
    this.#isCut = true
  }

  #made(end: number): PieceList {
    const made = new PieceList('webp')
    const flags = this.#flags
    const left = flags && (this.#hasTurning ? 0 : HAS_EXIF) | HAS_XMP
    const isTold = flags !== undefined && left !== undefined && ((flags[HEAD] ?? 0) & left) !== 0
    if (this.#whole || !(this.#isCut || isTold)) {
      made.keep(0, end)
      return made
    }
    if (flags) flags[HEAD] = ((flags[HEAD] ?? 0) & ~HAS_XMP & ~HAS_EXIF) | (this.#hasTurning ? HAS_EXIF : 0)
    const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
    head.writeUInt32LE(4 + this.#pieces.size, 4)
    made.insert(head)
    made.append(this.#pieces)
    return made
  }
}

function chunkOf(name: string, content: Buffer): Buffer {
  const head = Buffer.from(`${name}\0\0\0\0`, 'latin1')
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
}

function little(three: Buffer): number {
  return three.readUIntLE(0, 3)
}

function isSame(one: Sides, other: Sides): boolean {
  return one.width === other.width && one.height === other.height
}
