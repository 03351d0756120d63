import type { Author } from '#core/document.ts'
import { type Key, keyText } from '#core/key.ts'
import type { Database } from '#stores/postgres/database.ts'
import type { Rows } from '#stores/postgres/documents/rows.ts'
import { land } from '#stores/postgres/writing/landing.ts'

/** A file of a site, as it is to be kept in a database: its bytes as they are, readable or not. */
export interface Loaded {
  readonly key: Key
  /** As `DocumentTable.file`. */
  readonly file: string
  readonly bytes: Buffer
}

/**
 * Takes files in as they are, all in one write that Quire did not make: by whom and when (milliseconds since 1970) its history
 * says.
 */
export async function load(database: Database, rows: Rows, files: readonly Loaded[], by: Author, at: number): Promise<void> {
  const iso = new Date(at).toISOString()
  const kept = files.map(({ key, file, bytes }) => ({
    key,
    file,
    bytes,
    head: rows.read(key, file, bytes),
    dates: { createdAt: iso, updatedAt: iso },
  }))
  const made = kept.map(({ key, file, bytes, head }) => ({
    ...{ key, file, bytes, at: iso },
    number: at,
    action: 'external' as const,
    version: head.version,
  }))
  if (new Set(files.map(({ key }) => keyText(key))).size < files.length) throw new Error('Two files are of one document.')
  if (made.length === 0) return
  const message = 'By hand'
  await database.writing((trx, site) =>
    land(trx, rows, site, { writes: [{ at, by, message, made }], kept, gone: [], silent: [] }),
  )
}
