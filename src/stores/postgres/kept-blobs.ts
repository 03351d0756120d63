import type { Readable } from 'node:stream'
import type { BlobRef, Blobs, ByteRange, PutBlob } from '#core/media/blobs.ts'
import type { Database } from './database.ts'

/** Blobs of which those that hold a site's files are never removed. */
export class KeptBlobs implements Blobs {
  readonly #blobs: Blobs
  readonly #database: Database

  constructor(blobs: Blobs, database: Database) {
    this.#blobs = blobs
    this.#database = database
  }

  put(content: AsyncIterable<Uint8Array>, max: number): Promise<PutBlob> {
    return this.#blobs.put(content, max)
  }

  open(ref: BlobRef, range?: ByteRange): Promise<Readable | undefined> {
    return this.#blobs.open(ref, range)
  }

  async remove(ref: BlobRef): Promise<void> {
    const file = await this.#database.read((db) =>
      db.selectFrom('site_files').select('path').where('ref', '=', ref).limit(1).executeTakeFirst(),
    )
    if (!file) await this.#blobs.remove(ref)
  }

  async sweep(before: number, isNamed: (ref: BlobRef, at: number) => boolean): Promise<number> {
    const rows = await this.#database.read((db) => db.selectFrom('site_files').select('ref').distinct().execute())
    const kept = new Set(rows.map(({ ref }) => ref))
    return this.#blobs.sweep(before, (ref, at) => kept.has(ref) || isNamed(ref, at))
  }
}
