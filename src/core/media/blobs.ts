import type { Readable } from 'node:stream'

/** The name of a blob: the SHA-256 of its bytes, in hex. The same bytes are one blob, however often they are put. */
export type BlobRef = string

/**
 * Bytes from `start` on, until before `end`; to the last without it. What lies beyond the last byte is not there, and no error.
 */
export interface ByteRange {
  readonly start: number
  readonly end?: number
}

/** A blob that was put, and how many bytes it has. */
export interface StoredBlob {
  readonly ref: BlobRef
  readonly size: number
}

/** A blob as it was put; `isNew` is false where the same bytes were kept already, or are put at the same time. */
export interface PutBlob extends StoredBlob {
  readonly isNew: boolean
}

/** Large bytes that are in no record: uploads. None is ever held whole in memory. */
export interface Blobs {
  /**
   * Stores the bytes of `content`; durable when it resolves, and visible to nobody before. Throws TooLarge after more than `max`
   * bytes, and what `content` throws; then nothing is left. Bytes that are kept already count as put now.
   */
  put(content: AsyncIterable<Uint8Array>, max: number): Promise<PutBlob>
  /**
   * The bytes of a blob, or those of a range; undefined where there is none. One that is removed while it is read may end in an
   * error, never in other bytes.
   */
  open(ref: BlobRef, range?: ByteRange): Promise<Readable | undefined>
  /** Removes a blob, if it exists. The caller knows that nothing refers to it any more. */
  remove(ref: BlobRef): Promise<void>
  /**
   * Removes the blobs that were last put before a time, in milliseconds since 1970, and that nothing refers to. Returns how many.
   * `isNamed` is told when each of these was put.
   */
  sweep(before: number, isNamed: (ref: BlobRef, at: number) => boolean): Promise<number>
}

/** Returns whether a text can be the name of a blob at all. */
export function isBlobRef(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}
