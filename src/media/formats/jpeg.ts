import type { Cursor } from '../bytes.ts'
import { EXIF_MARK, exifOf, turningOf } from '../exif.ts'
import { broken } from '../fault.ts'
import { checkSides, type Picture, type Reach, type Turning } from '../picture.ts'
import { PieceList } from '../pieces.ts'

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const DNL = 0xdc
const TEM = 0x01
const COM = 0xfe
const APP0 = 0xe0
const APP14 = 0xee

/** More scans than any program writes: each may be as large as the picture. */
const MOST_SCANS = 100

/** Frames that browsers show: baseline, extended and progressive. */
const SHOWN: readonly number[] = [0xc0, 0xc1, 0xc2]

/** The rest of a JFIF segment without a thumbnail, and of one of Adobe. */
const JFIF_LENGTH = 16
const ADOBE_LENGTH = 14

/** Reads a JPEG (ISO 10918-1, JFIF, EXIF 2.32) to its end, and gathers its pieces. */
export async function readJpeg(cursor: Cursor, reach: Reach): Promise<Picture> {
  return await new JpegReader(cursor, reach).read()
}

class JpegReader {
  readonly #cursor: Cursor
  readonly #whole: boolean
  readonly #last: typeof SOS | typeof EOI
  readonly #pieces = new PieceList('jpeg')
  #sides: { readonly width: number; readonly height: number } | undefined
  #turning: Turning | undefined
  #scans = 0

  constructor(cursor: Cursor, reach: Reach) {
    this.#cursor = cursor
    this.#whole = reach === 'keep'
    this.#last = reach === 'size' ? SOS : EOI
  }

  async read(): Promise<Picture> {
    await this.#cursor.need(2)
    this.#keep(2)
    for (let marker = 0; marker !== this.#last; ) {
      if (!(this.#cursor.has(2) && this.#isAtMarker())) await this.#findMarker()
      marker = this.#cursor.byte(1)
      if (marker === EOI || marker === TEM || isRestart(marker)) this.#keep(2)
      else {
        const length = this.#lengthOf(marker) ?? (await this.#loadedLength(marker))
        this.#segment(marker, length)
        if (marker === SOS && this.#last === EOI) await this.#scan()
      }
    }
    if (!this.#sides || this.#scans === 0) throw broken('jpeg', 'There is no picture in the file.')
    const { width, height } = this.#sides
    return { width, height, turning: this.#turning ?? 1, frames: 1, pixels: width * height, pieces: this.#pieces }
  }

  #segment(marker: number, length: number): void {
    if (marker >= APP0 && marker < 0xf0) this.#application(marker, length)
    else if (marker === COM) this.#drop(2 + length)
    else this.#own(marker, length)
  }

  /** The length of a segment of which all can be looked at. */
  #lengthOf(marker: number): number | undefined {
    const cursor = this.#cursor
    if (marker < 0xc0 || marker === SOI || (marker >= 0xf0 && marker < COM))
      throw broken('jpeg', 'The JPEG has a part that no program shows.')
    if (!cursor.has(4)) return undefined
    const length = cursor.u16(2)
    if (length < 2) throw broken('jpeg', 'The JPEG has a part of an impossible length.')
    return cursor.has(2 + length) ? length : undefined
  }

  async #loadedLength(marker: number): Promise<number> {
    const cursor = this.#cursor
    for (;;) {
      await cursor.need(4)
      await cursor.need(2 + Math.max(2, cursor.u16(2)))
      const length = this.#lengthOf(marker)
      if (length !== undefined) return length
    }
  }

  #isAtMarker(): boolean {
    const cursor = this.#cursor
    return cursor.byte() === 0xff && cursor.byte(1) !== 0xff && cursor.byte(1) !== 0
  }

  /** Goes to the next marker; bytes between two segments belong to none. */
  async #findMarker(): Promise<void> {
    const cursor = this.#cursor
    for (;;) {
      await cursor.need(2)
      if (this.#isAtMarker()) return
      const next = cursor.byte() === 0xff ? 1 : cursor.window.indexOf(0xff)
      this.#drop(next < 0 ? cursor.window.length : next)
    }
  }

  /** A segment that the picture is decoded with. */
  #own(marker: number, length: number): void {
    if (marker === SOS) this.#scans++
    if (this.#scans > MOST_SCANS) throw broken('jpeg', `The JPEG has more than ${MOST_SCANS} scans.`)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) this.#frame(marker, length)
    else if (marker === SOS && !this.#sides) throw broken('jpeg', 'The JPEG does not say its size.')
    else if (marker === DNL) throw broken('jpeg', 'The JPEG says its height too late.')
    this.#keep(2 + length)
  }

  #frame(marker: number, length: number): void {
    const cursor = this.#cursor
    if (!SHOWN.includes(marker) || length < 8 || cursor.byte(4) !== 8)
      throw broken('jpeg', 'This kind of JPEG is shown by no browser.')
    if (this.#sides) throw broken('jpeg', 'The JPEG says its size twice.')
    this.#sides = { height: cursor.u16(5), width: cursor.u16(7) }
    checkSides('jpeg', this.#sides.width, this.#sides.height)
  }

  /** Keeps of the segments for programs what the picture's colours and turning need. */
  #application(marker: number, length: number): void {
    const cursor = this.#cursor
    const content = cursor.bytes(length - 2, 4)
    const name = content.toString('latin1', 0, 12)
    if (marker === APP0 && name.startsWith('JFIF\0')) this.#shortened(content, JFIF_LENGTH, [12, 13])
    else if (marker === APP14 && name.startsWith('Adobe')) this.#shortened(content, ADOBE_LENGTH, [])
    else if (marker === APP0 + 2 && name === 'ICC_PROFILE\0') this.#keep(2 + length)
    else if (marker === APP0 + 1 && name.startsWith('Exif\0') && this.#turning === undefined) this.#exif(content)
    else this.#drop(2 + length)
  }

  #exif(content: Buffer): void {
    const turning = turningOf(content.subarray(EXIF_MARK.length))
    this.#turning = turning
    const short = Buffer.concat([EXIF_MARK, exifOf(turning)])
    if (turning !== 1 && content.equals(short)) this.#keep(4 + content.length)
    else {
      if (turning !== 1 && !this.#whole) this.#pieces.insert(Buffer.concat([segmentHead(0xe1, short.length), short]))
      this.#drop(4 + content.length)
    }
  }

  /** Keeps a segment of this length (without its marker), with zeros at these offsets; a longer one is made as short. */
  #shortened(content: Buffer, length: number, zeros: readonly number[]): void {
    const marker = this.#cursor.byte(1)
    const short = Buffer.from(content.subarray(0, length - 2))
    const isWhole = short.length === length - 2
    if (isWhole) for (const offset of zeros) short[offset] = 0
    if (isWhole && content.equals(short)) this.#keep(4 + content.length)
    else {
      if (!this.#whole && isWhole) this.#pieces.insert(Buffer.concat([segmentHead(marker, short.length), short]))
      this.#drop(4 + content.length)
    }
  }

  /** Goes to the marker that ends a scan: all but those that restart it, and zeros that follow an 0xff of its own. */
  async #scan(): Promise<void> {
    const cursor = this.#cursor
    const start = cursor.at
    for (;;) {
      if (!cursor.has(2)) await cursor.need(2)
      const found = cursor.window.indexOf(0xff)
      // The byte behind is looked at, too.
      if (found < 0) cursor.at += cursor.window.length
      else cursor.at += found
      if (found < 0) continue
      if (!cursor.has(2)) await cursor.need(2)
      const next = cursor.byte(1)
      if (next !== 0 && next !== 0xff && !isRestart(next)) break
      cursor.at += next === 0xff ? 1 : 2
    }
    this.#pieces.keep(start, cursor.at)
  }

  #keep(count: number): void {
    this.#pieces.keep(this.#cursor.at, this.#cursor.at + count)
    this.#cursor.at += count
  }

  #drop(count: number): void {
    if (this.#whole) this.#keep(count)
    else this.#cursor.at += count
  }
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7
}

/** The marker and the length of a segment with so many bytes in it. */
function segmentHead(marker: number, count: number): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(count + 2, 2)
  return head
}
