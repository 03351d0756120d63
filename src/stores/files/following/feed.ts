import { randomBytes } from 'node:crypto'
import type { Key } from '#core/key.ts'
import { type ChangeSource, FeedReader, type Logged } from '../../engine/feed-reader.ts'
import type { Run } from './change-lines.ts'
import type { FeedKeeper } from './keeper.ts'
import { Ring } from './ring.ts'

/**
 * Milliseconds after the start until the log of earlier runs is loaded, unless it is requested before: the first answers take
 * precedence.
 */
const BEGIN_MS = 500

/**
 * The changes by sequence, of this run and of earlier ones; the oldest are dropped. In cursors a run is the name of the log.
 * Without a keeper only this run is known.
 */
export class ChangeFeed implements ChangeSource {
  readonly reader = new FeedReader(this)
  readonly #run = randomBytes(6).toString('hex')
  readonly #runs: Run[] = []
  readonly #ring = new Ring()
  readonly #keeper: FeedKeeper | undefined
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

  /** Loads the log of earlier runs, a moment from now; if that fails, who reads the feed gets the error. */
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
    this.reader.tell()
  }

  async now(): Promise<{ name: string; last: number }> {
    await this.#begun()
    return { name: this.#run, last: this.#ring.end }
  }

  lastOf(name: string): number | undefined {
    const at = this.#runs.findLastIndex(({ id }) => id === name)
    return at < 0 ? undefined : (this.#runs[at + 1]?.from ?? this.#ring.end)
  }

  async after(sequence: number, limit: number): Promise<readonly Logged[]> {
    return this.#ring.after(sequence, limit)
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.reader.close()
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
}
