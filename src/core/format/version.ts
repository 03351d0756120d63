import { createHash } from 'node:crypto'
import type { Version } from '../document.ts'

/** The git blob id of `bytes`: SHA-1 over `blob <length>`, a NUL and the bytes, as 40 hex digits. */
export function versionOf(bytes: Uint8Array): Version {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
