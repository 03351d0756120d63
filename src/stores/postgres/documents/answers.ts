import type { Kind } from '#core/key.ts'
import { Cache } from '#lib/cache.ts'
import type { KeyPart } from '#lib/cache-key.ts'
import type { Clock } from '#lib/clock.ts'
import { ALL_KINDS, type AsOf, type Freshness } from '../following/freshness.ts'
import type { Shapes } from './shapes.ts'

/**
 * Limits of the cache of answers: its size in bytes, and the overhead in bytes of an answer and of each item beside their text. A
 * list of more than `MOST_ITEMS` items is not cached.
 */
const KEPT_BYTES = 64 * 1024 * 1024
const OVERHEAD = 500
const MOST_ITEMS = 200

/** A computed value, and the approximate number of bytes of text in it. */
interface Answer<T> {
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
  readonly #kept = new Cache<Answer<unknown>>({ bytes: KEPT_BYTES, sizeOf })

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The answer to a question, worked out where it is not kept. `asOf` is what was known before. */
  async of<T>(kind: Kind, question: readonly KeyPart[], asOf: AsOf, work: () => Promise<Answer<T>>): Promise<T> {
    const { clock, freshness } = this.#deps
    const [key, now] = [[kind, question], clock.now()]
    const known = this.#kept.get(key, freshness.stateOf(kind), now)
    if (known) return known.value as T
    const until = await this.#untilStatusChange(kind, now, asOf)
    const answer = await work()
    freshness.keep(this.#kept, key, answer, { of: kind, asOf, term: { from: now, until } })
    return answer.value
  }

  /** The kinds of content there are, or ever were. */
  async kinds(asOf: AsOf, work: () => Promise<Kind[]>): Promise<Kind[]> {
    const { freshness } = this.#deps
    const known = this.#kept.get(['kinds'], freshness.stateOf(ALL_KINDS))
    if (known) return [...(known.value as Kind[])]
    const kinds = await work()
    freshness.keep(this.#kept, ['kinds'], { value: kinds, bytes: 0 }, { of: ALL_KINDS, asOf })
    return [...kinds]
  }

  async #untilStatusChange(kind: Kind, now: number, asOf: AsOf): Promise<number> {
    if (this.#deps.shapes.of(kind).statuses.size === 0) return Number.POSITIVE_INFINITY
    const { freshness, nextStatusChange } = this.#deps
    const key = [kind, 'status change']
    const known = this.#kept.get(key, freshness.stateOf(kind), now)
    if (known) return known.value as number
    const until = (await nextStatusChange(kind, now)) ?? Number.POSITIVE_INFINITY
    freshness.keep(this.#kept, key, { value: until, bytes: 0 }, { of: kind, asOf, term: { from: now, until } })
    return until
  }
}

function sizeOf({ value, bytes }: Answer<unknown>): number {
  const { items } = (value ?? {}) as { items?: readonly unknown[] }
  const count = value instanceof Map ? value.size : (items?.length ?? 0)
  return count > MOST_ITEMS ? KEPT_BYTES + 1 : bytes + OVERHEAD * (1 + count)
}
