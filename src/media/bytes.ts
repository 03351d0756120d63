import { Slices } from '#lib/concurrency/slices.ts'
import { cutShort } from './fault.ts'

/** Bytes that are read by ranges: from `start` on, until before `end`, which is at most `size`. */
export interface BytesReader {
  readonly size: number
  read(start: number, end: number): Promise<Buffer>
}

/** Bytes that are read at once after a jump, and the most where one reads on. */
const FIRST = 4 * 1024
const MOST = 256 * 1024

/** Times that one may look at bytes before others get a turn. */
const STEPS = 256

/** Returns a reader of bytes that are in memory. */
export function readerOf(bytes: Buffer): BytesReader {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) }
}

/**
 * A place in a file, read through a window of at most 256 KiB, or what `need` asks for. Other work runs now and then.
 * Its way is forward, so that no file is read more than twice.
 */
export class Cursor {
  /** The place: an offset in bytes. */
  at = 0
  readonly size: number
  /** A word for the format, for faults. */
  found = 'unknown'
  readonly #reader: BytesReader
  readonly #slices = new Slices()
  #window: Buffer = Buffer.alloc(0)
  #from = 0
  #length = FIRST
  #steps = 0

  constructor(reader: BytesReader) {
    this.#reader = reader
    this.size = reader.size
  }

  /** Number of bytes from the place to the end of the file. */
  get left(): number {
    return this.size - this.at
  }

  /**
   * Returns whether so many bytes from the place on can be looked at without `need`; false now and then all the same, so that other
   * work gets its turn. Quicker than to wait for `need` each time.
   */
  has(count: number): boolean {
    return ++this.#steps % STEPS !== 0 && this.#holds(count)
  }

  /** Reads so many bytes from the place on, at least; throws a fault where the file ends before. */
  async need(count: number): Promise<void> {
    if (this.#slices.isOver) await this.#slices.pause()
    if (this.#holds(count)) return
    if (count > this.left) throw cutShort(this.found)
    await this.#load(count)
  }

  /** Reads on until `count` bytes, or those that are left, can be looked at; returns how many. */
  async upTo(count: number): Promise<number> {
    const some = Math.max(0, Math.min(count, this.left))
    await this.need(some)
    return some
  }

  /** The bytes from the place on that can be looked at now. */
  get window(): Buffer {
    return this.#window.subarray(Math.max(0, this.at - this.#from))
  }

  byte(offset = 0): number {
    return this.#window[this.at - this.#from + offset] ?? 0
  }

  /** Two bytes, the high one first. */
  u16(offset = 0): number {
    return this.#window.readUInt16BE(this.at - this.#from + offset)
  }

  /** Four bytes, the high one first. */
  u32(offset = 0): number {
    return this.#window.readUInt32BE(this.at - this.#from + offset)
  }

  /** Looks at so many bytes, which `need` has read; true until the next `need`. */
  bytes(count: number, offset = 0): Buffer {
    const from = this.at - this.#from + offset
    return this.#window.subarray(from, from + count)
  }

  /** Bytes as text, one character each. */
  text(count: number, offset = 0): string {
    return this.bytes(count, offset).toString('latin1')
  }

  #holds(count: number): boolean {
    const at = this.at - this.#from
    return at >= 0 && at + count <= this.#window.length
  }

  async #load(count: number): Promise<void> {
    const end = this.#from + this.#window.length
    const isNext = this.at >= this.#from && this.at <= end + FIRST
    this.#length = isNext ? Math.min(2 * this.#length, MOST) : FIRST
    const to = Math.min(this.size, this.at + Math.max(count, this.#length))
    const window = await this.#reader.read(this.at, to)
    if (window.length < to - this.at) throw cutShort(this.found)
    this.#window = window
    this.#from = this.at
  }
}
