import { randomBytes } from 'node:crypto'
import type { Key } from '#core/key.ts'
import type { Cursor, Feed, Unsubscribe } from '#core/store.ts'
import type { Run } from './change-lines.ts'
import type { FeedKeeper } from './keeper.ts'
import { Ring } from './ring.ts'

/**
 * Milliseconds after the start until the log of earlier runs is loaded, unless it is requested before: the first answers take
 * precedence.
 */
const BEGIN_MS = 500

/**
 * The changes by sequence; the oldest are dropped. A cursor is `<run>.<sequence>`: one of an unknown run, or of changes that were
 * dropped or lost, is answered with a reset. Without a keeper only this run is known.
 */
export class ChangeFeed {
  readonly #run = randomBytes(6).toString('hex')
  readonly #runs: Run[] = []
  readonly #ring = new Ring()
  readonly #keeper: FeedKeeper | undefined
  readonly #listeners = new Set<() => void>()
  #hasNews = false
  #beginning: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(keeper?: FeedKeeper) {
    this.#keeper = keeper
    if (!keeper) this.#runs.push({ id: this.#run, from: 0 })
  }

  /** Opens the log; to be awaited before any answer. */
  async open(): Promise<void> {
    await this.#keeper?.open()
  }

  /** Loads the log of earlier runs, a moment from now; if that fails, callers of `after` get the error. */
  start(): void {
    this.#timer = setTimeout(() => this.#begun().catch(() => undefined), BEGIN_MS).unref()
  }

  push(key: Key, removed: boolean): void {
    this.#hasNews = true
    if (this.#keeper) this.#keeper.push({ key, removed })
    else this.#ring.push({ key, removed })
  }

  /** Has the listeners called for a change that is not in the feed: of a private kind. */
  stir(): void {
    this.#hasNews = true
  }

  /** Calls the listeners if anything changed since they were last called. */
  tell(): void {
    if (!this.#hasNews) return
    this.#hasNews = false
    for (const listener of [...this.#listeners]) listener()
  }

  async after(cursor: Cursor | undefined, limit: number): Promise<Feed> {
    await this.#begun()
    const start = this.#sequenceOf(cursor)
    if (start === undefined) return { changes: [], next: this.#cursor(this.#ring.end), reset: true }
    const changes = [...this.#ring.from(start, limit)]
    return { changes, next: this.#cursor(start + changes.length), reset: false }
  }

  subscribe(listener: () => void): Unsubscribe {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#listeners.clear()
    await this.#keeper?.close()
    await this.#beginning
  }

  #begun(): Promise<void> {
    this.#beginning ??= this.#keeper ? this.#begin(this.#keeper) : Promise.resolve()
    return this.#beginning
  }

  async #begin(keeper: FeedKeeper): Promise<void> {
    await keeper.begin({ run: this.#run, runs: this.#runs, ring: this.#ring })
    // What changed before the start has come in now.
    this.#hasNews = true
    this.tell()
  }

  #sequenceOf(cursor: Cursor | undefined): number | undefined {
    const [run, number = ''] = (cursor ?? '').split('.')
    const at = this.#runs.findLastIndex(({ id }) => id === run)
    if (at < 0 || !/^\d+$/.test(number)) return undefined
    const end = this.#runs[at + 1]?.from ?? this.#ring.end
    const sequence = Number(number)
    return sequence >= this.#ring.first && sequence <= end ? sequence : undefined
  }

  #cursor(number: number): Cursor {
    return `${this.#run}.${number}`
  }
}
