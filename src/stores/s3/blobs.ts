import { Readable } from 'node:stream'
import type { HealthProblem } from '#core/backend.ts'
import { type BlobRef, type Blobs, type ByteRange, isBlobRef, type PutBlob, type StoredBlob } from '#core/media/blobs.ts'
import { Measured } from '#core/media/measured.ts'
import { Cache } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'
import { Bucket, type StoredObject } from './bucket.ts'
import { S3Client } from './client.ts'
import { blobsOf, type Copy, copyOf, KEPT, newestFirst, newKey, randomName } from './copies.ts'
import { Download } from './download.ts'
import { failureOf } from './failures.ts'
import { examine } from './problems.ts'
import type { BucketSettings, RequestLimits } from './settings.ts'

/**
 * Bytes of a part of an upload, which is held in memory: no less than the 5 MiB that S3 asks for, and all of one size, as R2 does.
 */
const PART = 8 * 1024 * 1024

/** The most bytes of a blob: S3 copies no larger object in one step. */
const MOST_BYTES = 5_000_000_000

/** After how long, in milliseconds, what was begun and not ended is what a crash left. */
const LEFT_MS = 24 * 3_600_000

/** The most blobs whose objects are remembered. */
const REMEMBERED = 10_000

/** A second: the times of objects are cut to it. */
const SECOND = 1000

/** The prefix of the keys of what is about to become a blob. */
const BEGUN = 'uploads/'

const LIMITS: RequestLimits = {
  attempts: 5,
  idleMs: 15_000,
  attemptMs: 120_000,
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** Limits of the requests of an examination. */
const EXAMINED = { attempts: 3, attemptMs: 10_000 } as const

/** Options of blobs in a bucket. */
export interface S3BlobsOptions {
  readonly bucket: BucketSettings
  readonly clock: Clock
  readonly limits?: Partial<RequestLimits>
  /** Bytes of a part of an upload. */
  readonly part?: number
}

/**
 * Blobs in a bucket of S3, which is this site's alone. Each time that bytes are put makes an object `media/<ref>/<random>`, which
 * never changes, and takes older ones of the same bytes away: so that a sweep, which removes the objects it saw, takes none away
 * that was put since.
 */
export class S3Blobs implements Blobs {
  readonly #client: S3Client
  readonly #bucket: Bucket
  readonly #clock: Clock
  readonly #limits: RequestLimits
  readonly #part: number
  readonly #settings: BucketSettings
  /** The objects of blobs, as they were found last: hints, since another node may have put them anew. */
  readonly #found = new Cache<Copy>({ most: REMEMBERED })

  constructor({ bucket, clock, limits = {}, part = PART }: S3BlobsOptions) {
    this.#limits = { ...LIMITS, ...limits }
    this.#client = new S3Client(bucket, clock, this.#limits)
    this.#bucket = new Bucket(this.#client, bucket.bucket)
    this.#clock = clock
    this.#part = part
    this.#settings = bucket
  }

  async put(content: AsyncIterable<Uint8Array>, max: number): Promise<PutBlob> {
    const measured = new Measured(content, Math.min(max, MOST_BYTES))
    try {
      const stored = await this.#put(measured)
      // Older ones that stay are a sweep's.
      const older = await this.#thin(stored.ref).catch(() => undefined)
      return { ...stored, isNew: older === 0 }
    } catch (error) {
      throw failureOf(error)
    }
  }

  async open(ref: BlobRef, range: ByteRange = { start: 0 }): Promise<Readable | undefined> {
    if (!isBlobRef(ref)) return undefined
    try {
      const known = this.#found.get(ref)
      return (known && (await this.#read(known, range))) ?? (await this.#readAnew(ref, range))
    } catch (error) {
      throw failureOf(error)
    }
  }

  async remove(ref: BlobRef): Promise<void> {
    if (!isBlobRef(ref)) return
    try {
      this.#found.delete(ref)
      for (const { key } of await this.#copies(ref)) await this.#bucket.remove(key)
    } catch (error) {
      throw failureOf(error)
    }
  }

  async sweep(before: number, isNamed: (ref: BlobRef, at: number) => boolean): Promise<number> {
    try {
      let removed = 0
      for await (const copies of blobsOf(this.#bucket.list(KEPT))) if (await this.#sweepOne(copies, before, isNamed)) removed++
      await this.#removeLeft(Math.min(before, this.#clock.now() - LEFT_MS))
      return removed
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** Finds out whether the bucket can be used, and what is wrong where it can't. Nobody waits for long. */
  async examine(): Promise<HealthProblem[]> {
    const client = new S3Client(this.#settings, this.#clock, { ...this.#limits, ...EXAMINED })
    try {
      return await examine(new Bucket(client, this.#settings.bucket), this.#settings.endpoint, `${BEGUN}${randomName()}`)
    } finally {
      client.close()
    }
  }

  /** Ends the connections that are idle. */
  close(): void {
    this.#client.close()
  }

  async #put(content: Measured): Promise<StoredBlob> {
    const parts = content.parts(this.#part)
    const first = await parts.next()
    const bytes = first.done ? Buffer.alloc(0) : first.value
    if (bytes.length === this.#part) return this.#putInParts(bytes, parts, content)
    const stored = content.end()
    await this.#bucket.put(newKey(stored.ref), bytes)
    return stored
  }

  /** The name is known when all has passed: then it is copied to it, in the bucket. */
  async #putInParts(first: Buffer, others: AsyncIterable<Buffer>, content: Measured): Promise<StoredBlob> {
    const key = `${BEGUN}${randomName()}`
    let begun: string | undefined
    try {
      const id = await this.#bucket.begin(key)
      begun = id
      const etags = [await this.#bucket.putPart(key, id, 1, first)]
      for await (const bytes of others) etags.push(await this.#bucket.putPart(key, id, etags.length + 1, bytes))
      const stored = content.end()
      await this.#bucket.finish({ key, id, etags }, stored.size)
      begun = undefined
      await this.#bucket.copy(key, newKey(stored.ref))
      return stored
    } finally {
      // Where the server is away now, a sweep does it.
      await this.#discard(key, begun).catch(() => undefined)
    }
  }

  /** Removes an upload in parts: what was made of it, and each beginning, of which there are two where an answer was lost. */
  async #discard(key: string, id: string | undefined): Promise<void> {
    if (id !== undefined) await this.#bucket.abort(key, id)
    for await (const upload of this.#bucket.uploads(key)) await this.#bucket.abort(upload.key, upload.id)
    await this.#bucket.remove(key)
  }

  /** Removes all objects of a blob but the newest, and returns how many. Whoever does so at the same time leaves the same one. */
  async #thin(ref: BlobRef): Promise<number> {
    const [newest, ...older] = newestFirst(await this.#copies(ref))
    if (newest) this.#found.set(ref, newest)
    for (const { key } of older) await this.#bucket.remove(key)
    return older.length
  }

  async #sweepOne(copies: readonly Copy[], before: number, isNamed: (ref: BlobRef, at: number) => boolean): Promise<boolean> {
    const [newest, ...older] = newestFirst(copies)
    for (const { key } of older) await this.#bucket.remove(key)
    if (!newest || newest.at + SECOND > before || isNamed(newest.ref, newest.at)) return false
    await this.#bucket.remove(newest.key)
    return true
  }

  /** Removes what was begun before a time. */
  async #removeLeft(before: number): Promise<void> {
    for await (const { key, id, at } of this.#bucket.uploads(BEGUN)) if (at < before) await this.#bucket.abort(key, id)
    for await (const { key, at } of this.#bucket.list(BEGUN)) if (at < before) await this.#bucket.remove(key)
  }

  async #readAnew(ref: BlobRef, range: ByteRange): Promise<Readable | undefined> {
    // Another node may take away the one that was found, having put the bytes anew.
    for (let tries = 0; tries < this.#limits.attempts; tries++) {
      const [newest] = newestFirst(await this.#copies(ref))
      if (!newest) return undefined
      this.#found.set(ref, newest)
      const stream = isEmpty(newest, range) ? Readable.from([], { objectMode: false }) : await this.#read(newest, range)
      if (stream) return stream
    }
    return undefined
  }

  /** The bytes of an object; undefined where it is gone, or none are asked for. */
  async #read(copy: Copy, range: ByteRange): Promise<Readable | undefined> {
    if (isEmpty(copy, range)) return undefined
    const { start } = range
    const end = Math.min(range.end ?? copy.size, copy.size)
    const ask = (from: number) => this.#bucket.get(copy.key, from, end)
    const message = await ask(start)
    if (!message) this.#found.delete(copy.ref)
    const { limits, pause } = { limits: this.#limits, pause: (nth: number) => this.#client.pause(nth) }
    return message && new Download(message, { start, end, limits, ask, pause }).stream()
  }

  async #copies(ref: BlobRef): Promise<Copy[]> {
    const copies: Copy[] = []
    for await (const object of this.#bucket.list(`${KEPT}${ref}/`)) {
      const copy = copyOf(object)
      if (copy) copies.push(copy)
    }
    return copies
  }
}

function isEmpty({ size }: StoredObject, { start, end = size }: ByteRange): boolean {
  return Math.min(end, size) <= start
}
