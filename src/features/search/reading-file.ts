import { randomBytes } from 'node:crypto'
import { closeSync, ftruncateSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Reading, type ReadingShape } from '#fulltext/reading.ts'

/** Largest size of the file in bytes. A larger one is started anew. */
const MOST_BYTES = 256 * 1024 * 1024

interface Place extends ReadingShape {
  readonly version: string
  readonly at: number
}

/**
 * Keeps readings in a file of this process alone, each found by its place. The file has no name once it is open: nobody else can
 * read what is private in it, and nothing is left of it when the process ends. It only saves time: where it can't be written
 * nothing is kept.
 */
export class ReadingFile {
  readonly #folder: string
  readonly #most: number
  readonly #places = new Map<string, Place>()
  #file: number | undefined
  #end = 0
  #isOver = false
  #buffer = Buffer.alloc(0)

  constructor(folder: string, most = MOST_BYTES) {
    this.#folder = folder
    this.#most = most
  }

  get(name: string, version: string): Reading | undefined {
    const place = this.#places.get(name)
    if (!place || this.#file === undefined) return undefined
    if (place.version !== version) {
      this.#places.delete(name)
      return undefined
    }
    const length = place.textBytes + (place.wordBytes ?? 0)
    if (this.#buffer.length < length) this.#buffer = Buffer.alloc(length * 2)
    const isRead = this.#tries((file) => readSync(file, this.#buffer, 0, length, place.at) === length)
    return isRead ? Reading.from(this.#buffer, place) : undefined
  }

  /** Keeps a reading, unless it is there already. */
  set(name: string, version: string, reading: Reading): void {
    const { shape } = reading
    const known = this.#places.get(name)
    if (this.#isOver || (known?.version === version && known.wordBytes === shape.wordBytes)) return
    const { bytes } = reading
    this.#tries((file) => {
      if (this.#end + bytes.length > this.#most) this.#beginAnew(file)
      if (writeSync(file, bytes, 0, bytes.length, this.#end) !== bytes.length) return false
      this.#places.set(name, { version, at: this.#end, ...shape })
      this.#end += bytes.length
      return true
    })
  }

  close(): void {
    this.#isOver = true
    this.#places.clear()
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** Does something with the file; after a failure it is done with for good. */
  #tries(work: (file: number) => boolean): boolean {
    try {
      this.#file ??= this.#open()
      if (work(this.#file)) return true
    } catch {
      // As where less was read or written than asked for.
    }
    this.close()
    return false
  }

  #open(): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const path = join(this.#folder, `texts-${randomBytes(8).toString('hex')}.tmp`)
    const file = openSync(path, 'wx+', 0o600)
    rmSync(path)
    return file
  }

  #beginAnew(file: number): void {
    ftruncateSync(file)
    this.#places.clear()
    this.#end = 0
  }
}
