import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { PRINT } from './out-manifest.ts'

/** Bytes that are read at once. */
const PIECE = 256 * 1024

/** As `printOf`, of a file, which is never held whole. */
export function printOfFile(path: string): string {
  const [sum, piece, file] = [createHash('sha256'), Buffer.allocUnsafe(PIECE), openSync(path, 'r')]
  try {
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) sum.update(piece.subarray(0, read))
  } finally {
    closeSync(file)
  }
  return printIn(sum)
}

/** Writes what is streamed to a file, or to none, and returns its print. */
export async function streamTo(content: AsyncIterable<Buffer>, path: string | undefined): Promise<string> {
  const sum = createHash('sha256')
  const file = path === undefined ? undefined : await open(path, 'w')
  try {
    for await (const piece of content) {
      sum.update(piece)
      await file?.writeFile(piece)
    }
  } finally {
    await file?.close()
  }
  return printIn(sum)
}

function printIn(sum: Hash): string {
  return sum.digest('base64url').slice(0, PRINT)
}
