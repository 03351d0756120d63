import { createHash } from 'node:crypto'
import { versionOf } from '#core/format/version.ts'
import type { Repository } from './repository.ts'

/** The id that git gives to these bytes in a repository: 40 hex digits, or 64 where it goes by SHA-256. */
export function blobId({ format }: Pick<Repository, 'format'>, bytes: Buffer): string {
  if (format === 'sha1') return versionOf(bytes)
  return createHash('sha256').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
