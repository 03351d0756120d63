import type { Turning } from './picture.ts'

/** The mark before EXIF in a JPEG. */
export const EXIF_MARK = Buffer.from('Exif\0\0', 'latin1')

const ORIENTATION = 0x0112
const ENTRY = 12
/** Types of TIFF for whole numbers, with their bytes. */
const WIDTHS: Readonly<Record<number, 1 | 2 | 4>> = { 1: 1, 3: 2, 4: 4 }

/** Reads the turning of EXIF, which begins as a TIFF does; 1 where it says none that there is. */
export function turningOf(tiff: Buffer): Turning {
  if (tiff.length < 8) return 1
  const order = tiff.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return 1
  const number = (at: number, width: 1 | 2 | 4): number => {
    if (at + width > tiff.length) return 0
    return order === 'II' ? tiff.readUIntLE(at, width) : tiff.readUIntBE(at, width)
  }
  if (number(2, 2) !== 42) return 1
  const first = number(4, 4)
  const count = Math.min(number(first, 2), Math.floor(tiff.length / ENTRY))
  for (let index = 0; index < count; index++) {
    const entry = first + 2 + index * ENTRY
    if (number(entry, 2) !== ORIENTATION) continue
    const width = WIDTHS[number(entry + 2, 2)]
    return width ? turningAs(number(entry + 8, width)) : 1
  }
  return 1
}

/** EXIF that says a turning and nothing else, as a TIFF of 26 bytes. */
export function exifOf(turning: Turning): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('II', 'latin1')
  tiff.writeUInt16LE(42, 2)
  tiff.writeUInt32LE(8, 4)
  tiff.writeUInt16LE(1, 8)
  tiff.writeUInt16LE(ORIENTATION, 10)
  tiff.writeUInt16LE(3, 12)
  tiff.writeUInt32LE(1, 14)
  tiff.writeUInt16LE(turning, 18)
  return tiff
}

/** Returns EXIF without the mark that some programs put before it. */
export function withoutMark(exif: Buffer): Buffer {
  return exif.subarray(0, EXIF_MARK.length).equals(EXIF_MARK) ? exif.subarray(EXIF_MARK.length) : exif
}

function turningAs(number: number): Turning {
  return number >= 1 && number <= 8 ? (number as Turning) : 1
}
