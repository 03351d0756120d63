import { LRUCache } from 'lru-cache'
import { isPrivate, type Kind } from '#core/key.ts'
import { cacheKey, type KeyPart } from '#lib/cache-key.ts'
import type { Clock } from '#lib/clock.ts'
import type { Freshness } from '../following/freshness.ts'
import type { Shapes } from './shapes.ts'

/**
 * Limits of the cache of answers: its size in bytes, and the overhead in bytes of an answer and of each item beside their text. A
 * list of more than `MOST_ITEMS` items is not cached.
 */
const KEPT_BYTES = 64 * 1024 * 1024
const OVERHEAD = 500
const MOST_ITEMS = 200

/** An answer to a question over the documents of one kind. */
interface Answer {
  readonly value: unknown
  /** The time at which the clock makes it outdated, in milliseconds since 1970. */
  readonly until: number
  readonly bytes: number
}

/** A computed value, and the approximate number of bytes of text in it. */
interface Worked<T> {
  readonly value: T
  readonly bytes: number
}

interface Deps {
  readonly freshness: Freshness
  readonly shapes: Shapes
  readonly clock: Clock
  /**
   * Returns the time at which the clock next changes the status of any document of a kind, in milliseconds since 1970; undefined
   * for never.
   */
  readonly nextStatusChange: (kind: Kind, now: number) => Promise<number | undefined>
}

/**
 * A cache of answers to queries over kinds, valid while nothing of the kind changes and the clock leaves every status as it is.
 */
export class Answers {
  readonly #deps: Deps
  readonly #kept = new LRUCache<string, Answer>({ maxSize: KEPT_BYTES, sizeCalculation: sizeOf })
  /** Counts the changes of each kind: older answers are not found again. */
  readonly #generations = new Map<Kind, number>()
  #generation = 0
  #kinds: readonly Kind[] | undefined
  /** Counts the changes by which a new kind may have come. */
  #kindsGeneration = 0

  constructor(deps: Deps) {
    this.#deps = deps
    deps.freshness.forgetting((texts, kinds) => this.#forget(texts === undefined, kinds))
  }

  /** The answer to a question, worked out where it is not kept. `asOf` is the sequence that was known before. */
  async of<T>(kind: Kind, question: readonly KeyPart[], asOf: number, work: () => Promise<Worked<T>>): Promise<T> {
    const now = this.#deps.clock.now()
    const name = this.#nameOf(kind, question)
    const known = this.#kept.get(name)
    if (known && known.until > now) return known.value as T
    const until = await this.#untilStatusChange(kind, now, asOf)
    const { value, bytes } = await work()
    if (this.#deps.freshness.isUntouched(kind, asOf)) this.#kept.set(name, { value, until, bytes: bytes + 2 * name.length })
    return value
  }

  /** The kinds of content there are, or ever were. */
  async kinds(asOf: number, work: () => Promise<Kind[]>): Promise<Kind[]> {
    if (this.#kinds) return [...this.#kinds]
    const generation = this.#kindsGeneration
    const kinds = await work()
    const isTrue = generation === this.#kindsGeneration && kinds.every((kind) => this.#deps.freshness.isUntouched(kind, asOf))
    if (isTrue) this.#kinds = kinds
    return [...kinds]
  }

  async #untilStatusChange(kind: Kind, now: number, asOf: number): Promise<number> {
    if (this.#deps.shapes.of(kind).statuses.size === 0) return Number.POSITIVE_INFINITY
    const name = this.#nameOf(kind, ['status change'])
    const known = this.#kept.get(name)
    if (known && known.until > now) return known.until
    const until = (await this.#deps.nextStatusChange(kind, now)) ?? Number.POSITIVE_INFINITY
    if (this.#deps.freshness.isUntouched(kind, asOf)) this.#kept.set(name, { value: undefined, until, bytes: 2 * name.length })
    return until
  }

  #nameOf(kind: Kind, question: readonly KeyPart[]): string {
    return cacheKey(this.#generation, this.#generations.get(kind) ?? 0, kind, question)
  }

  #forget(isAll: boolean, kinds: ReadonlySet<Kind>): void {
    if (isAll) {
      this.#generation++
      this.#kept.clear()
      this.#forgetKinds()
    }
    for (const kind of kinds) {
      this.#generations.set(kind, (this.#generations.get(kind) ?? 0) + 1)
      // A kind stays one when the last of it is gone.
      if (!isPrivate(kind) && !this.#kinds?.includes(kind)) this.#forgetKinds()
    }
  }

  #forgetKinds(): void {
    this.#kinds = undefined
    this.#kindsGeneration++
  }
}

function sizeOf({ value, bytes }: Answer): number {
  const { items } = (value ?? {}) as { items?: readonly unknown[] }
  const count = value instanceof Map ? value.size : (items?.length ?? 0)
  return count > MOST_ITEMS ? KEPT_BYTES + 1 : bytes + OVERHEAD * (1 + count)
}
