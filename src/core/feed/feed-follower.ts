import { CatchUp } from '#lib/concurrency/catch-up.ts'
import { type Key, keyText } from '../key.ts'
import type { Cursor, Store } from '../store.ts'

/** Something that is made of the documents of a store. */
export interface FeedConsumer {
  /** Reads everything anew: what changed before is not known. */
  readAll(): Promise<void>
  /** Takes in documents that changed, each once. */
  take(keys: readonly Key[]): Promise<void>
}

/** The way of following a feed. */
export interface FollowOptions {
  /** Number of changes that are requested at once. */
  readonly part: number
  /** True if everything is read anew where there are that many. */
  readonly skips?: boolean
  /** See `CatchUp`. */
  readonly pause?: number
}

/**
 * Keeps something in agreement with a store by its feed. A change that could not be taken in is taken in by the next run. The
 * cursor is kept in memory, so that everything is read once after a start.
 */
export class FeedFollower {
  /** The runs: each takes in whatever was written before it began. */
  readonly runs: CatchUp
  readonly #store: Pick<Store, 'changes'>
  readonly #consumer: FeedConsumer
  readonly #options: FollowOptions
  #cursor: Cursor | undefined
  #isForgotten = false
  #closed = false

  constructor(store: Pick<Store, 'changes'>, consumer: FeedConsumer, options: FollowOptions) {
    this.#store = store
    this.#consumer = consumer
    this.#options = options
    this.runs = new CatchUp(() => this.#follow(), options.pause)
  }

  /** Has the next run read everything anew. */
  forget(): void {
    this.#isForgotten = true
    this.runs.hint()
  }

  close(): Promise<void> {
    this.#closed = true
    return this.runs.close()
  }

  async #follow(): Promise<void> {
    const { part, skips } = this.#options
    if (this.#isForgotten) this.#cursor = undefined
    this.#isForgotten = false
    while (!this.#closed) {
      const before = this.#cursor
      const { changes, next, reset } = await this.#store.changes(before, part)
      // Only then there are no more: a part may hold nothing but changes that are told to nobody.
      if (next === before) return
      const isMuch = skips && changes.length === part
      const end = isMuch ? (await this.#store.changes(undefined, 0)).next : next
      if (reset || before === undefined || isMuch) await this.#consumer.readAll()
      else if (changes.length > 0) await this.#consumer.take([...new Map(changes.map(({ key }) => [keyText(key), key])).values()])
      this.#cursor = end
    }
  }
}
