import type { Analyser } from '#fulltext/analysis/analyser.ts'
import type { Reading } from '#fulltext/reading.ts'
import { Cache } from '#lib/cache.ts'
import { ReadingFile } from './reading-file.ts'

/** Bytes that are kept in memory if others go to a file, and if nothing else keeps them: 10,000 texts of 2 KiB. */
const KEPT_BYTES = 12 * 1024 * 1024
const KEPT_ALONE = 40 * 1024 * 1024
/** Overhead of a text beyond its bytes. */
const OVERHEAD = 300

/**
 * A cache of what was read of documents: those asked for of late in memory, others in a file, where there is a folder for one.
 */
export class Readings {
  readonly #analyser: Analyser
  readonly #file: ReadingFile | undefined
  readonly #memory: Cache<Reading>

  constructor(analyser: Analyser, folder: string | undefined) {
    this.#analyser = analyser
    this.#file = folder === undefined ? undefined : new ReadingFile(folder)
    this.#memory = new Cache<Reading>({
      bytes: folder === undefined ? KEPT_ALONE : KEPT_BYTES,
      sizeOf: ({ shape }) => OVERHEAD + shape.textBytes + (shape.wordBytes ?? 0),
      evicted: (name, reading, version) => this.#file?.set(name, String(version), reading),
    })
  }

  /**
   * Returns the reading of a document of this name and version; undefined if it is not kept. One that is requested again gets
   * indexed.
   */
  get(name: string, version: string): Reading | undefined {
    const kept = this.#memory.get(name, version)
    const known = kept ?? this.#file?.get(name, version)
    if (!known || (kept && known.isIndexed)) return known
    const reading = known.isIndexed ? known : known.indexed(this.#analyser)
    this.#memory.set(name, reading, version)
    return reading
  }

  set(name: string, version: string, reading: Reading): void {
    this.#memory.set(name, reading, version)
  }

  close(): void {
    this.#file?.close()
  }
}
