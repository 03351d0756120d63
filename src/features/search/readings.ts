import { LRUCache } from 'lru-cache'
import type { Reading } from '../../core/search/reading.ts'

const KEPT_BYTES = 12 * 1024 * 1024
/** What a text takes beside its bytes. */
const OVERHEAD = 300

interface Kept {
  readonly version: string
  readonly reading: Reading
}

/** A cache of what was read of documents: those asked for of late. */
export class Readings {
  readonly #memory = new LRUCache<string, Kept>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ reading: { shape } }) => OVERHEAD + shape.textBytes + shape.wordBytes,
  })

  /** What was read of a document of this name and version; undefined where it is not kept. */
  get(name: string, version: string): Reading | undefined {
    const kept = this.#memory.get(name)
    return kept?.version === version ? kept.reading : undefined
  }

  set(name: string, version: string, reading: Reading): void {
    this.#memory.set(name, { version, reading })
  }
}
