import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { type BlobRef, type Blobs, type ByteRange, isBlobRef, type PutBlob, type StoredBlob } from '#core/media/blobs.ts'
import { Measured } from '#core/media/measured.ts'
import type { Clock } from '#lib/clock.ts'
import { failureOf, syncFolder } from '#lib/files/atomic.ts'
import { type FileBytes, fileBytesAt } from '#lib/files/bytes.ts'
import { makePrivateDir } from '#stores/engine/private-folder.ts'

/** After how long, in milliseconds, a file that was begun and never given its name is what a crash left. */
const LEFT_MS = 24 * 3_600_000

const BEGUN = /^\.quire-[0-9a-f]+\.tmp$/

/** Blobs in a folder: a file each, named by its bytes. */
export class FilesBlobs implements Blobs {
  readonly #folder: string
  readonly #clock: Clock
  #isTidy = false

  /** `folder` (absolute, in the private one) is made when there is something to keep. */
  constructor(folder: string, clock: Clock) {
    this.#folder = folder
    this.#clock = clock
  }

  async put(content: AsyncIterable<Uint8Array>, max: number): Promise<PutBlob> {
    try {
      await this.#prepare()
      return await this.#write(new Measured(content, max))
    } catch (error) {
      throw failureOf(error)
    }
  }

  async open(ref: BlobRef, { start, end }: ByteRange = { start: 0 }): Promise<Readable | undefined> {
    const file = isBlobRef(ref) ? await opened(this.#path(ref)) : undefined
    if (!file) return undefined
    if (end !== undefined && end <= start) {
      await file.close()
      return Readable.from([], { objectMode: false })
    }
    return file.createReadStream(end === undefined ? { start } : { start, end: end - 1 })
  }

  async remove(ref: BlobRef): Promise<void> {
    if (isBlobRef(ref)) await rm(this.#path(ref), { force: true })
  }

  /** Finds the file of a blob that is whole. */
  async bytesOf({ ref, size }: StoredBlob): Promise<FileBytes | undefined> {
    const found = this.fileOf(ref)
    return found?.size === size ? found : undefined
  }

  /** Finds the file of a blob. */
  fileOf(ref: BlobRef): FileBytes | undefined {
    return isBlobRef(ref) ? fileBytesAt(this.#path(ref)) : undefined
  }

  async sweep(before: number, isNamed: (ref: BlobRef, at: number) => boolean): Promise<number> {
    let removed = 0
    for (const folder of await namesIn(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue
      for (const ref of await namesIn(join(this.#folder, folder))) {
        const at = isBlobRef(ref) ? await timeOf(this.#path(ref)) : undefined
        if (at === undefined || at >= before || isNamed(ref, at)) continue
        if (await this.#removeOld(this.#path(ref), before)) removed++
      }
    }
    return removed
  }

  /** Takes it out of the way before it looks again: somebody may be putting the same bytes, and must not lose theirs. */
  async #removeOld(path: string, before: number): Promise<boolean> {
    const aside = this.#besideName()
    if (!(await isRenamed(path, aside))) return false
    const isOld = await wasPutBefore(aside, before)
    if (isOld) await rm(aside, { force: true })
    else await rename(aside, path)
    return isOld
  }

  #besideName(): string {
    return join(this.#folder, `.quire-${randomBytes(12).toString('hex')}.tmp`)
  }

  async #write(content: Measured): Promise<PutBlob> {
    const begun = this.#besideName()
    try {
      const file = await open(begun, 'wx', 0o600)
      try {
        for await (const piece of content.pieces()) await writeAll(file, piece)
        // The time at which it was put, by the clock that a sweep goes by.
        const now = this.#clock.now() / 1000
        await file.utimes(now, now)
        await file.sync()
      } finally {
        await file.close()
      }
      const stored = content.end()
      const isNew = (await timeOf(this.#path(stored.ref))) === undefined
      await this.#name(begun, this.#path(stored.ref))
      return { ...stored, isNew }
    } catch (error) {
      await rm(begun, { force: true })
      throw error
    }
  }

  async #name(begun: string, path: string): Promise<void> {
    const folder = dirname(path)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await rename(begun, path)
    // Both, also if another writer made the folder: it may be about to wait for it.
    await Promise.all([syncFolder(folder), syncFolder(this.#folder)])
  }

  async #prepare(): Promise<void> {
    makePrivateDir(dirname(this.#folder))
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    if (this.#isTidy) return
    this.#isTidy = true
    for (const name of await readdir(this.#folder)) if (BEGUN.test(name)) await this.#removeLeft(join(this.#folder, name))
  }

  async #removeLeft(path: string): Promise<void> {
    if (await wasPutBefore(path, this.#clock.now() - LEFT_MS)) await rm(path, { force: true })
  }

  #path(ref: BlobRef): string {
    return join(this.#folder, ref.slice(0, 2), ref)
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

/** Renames a file; false where another sweep has removed it. */
async function isRenamed(path: string, to: string): Promise<boolean> {
  try {
    await rename(path, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

async function wasPutBefore(path: string, time: number): Promise<boolean> {
  const at = await timeOf(path)
  return at !== undefined && at < time
}

/** The time at which a file was put; undefined where there is none. */
async function timeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs
}

/** A single write may take less than it is given. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; ) from += (await file.write(bytes, from)).bytesWritten
}

async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
