import { constants, lstatSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Unavailable } from '../errors.ts'
import { orAbsent } from './stamp.ts'

/** The bytes of a file, which are never all in memory: `size` of them from its beginning. */
export interface FileBytes {
  /** Absolute. */
  readonly real: string
  readonly size: number
}

/** Bytes in memory, or those of a file. */
export type AnyBytes = Buffer | FileBytes

/** The bytes in a piece of a file. */
const PIECE = 256 * 1024

/** Returns the bytes of the plain file at an absolute path; undefined where there is none (or a link, or something else). */
export function fileBytesAt(real: string): FileBytes | undefined {
  const stats = orAbsent(() => lstatSync(real, { throwIfNoEntry: false }))
  return stats?.isFile() ? { real, size: stats.size } : undefined
}

/**
 * Gives bytes piece by piece, as many as their size says: zeros for those that are missing by now, for which a writer has to look
 * at the stamp of the file afterwards. Throws Unavailable where the file is gone.
 */
export async function* piecesOf(bytes: AnyBytes): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(bytes)) return yield bytes
  const file = await open(bytes.real, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new Unavailable('A file was removed meanwhile, so nothing was saved.', 1)
  })
  try {
    for (let at = 0; at < bytes.size; ) {
      const piece = Buffer.alloc(Math.min(PIECE, bytes.size - at))
      const { bytesRead } = await file.read(piece, 0, piece.length, at)
      const length = bytesRead === 0 ? piece.length : bytesRead
      yield piece.subarray(0, length)
      at += length
    }
  } finally {
    await file.close()
  }
}

/** Returns how many bytes these are. */
export function lengthOf(bytes: AnyBytes): number {
  return Buffer.isBuffer(bytes) ? bytes.length : bytes.size
}
