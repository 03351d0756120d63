import type { BytesReader } from './bytes.ts'
import { broken, cutShort } from './fault.ts'

/** A part of a file that is made of another: a range of that, or bytes of its own. */
export type Piece = { readonly start: number; readonly end: number } | Buffer

/** A file without some of its parts: pieces in their order, and how many bytes they come to. */
export interface Cut {
  readonly pieces: readonly Piece[]
  readonly size: number
}

/** More pieces than any picture comes to: who sends more wants our memory. */
const MOST_PIECES = 10_000

/** Bytes of a piece that are read at once. */
const CHUNK = 256 * 1024

/** Gathers the pieces of a cut; ranges that meet become one. */
export class PieceList {
  readonly found: string
  #pieces: Piece[] = []
  #size = 0

  /** `found` names the format, for faults. */
  constructor(found: string) {
    this.found = found
  }

  get size(): number {
    return this.#size
  }

  keep(start: number, end: number): void {
    if (end <= start) return
    this.#size += end - start
    const last = this.#pieces.at(-1)
    if (last && 'end' in last && last.end === start) this.#pieces[this.#pieces.length - 1] = { start: last.start, end }
    else this.#add({ start, end })
  }

  insert(bytes: Buffer): void {
    this.#size += bytes.length
    this.#add(bytes)
  }

  /** Adds the pieces of another list at the end. */
  append(other: PieceList): void {
    for (const piece of other.#pieces) {
      if ('end' in piece) this.keep(piece.start, piece.end)
      else this.insert(piece)
    }
  }

  /** Returns the cut; undefined where it is the whole file of `size` bytes. */
  cut(size: number): Cut | undefined {
    const first = this.#pieces[0]
    const isWhole = this.#pieces.length === 1 && first && 'end' in first && first.start === 0 && first.end === size
    return isWhole ? undefined : { pieces: this.#pieces, size: this.#size }
  }

  #add(piece: Piece): void {
    if (this.#pieces.length >= MOST_PIECES) throw broken(this.found, 'The file has more parts than a picture can need.')
    this.#pieces.push(piece)
  }
}

/** The bytes of a cut, in chunks of at most 256 KiB. Pieces that lie close together are read at once. */
export async function* bytesOfCut(reader: BytesReader, { pieces }: Cut): AsyncGenerator<Buffer> {
  let window: Buffer = Buffer.alloc(0)
  let from = 0
  for (const [index, piece] of pieces.entries()) {
    if (!('end' in piece)) {
      yield piece
      continue
    }
    for (let at = piece.start; at < piece.end; ) {
      if (at < from || at >= from + window.length) {
        window = await reader.read(at, endOfChunk(pieces, index, at))
        from = at
        if (window.length === 0) throw cutShort('file')
      }
      const to = Math.min(piece.end, from + window.length)
      yield window.subarray(at - from, to - from)
      at = to
    }
  }
}

/** The end of what is read at once from `at` on, in the piece of an index: whole pieces behind it, too. */
function endOfChunk(pieces: readonly Piece[], index: number, at: number): number {
  let end = at
  for (let next = index; next < pieces.length; next++) {
    const piece = pieces[next]
    if (!piece || !('end' in piece)) continue
    if (next === index) end = Math.min(piece.end, at + CHUNK)
    else if (piece.start < end || piece.end > at + CHUNK) break
    else end = piece.end
  }
  return end
}
