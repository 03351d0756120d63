import type { Cursor } from '../bytes.ts'
import { broken } from '../fault.ts'

/** A box of ISO 14496-12: `start` and `end` are those of what is in it. */
export interface Box {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** More bytes than any program writes into a box that is read whole: they are gone through at once. */
const LONGEST = 256 * 1024

/** Reads the boxes between two places, at most `most` of them. Throws a fault where one is longer than its place. */
export async function boxesIn(cursor: Cursor, start: number, end: number, most: number): Promise<Box[]> {
  const boxes: Box[] = []
  for (let at = start; at < end && boxes.length < most; ) {
    cursor.at = at
    if (end - at < 8) throw tooLong(cursor, end)
    if (!cursor.has(8)) await cursor.need(8)
    const name = cursor.text(4, 4)
    let [length, head] = [cursor.u32(), 8]
    if (length === 1) {
      await cursor.need(16)
      length = cursor.u32(8) * 2 ** 32 + cursor.u32(12)
      head = 16
    } else if (length === 0) length = end - at
    if (length < head) throw broken(cursor.found, 'A part of the file is damaged.')
    if (at + length > end) throw tooLong(cursor, end)
    boxes.push({ name, start: at + head, end: at + length })
    at += length
  }
  return boxes
}

function tooLong(cursor: Cursor, end: number): Error {
  const what = end === cursor.size ? 'The file was cut short, or something else follows it.' : 'A part of the file is damaged.'
  return broken(cursor.found, what)
}

/** Reads all of a box of at most 256 KiB. */
export async function bytesIn(cursor: Cursor, box: Box): Promise<Buffer> {
  const length = box.end - box.start
  if (length > LONGEST) throw broken(cursor.found, 'A part of the file is longer than any program writes it.')
  cursor.at = box.start
  await cursor.need(length)
  return cursor.bytes(length)
}

/** The numbers in some bytes, high byte first, one after the other; 0 behind the last. */
export class Numbers {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** The next number of so many bytes, 0 to 8. */
  next(width: number): number {
    let number = 0
    for (let index = 0; index < width; index++) number = number * 256 + (this.#bytes[this.#at++] ?? 0)
    return number
  }

  text(length: number): string {
    this.#at += length
    return this.#bytes.toString('latin1', this.#at - length, this.#at)
  }
}
