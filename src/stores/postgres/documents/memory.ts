import { LRUCache } from 'lru-cache'
import type { Document } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import type { Freshness } from '../following/freshness.ts'

/** Size of the cache of documents in bytes, and the overhead of a document beside its text. */
const KEPT_BYTES = 64 * 1024 * 1024
const OVERHEAD = 1000

/** Documents asked for of late, as long as they are true: `Freshness` says when they are not. */
export class Memory {
  readonly #freshness: Freshness
  readonly #hot = new LRUCache<string, Document>({ maxSize: KEPT_BYTES, sizeCalculation: sizeOf })

  constructor(freshness: Freshness) {
    this.#freshness = freshness
    freshness.forgetting((texts) => {
      if (!texts) this.#hot.clear()
      for (const text of texts ?? []) this.#hot.delete(text)
    })
  }

  /** The document of a key's text, the same object as long as it is hot and unchanged. */
  get(text: string): Document | undefined {
    return this.#hot.get(text)
  }

  /**
   * Caches a document that was read when the sequence `asOf` was known; returns the one to answer with: the cached one if it is
   * the same.
   */
  keep(document: Document, asOf: number): Document {
    const text = keyText(document.key)
    const there = this.#hot.get(text)
    if (there && isSame(there, document)) return there
    if (this.#freshness.isUntouched(text, asOf)) this.#hot.set(text, document)
    return document
  }
}

function isSame(one: Document, other: Document): boolean {
  return one.version === other.version && one.createdAt === other.createdAt && one.updatedAt === other.updatedAt
}

/** About how many bytes of memory a document takes. Twice its own: what is made of it (its JSON) lives as long as it does. */
export function sizeOf({ source, body }: Document): number {
  return OVERHEAD + 2 * (source?.length ?? body.length)
}
