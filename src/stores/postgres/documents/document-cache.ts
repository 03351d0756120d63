import { bytesOf, type Document } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { Cache } from '#lib/cache.ts'
import type { AsOf, Freshness } from '../following/freshness.ts'

/** Size of the cache of documents in bytes. */
const KEPT_BYTES = 64 * 1024 * 1024

/** Documents asked for of late, as long as they are true: `Freshness` says when they are not. */
export class DocumentCache {
  readonly #freshness: Freshness
  readonly #hot = new Cache<Document>({ bytes: KEPT_BYTES, sizeOf: bytesOf })

  constructor(freshness: Freshness) {
    this.#freshness = freshness
  }

  /** The document of a key's text, the same object as long as it is hot and unchanged. */
  get(text: string): Document | undefined {
    return this.#hot.get(text, this.#freshness.stateOf(text))
  }

  /**
   * Caches a document that was read when `asOf` was known; returns the one to answer with: the cached one if it is the same.
   */
  keep(document: Document, asOf: AsOf): Document {
    const text = keyText(document.key)
    const there = this.get(text)
    if (there && isSame(there, document)) return there
    this.#freshness.keep(this.#hot, text, document, { of: text, asOf })
    return document
  }
}

function isSame(one: Document, other: Document): boolean {
  return one.version === other.version && one.createdAt === other.createdAt && one.updatedAt === other.updatedAt
}
