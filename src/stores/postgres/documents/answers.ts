import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../core/clock.ts'
import { isPrivate, type Kind } from '../../../core/key.ts'
import type { Freshness } from '../following/freshness.ts'
import type { Shapes } from './shapes.ts'

/** How much is kept: in weights, of which an item of a list is about one; a list of more items than `MOST_ITEMS` is not kept. */
const KEPT_WEIGHT = 20_000
const MOST_ITEMS = 200

/** An answer to a question over the documents of one kind. */
interface Answer {
  readonly value: unknown
  /** When the clock makes it untrue, in milliseconds since 1970. */
  readonly until: number
}

interface Parts {
  readonly freshness: Freshness
  readonly shapes: Shapes
  readonly clock: Clock
  /** When the clock next changes the status of any document of a kind, in milliseconds since 1970; undefined for never. */
  readonly nextTurn: (kind: Kind, now: number) => Promise<number | undefined>
}

/** Answers to questions over kinds, kept while nothing of the kind changes and the clock leaves every status as it is. */
export class Answers {
  readonly #parts: Parts
  readonly #kept = new LRUCache<string, Answer>({ maxSize: KEPT_WEIGHT, sizeCalculation: weightOf })
  /** Counts up where something of a kind changed: what was answered before is not found again. */
  readonly #editions = new Map<Kind, number>()
  #edition = 0
  #kinds: readonly Kind[] | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    parts.freshness.forgetting((texts, kinds) => this.#forget(texts === undefined, kinds))
  }

  /** The answer to a question, worked out where it is not kept. `asOf` is the place that was known before. */
  async of<T>(kind: Kind, question: string, asOf: number, work: () => Promise<T>): Promise<T> {
    const now = this.#parts.clock.now()
    const name = this.#nameOf(kind, question)
    const known = this.#kept.get(name)
    if (known && known.until > now) return known.value as T
    const until = await this.#turn(kind, now, asOf)
    const value = await work()
    if (this.#parts.freshness.isUntouched(kind, asOf)) this.#kept.set(name, { value, until })
    return value
  }

  /** The kinds of content there are, or ever were. */
  async kinds(asOf: number, work: () => Promise<Kind[]>): Promise<Kind[]> {
    if (this.#kinds) return [...this.#kinds]
    const edition = this.#edition
    const kinds = await work()
    const isTrue = edition === this.#edition && kinds.every((kind) => this.#parts.freshness.isUntouched(kind, asOf))
    if (isTrue) this.#kinds = kinds
    return [...kinds]
  }

  async #turn(kind: Kind, now: number, asOf: number): Promise<number> {
    if (this.#parts.shapes.of(kind).statuses.size === 0) return Number.POSITIVE_INFINITY
    const name = this.#nameOf(kind, 'turn')
    const known = this.#kept.get(name)
    if (known && known.until > now) return known.until
    const until = (await this.#parts.nextTurn(kind, now)) ?? Number.POSITIVE_INFINITY
    if (this.#parts.freshness.isUntouched(kind, asOf)) this.#kept.set(name, { value: undefined, until })
    return until
  }

  #nameOf(kind: Kind, question: string): string {
    return `${this.#edition} ${this.#editions.get(kind) ?? 0} ${kind} ${question}`
  }

  #forget(isAll: boolean, kinds: ReadonlySet<Kind>): void {
    if (isAll) {
      this.#edition++
      this.#kept.clear()
      this.#kinds = undefined
    }
    for (const kind of kinds) {
      this.#editions.set(kind, (this.#editions.get(kind) ?? 0) + 1)
      // A kind stays one when the last of it is gone.
      if (!isPrivate(kind) && !this.#kinds?.includes(kind)) this.#kinds = undefined
    }
  }
}

function weightOf({ value }: Answer): number {
  const { items } = (value ?? {}) as { items?: readonly unknown[] }
  const count = value instanceof Map ? value.size : (items?.length ?? 0)
  return count > MOST_ITEMS ? KEPT_WEIGHT + 1 : 1 + count
}
