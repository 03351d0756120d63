import type { SiteFiles } from '#core/files/site-files.ts'
import type { Key } from '#core/key.ts'
import type { Blobs } from '#core/media/blobs.ts'
import { fileBeside } from './library.ts'

/** The largest file that is kept, in bytes: larger ones did not come by an upload. */
const MOST = 64 * 1024 * 1024

/** The dependencies of `keepBytes`. */
export interface KeepingDeps {
  readonly siteFiles: SiteFiles
  blobs(): Blobs
}

/**
 * Keeps the bytes that lie beside a sidecar as a blob, before they are replaced, moved or removed: a rollback finds them until a
 * sweep removes them, and a file that is half removed by a crash is whole.
 */
export async function keepBytes({ siteFiles, blobs }: KeepingDeps, key: Key): Promise<void> {
  const file = await fileBeside(siteFiles, key)
  const bytes = file && file.size <= MOST ? await siteFiles.open(file) : undefined
  if (bytes) await blobs().put(bytes, MOST)
}
