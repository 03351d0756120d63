import { bytesOf, type Document, type Version } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import { Cache } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'

const MOST_BYTES = 16 * 1024 * 1024

/** A version, and when it was last known to be what the record is, in milliseconds since 1970. */
export interface Base {
  readonly document: Document
  readonly at: number
}

/**
 * The versions that were lately read or written, so that an edit can say which one it started from. Kept in memory, the oldest
 * forgotten first.
 */
export class Bases {
  readonly #known = new Cache<Base>({ bytes: MOST_BYTES, sizeOf: ({ document }) => bytesOf(document) })
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes a document that is what its record is now. */
  remember(document: Document): void {
    this.#known.set([document.key.kind, document.key.id, document.version], { document, at: this.#clock.now() })
  }

  find(key: Key, version: Version): Base | undefined {
    return this.#known.get([key.kind, key.id, version])
  }
}
