import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { Unavailable } from '#lib/errors.ts'

/** Bytes that are read at once. */
const PIECE = 64 * 1024

/** The part of a file from `start` until before `end`, as it was when it had `size` bytes and was last written at `mtimeNs`. */
interface Portion {
  readonly start: number
  readonly end: number
  readonly size: bigint
  readonly mtimeNs: bigint
}

/** A stream of a part of an open file, which it closes. It ends in an error where the file is written to meanwhile. */
export class FileReader extends Readable {
  readonly #file: FileHandle
  readonly #portion: Portion
  #at: number

  constructor(file: FileHandle, portion: Portion) {
    super({ highWaterMark: PIECE })
    this.#file = file
    this.#portion = portion
    this.#at = portion.start
  }

  override _read(): void {
    this.#next().then(
      (piece) => this.push(piece),
      (error: unknown) => this.destroy(error as Error),
    )
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#file.close().then(
      () => callback(error),
      (failure: Error) => callback(error ?? failure),
    )
  }

  async #next(): Promise<Buffer | null> {
    const { end, size, mtimeNs } = this.#portion
    const wanted = Math.min(PIECE, end - this.#at)
    const { bytesRead, buffer } =
      wanted > 0 ? await this.#file.read(Buffer.allocUnsafe(wanted), 0, wanted, this.#at) : { bytesRead: 0, buffer: null }
    // A file that is replaced as a whole goes on to be read as it was.
    const now = await this.#file.stat({ bigint: true })
    if (now.size !== size || now.mtimeNs !== mtimeNs || bytesRead < Math.min(wanted, 1)) {
      throw new Unavailable('The file was changed while it was read.')
    }
    this.#at += bytesRead
    return bytesRead === 0 ? null : (buffer?.subarray(0, bytesRead) ?? null)
  }
}
