import { LRUCache } from 'lru-cache'
import type { Document, Version } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import { cacheKey } from '#lib/cache-key.ts'
import type { Clock } from '#lib/clock.ts'

const MOST_BYTES = 16 * 1024 * 1024
const OVERHEAD = 1024

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
  readonly #known = new LRUCache<string, Base>({ maxSize: MOST_BYTES, sizeCalculation: ({ document }) => sizeOf(document) })
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes a document that is what its record is now. */
  remember(document: Document): void {
    this.#known.set(nameOf(document.key, document.version), { document, at: this.#clock.now() })
  }

  find(key: Key, version: Version): Base | undefined {
    return this.#known.get(nameOf(key, version))
  }
}

function nameOf(key: Key, version: Version): string {
  return cacheKey(key.kind, key.id, version)
}

/** About how many bytes a document takes in memory. */
export function sizeOf(document: Document): number {
  return OVERHEAD + 2 * document.body.length + (document.source?.length ?? 0)
}
