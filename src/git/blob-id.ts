import { createHash } from 'node:crypto'
import type { Repository } from './repository.ts'

/** Returns the id that git gives to these bytes in a repository: 40 hex digits, or 64 in one of SHA-256. */
export function blobId({ format }: Pick<Repository, 'format'>, bytes: Uint8Array): string {
  return blobHash(format, bytes)
}

/** Hashes `blob <length>`, a NUL and the bytes, as gitformat-pack(5) has it. Returns hex digits. */
export function blobHash(format: Repository['format'], bytes: Uint8Array): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
