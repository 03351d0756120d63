import { createHash } from 'node:crypto'
import { TooLarge } from '#lib/errors.ts'
import type { StoredBlob } from './blobs.ts'

/** Measures and names content that passes through. */
export class Measured {
  readonly #content: AsyncIterable<Uint8Array>
  readonly #max: number
  readonly #hash = createHash('sha256')
  #size = 0

  /** Throws TooLarge to the reader after more than `max` bytes. */
  constructor(content: AsyncIterable<Uint8Array>, max: number) {
    this.#content = content
    this.#max = max
  }

  /** The content, as it comes. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#content) {
      this.#size += piece.length
      if (this.#size > this.#max) throw new TooLarge(`The content has more than ${this.#max} bytes.`)
      this.#hash.update(piece)
      yield piece
    }
  }

  /** The content in parts that have `length` bytes each, but for the last. A part is only valid until the next is asked for. */
  async *parts(length: number): AsyncGenerator<Buffer> {
    const part = Buffer.allocUnsafe(length)
    let filled = 0
    for await (const piece of this.pieces()) {
      for (let from = 0; from < piece.length; ) {
        const taken = Math.min(piece.length - from, length - filled)
        part.set(piece.subarray(from, from + taken), filled)
        from += taken
        filled += taken
        if (filled === length) yield part
        filled %= length
      }
    }
    if (filled > 0) yield part.subarray(0, filled)
  }

  /** Returns the hash and size of the bytes that have passed. Call it after the last one. */
  end(): StoredBlob {
    return { ref: this.#hash.digest('hex'), size: this.#size }
  }
}
