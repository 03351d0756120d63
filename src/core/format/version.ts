import { blobHash } from '#git/objects/blob-id.ts'
import type { Version } from '../document.ts'

/** Returns the version of a document's bytes: their git blob id by SHA-1, 40 hex digits. */
export function versionOf(bytes: Uint8Array): Version {
  return blobHash('sha1', bytes)
}
