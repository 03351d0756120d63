import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { type BlobRef, type Blobs, type ByteRange, isBlobRef, type PutBlob, type StoredBlob } from '#core/media/blobs.ts'
import { Measured } from '#core/media/measured.ts'
import type { Clock } from '#lib/clock.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Database } from './database.ts'

/** The bytes of a part. */
const PART = 256 * 1024

/**
 * After how long, in milliseconds, a blob that was begun and never ended is what a crash left; and how many of them are removed
 * at once.
 */
const LEFT_MS = 24 * 3_600_000
const LEFT_AT_ONCE = 20

/** Number of blobs that are looked at in one step of a sweep. */
const SWEPT_AT_ONCE = 1000

/** PostgreSQL's code for what is there already. */
const UNIQUE = '23505'

/**
 * Blobs in a table of parts. One that is being put has no name yet; it is given its name in one statement, when all of it is
 * there.
 */
export class PostgresBlobs implements Blobs {
  readonly #database: Database
  readonly #clock: Clock

  /** The database is opened and closed by who gives it. */
  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async put(content: AsyncIterable<Uint8Array>, max: number): Promise<PutBlob> {
    await this.#removeLeft()
    const blob = await this.#begin()
    try {
      const measured = new Measured(content, max)
      await this.#write(blob, measured)
      const stored = measured.end()
      // Those that have the name may be removed before they are said to be put anew.
      while (!(await this.#name(blob, stored)))
        if (await this.#renew(stored.ref)) return await this.#discard(blob).then(() => ({ ...stored, isNew: false }))
      return { ...stored, isNew: true }
    } catch (error) {
      // Where the database is away now, it is removed as what a crash left.
      await this.#discard(blob).catch(() => undefined)
      throw error
    }
  }

  async open(ref: BlobRef, { start, end }: ByteRange = { start: 0 }): Promise<Readable | undefined> {
    const found = isBlobRef(ref) ? await this.#find(ref) : undefined
    if (!found) return undefined
    const until = Math.min(end ?? found.size, found.size)
    return Readable.from(this.#read(found.blob, start, until), { objectMode: false })
  }

  async remove(ref: BlobRef): Promise<void> {
    if (isBlobRef(ref)) await this.#database.run((db) => db.deleteFrom('blobs').where('ref', '=', ref).execute())
  }

  async sweep(before: number, isNamed: (ref: BlobRef, at: number) => boolean): Promise<number> {
    let [removed, last] = [0, 0]
    for (;;) {
      const old = await this.#putBefore(before, last)
      last = old.at(-1)?.blob ?? last
      const unnamed = old.filter(({ ref, at }) => ref !== null && !isNamed(ref, at)).map(({ blob }) => blob)
      if (unnamed.length > 0) removed += await this.#removeOld(unnamed, before)
      if (old.length < SWEPT_AT_ONCE) return removed
    }
  }

  #putBefore(before: number, last: number): Promise<{ blob: number; ref: string | null; at: number }[]> {
    return this.#database.read((db) =>
      db
        .selectFrom('blobs')
        .select(['blob', 'ref', 'at'])
        .where('ref', 'is not', null)
        .where('at', '<', before)
        .where('blob', '>', last)
        .orderBy('blob')
        .limit(SWEPT_AT_ONCE)
        .execute(),
    )
  }

  /** Those that were put anew since they were found stay. */
  async #removeOld(blobs: readonly number[], before: number): Promise<number> {
    const { numDeletedRows } = await this.#database.run((db) =>
      db.deleteFrom('blobs').where('blob', 'in', blobs).where('at', '<', before).executeTakeFirstOrThrow(),
    )
    return Number(numDeletedRows)
  }

  #find(ref: BlobRef): Promise<{ blob: number; size: number } | undefined> {
    return this.#database.read((db) => db.selectFrom('blobs').select(['blob', 'size']).where('ref', '=', ref).executeTakeFirst())
  }

  async #begin(): Promise<number> {
    const at = this.#clock.now()
    const { blob } = await this.#database.run((db) =>
      db.insertInto('blobs').values({ at }).returning('blob').executeTakeFirstOrThrow(),
    )
    return blob
  }

  async #write(blob: number, content: Measured): Promise<void> {
    let nth = 0
    for await (const bytes of content.parts(PART)) {
      const part = { blob, nth, bytes }
      await this.#database.run((db) => db.insertInto('blob_parts').values(part).execute())
      nth += 1
    }
  }

  /** Gives a whole blob its name; false where the same bytes have it already. */
  async #name(blob: number, { ref, size }: StoredBlob): Promise<boolean> {
    try {
      await this.#database.run((db) => db.updateTable('blobs').set({ ref, size }).where('blob', '=', blob).execute())
      return true
    } catch (error) {
      if ((error as { code?: unknown }).code === UNIQUE) return false
      throw error
    }
  }

  /** Has a blob count as put now; false where there is none of that name. */
  async #renew(ref: BlobRef): Promise<boolean> {
    const at = this.#clock.now()
    const renewed = await this.#database.run((db) =>
      db.updateTable('blobs').set({ at }).where('ref', '=', ref).returning('blob').executeTakeFirst(),
    )
    return renewed !== undefined
  }

  async #discard(blob: number): Promise<void> {
    await this.#database.run((db) => db.deleteFrom('blobs').where('blob', '=', blob).where('ref', 'is', null).execute())
  }

  async #removeLeft(): Promise<void> {
    const before = this.#clock.now() - LEFT_MS
    await this.#database.run((db) =>
      sql`delete from blobs where blob in
        (select blob from blobs where ref is null and at < ${before} order by at limit ${LEFT_AT_ONCE} for update skip locked)`.execute(
        db,
      ),
    )
  }

  async *#read(blob: number, start: number, end: number): AsyncGenerator<Buffer> {
    for (let from = start; from < end; from = (Math.floor(from / PART) + 1) * PART) {
      const nth = Math.floor(from / PART)
      const part = await this.#database.read((db) =>
        db.selectFrom('blob_parts').select('bytes').where('blob', '=', blob).where('nth', '=', nth).executeTakeFirst(),
      )
      if (!part) throw new Unavailable('The content was removed while it was read.')
      yield part.bytes.subarray(from - nth * PART, end - nth * PART)
    }
  }
}
