import { randomBytes } from 'node:crypto'
import type { Head, Version } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import type { Changed } from '#core/store.ts'
import { type ChangeSource, FeedReader, type Logged, type LogPlace } from '#stores/engine/feed-reader.ts'
import { Announced } from './announced.ts'
import type { Run } from './change-lines.ts'
import type { FeedKeeper } from './keeper.ts'
import { Ring } from './ring.ts'

/**
 * Milliseconds after the start until the log of earlier runs is loaded, unless it is requested before: the first answers take
 * precedence.
 */
const BEGIN_MS = 500

/** The sources of a feed beside its log. */
export interface FeedDeps {
  /** The version of a document as it was last seen. */
  readonly versionOf: (key: Key) => Version | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Adds to changes what a history says of them. */
  readonly explained: (changes: readonly Changed[]) => Promise<readonly Changed[]>
  readonly keeper: FeedKeeper | undefined
}

/**
 * The changes by sequence, of this run and of earlier ones; the oldest are dropped. In cursors a run is the name of the log.
 * Without a keeper only this run is known.
 */
export class ChangeFeed implements ChangeSource {
  readonly reader = new FeedReader(this)
  readonly #run = randomBytes(6).toString('hex')
  readonly #runs: Run[] = []
  readonly #ring = new Ring()
  readonly #announced = new Announced()
  readonly #versionOf: (key: Key) => Version | undefined
  readonly #explained: FeedDeps['explained']
  readonly #now: FeedDeps['now']
  readonly #keeper: FeedKeeper | undefined
  #hasNews = false
  #beginning: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor({ versionOf, explained, now, keeper }: FeedDeps) {
    this.#now = now
    this.#versionOf = versionOf
    this.#explained = explained
    this.#keeper = keeper
    if (!keeper) this.#runs.push({ id: this.#run, from: 0 })
  }

  /** Opens the log; to be awaited before any answer. */
  async open(): Promise<void> {
    await this.#keeper?.open(this.#run)
  }

  /** Loads the log of earlier runs, a moment from now; if that fails, who reads the feed gets the error. */
  start(): void {
    this.#timer = setTimeout(() => this.#begun().catch(() => undefined), BEGIN_MS).unref()
  }

  /** Takes in a document that is seen in another state than before: in that same step, so that nobody sees it earlier. */
  seen(key: Key, head: Head | undefined, former: Head | undefined): void {
    this.#push(this.#announced.seen(key, head, former))
  }

  /** Has a write make these changes to the files, of which it resolves with true; then the feed says what was done. */
  async making(changes: readonly Changed[], write: () => Promise<boolean>): Promise<boolean> {
    // What is private has a writer of its own, and is not in the feed.
    if (changes.length === 0) return write()
    // Of a process that is killed before its log goes on, the next one would not know what it wrote.
    await this.#begun().catch(() => undefined)
    const at = this.#now()
    this.#push(this.#announced.begin(changes.map((change) => ({ ...change, at }))))
    let areMade = false
    try {
      areMade = await write()
    } finally {
      this.#push(this.#announced.end(areMade, this.#versionOf))
    }
    return areMade
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

  async now(): Promise<{ name: string; last: LogPlace }> {
    await this.#begun()
    return { name: this.#run, last: { sequence: this.#ring.end } }
  }

  lastOf(name: string): number | undefined {
    const at = this.#runs.findLastIndex(({ id }) => id === name)
    return at < 0 ? undefined : (this.#runs[at + 1]?.from ?? this.#ring.end)
  }

  async after({ sequence }: LogPlace, limit: number): Promise<readonly Logged[]> {
    const logged = this.#ring.after(sequence, limit)
    const changes = await this.#explained(logged.flatMap(({ change }) => change ?? []))
    return logged.map((one, at) => ({ ...one, change: changes[at] }))
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.reader.close()
    // What was answered and is not compared yet would be unknown to the next run.
    if (this.#timer) await this.#begun().catch(() => undefined)
    await this.#keeper?.close()
    await this.#beginning
  }

  #push(changes: readonly Changed[]): void {
    if (changes.length > 0) this.#hasNews = true
    const at = this.#now()
    for (const one of changes) {
      const change = { at, ...one }
      if (this.#keeper) this.#keeper.push(change)
      else this.#ring.push(change)
    }
  }

  #begun(): Promise<void> {
    this.#beginning ??= this.#keeper ? this.#begin(this.#keeper) : Promise.resolve()
    return this.#beginning
  }

  async #begin(keeper: FeedKeeper): Promise<void> {
    await keeper.begin({ run: this.#run, runs: this.#runs, ring: this.#ring, now: this.#now })
    // What changed before the start has come in now.
    this.#hasNews = true
    this.tell()
  }
}
