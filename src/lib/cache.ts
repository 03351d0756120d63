import { LRUCache } from 'lru-cache'
import { cacheKey, type KeyPart } from './cache-key.ts'

/** A text by itself, or parts: equal where the structure of the parts is, whatever their texts hold. */
export type CacheKey = string | readonly KeyPart[]

/** The time for which a value is true, in milliseconds since 1970. */
export interface Term {
  readonly from: number
  /** The time from which on it is not. */
  readonly until: number
}

/** The state that a value was made of, such as a version, a sequence or a count of changes. Equal states are the same. */
export type State = string | number

/** Limits of a cache: `bytes` of memory, where `sizeOf` tells those of a value, or a number of values. */
export type CacheLimits<V> =
  | { readonly most: number }
  | {
      readonly bytes: number
      /** Bytes beyond those of the entry itself and its key, which is given as a text. */
      readonly sizeOf: (value: V, key: string) => number
      /** Most bytes of one value: a longer one is not kept. */
      readonly longest?: number
      /** A callback for a value that makes room for others. */
      readonly evicted?: (key: string, value: V, state: State | undefined) => void
    }

interface Kept<V> {
  readonly value: V
  readonly state: State | undefined
  readonly term: Term | undefined
}

/** Approximate bytes of an entry beside its key and its value. */
const OVERHEAD = 200

/**
 * A cache that lets go of what was used least recently. A value goes stale by one rule: it is true of the state that it was kept
 * with, and for its term. Whoever looks it up says which state and time there are now; a value of another state is not found, nor
 * is one before or after its term, since clocks are set back. What never goes stale (of a version, of bytes) needs neither.
 */
export class Cache<V extends {}> {
  readonly #kept: LRUCache<string, Kept<V>>

  constructor(limits: CacheLimits<V>) {
    this.#kept = new LRUCache(optionsOf(limits))
  }

  /** Returns the value of a key that is true of `state` at `now` (ms since 1970). */
  get(key: CacheKey, state?: State, now?: number): V | undefined {
    const name = nameOf(key)
    const kept = this.#kept.get(name)
    if (!kept) return undefined
    if (kept.state === state && (!kept.term || isWithin(kept.term, now ?? Number.NaN))) return kept.value
    this.#kept.delete(name)
    return undefined
  }

  /** Keeps a value that is true of `state` and for `term`, in place of the one before. */
  set(key: CacheKey, value: V, state?: State, term?: Term): void {
    this.#kept.set(nameOf(key), { value, state, term })
  }

  /** The number of values, stale ones among them. */
  get size(): number {
    return this.#kept.size
  }

  delete(key: CacheKey): void {
    this.#kept.delete(nameOf(key))
  }

  /** All values, stale ones among them, those used last first. */
  *values(): Generator<V, void, undefined> {
    for (const { value } of this.#kept.values()) yield value
  }

  clear(): void {
    if (this.#kept.size > 0) this.#kept.clear()
  }
}

/** Returns whether a time is in a term. */
export function isWithin({ from, until }: Term, now: number): boolean {
  return from <= now && now < until
}

function optionsOf<V extends {}>(limits: CacheLimits<V>): LRUCache.Options<string, Kept<V>, unknown> {
  // With `max`, room is made for all of them ahead.
  if ('most' in limits) return { maxSize: limits.most, sizeCalculation: () => 1 }
  const { bytes, sizeOf, longest = bytes, evicted } = limits
  return {
    maxSize: bytes,
    maxEntrySize: longest,
    sizeCalculation: ({ value }, key) => OVERHEAD + 2 * key.length + sizeOf(value, key),
    ...(evicted && {
      dispose: ({ value, state }: Kept<V>, key: string, why: LRUCache.DisposeReason) => {
        if (why === 'evict') evicted(key, value, state)
      },
    }),
  }
}

function nameOf(key: CacheKey): string {
  return typeof key === 'string' ? key : cacheKey(...key)
}
