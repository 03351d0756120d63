import type { Changed, Cursor, Feed, Unsubscribe } from '#core/store.ts'

/** A change by its sequence. One of a private kind has a sequence, and is told to nobody. */
export interface Logged {
  readonly sequence: number
  readonly change: Changed | undefined
}

/** The changes of a store, as its feed is made of them. Each has the sequence of the one before it, plus one. */
export interface ChangeSource {
  /** Resolves with the name that the log has in cursors and its last sequence, once it is up to date. */
  now(): Promise<{ readonly name: string; readonly last: number }>
  /** Returns the last sequence of a log of this name; undefined if there is none that this one goes on with. */
  lastOf(name: string): number | undefined
  /** Resolves with the first of the changes after a sequence; without those that were dropped. */
  after(sequence: number, limit: number): Promise<readonly Logged[]>
}

/**
 * Reads the feed of a store. A cursor is `<log>.<sequence>`: one of an unknown log, of a sequence that it does not have, or of
 * changes that were dropped, is answered with a reset.
 */
export class FeedReader {
  readonly #source: ChangeSource
  readonly #listeners = new Set<() => void>()

  constructor(source: ChangeSource) {
    this.#source = source
  }

  /** As `Store.changes`. */
  async changes(cursor: Cursor | undefined, limit: number): Promise<Feed> {
    const { name, last } = await this.#source.now()
    const start = this.#sequenceOf(cursor)
    const logged = start === undefined || start >= last || limit === 0 ? [] : await this.#source.after(start, limit)
    // The change right after the cursor was dropped, maybe just now.
    const isLost = start === undefined || (start < last && limit > 0 && logged[0]?.sequence !== start + 1)
    if (isLost) return { changes: [], next: `${name}.${last}`, sequence: last, reset: true }
    const sequence = logged.at(-1)?.sequence ?? start
    return { changes: logged.flatMap(({ change }) => change ?? []), next: `${name}.${sequence}`, sequence, reset: false }
  }

  subscribe(listener: () => void): Unsubscribe {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Calls the listeners: something, of any kind, has changed. */
  tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  close(): void {
    this.#listeners.clear()
  }

  #sequenceOf(cursor = ''): number | undefined {
    const [, name = '', digits] = /^([^.]*)\.(\d{1,15})$/.exec(cursor) ?? []
    const last = digits === undefined ? undefined : this.#source.lastOf(name)
    return last !== undefined && Number(digits) <= last ? Number(digits) : undefined
  }
}
