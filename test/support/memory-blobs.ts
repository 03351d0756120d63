import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BlobRef, Blobs, ByteRange, PutBlob } from '#core/media/blobs.ts'
import type { Clock } from '#lib/clock.ts'
import { TooLarge } from '#lib/errors.ts'

/** An implementation of `Blobs` in a Map. */
export class MemoryBlobs implements Blobs {
  readonly #blobs = new Map<BlobRef, Buffer>()
  readonly #times = new Map<BlobRef, number>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async put(content: AsyncIterable<Uint8Array>, max: number): Promise<PutBlob> {
    let bytes = Buffer.alloc(0)
    for await (const piece of content) {
      bytes = Buffer.concat([bytes, piece])
      if (bytes.length > max) throw new TooLarge(`The content has more than ${max} bytes.`)
    }
    const ref = hash('sha256', bytes, 'hex')
    const isNew = !this.#blobs.has(ref)
    this.#blobs.set(ref, bytes)
    this.#times.set(ref, this.#clock.now())
    return { ref, size: bytes.length, isNew }
  }

  async open(ref: BlobRef, { start, end }: ByteRange = { start: 0 }): Promise<Readable | undefined> {
    const bytes = this.#blobs.get(ref)
    return bytes && Readable.from(bytes.length === 0 ? [] : [bytes.subarray(start, end)], { objectMode: false })
  }

  async remove(ref: BlobRef): Promise<void> {
    this.#blobs.delete(ref)
  }

  async sweep(before: number, isNamed: (ref: BlobRef, at: number) => boolean): Promise<number> {
    const old = [...this.#blobs.keys()].filter((ref) => {
      const at = this.#times.get(ref) ?? 0
      return at < before && !isNamed(ref, at)
    })
    for (const ref of old) this.#blobs.delete(ref)
    return old.length
  }
}
