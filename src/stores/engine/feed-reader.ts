import type { Changed, Cursor, Feed, Unsubscribe } from '#core/store.ts'

/**
 * A place in a log: a sequence, and where the log gives one the stamp of the change with it, which no other change has that takes
 * the sequence after a log was set back.
 */
export interface LogPlace {
  readonly sequence: number
  readonly stamp?: string | undefined
}

/** A change by its place. One of a private kind has a place, and is told to nobody. */
export interface Logged extends LogPlace {
  readonly change: Changed | undefined
}

/** The changes of a store, as its feed is made of them. Each has the sequence of the one before it, plus one. */
export interface ChangeSource {
  /** Resolves with the name that the log has in cursors and its last place, once it is up to date. */
  now(): Promise<{ readonly name: string; readonly last: LogPlace }>
  /** Returns the last sequence of a log of this name; undefined if there is none that this one goes on with. */
  lastOf(name: string): number | undefined
  /** Resolves with the first of the changes after a place, without those that were dropped; undefined where the log has no such place. */
  after(place: LogPlace, limit: number): Promise<readonly Logged[] | undefined>
}

/**
 * Reads the feed of a store. A cursor is `<log>.<sequence>` or `<log>.<sequence>.<stamp>`: one of an unknown log, of a place that it
 * does not have, or of changes that were dropped, is answered with a reset.
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
    const start = this.#placeOf(cursor)
    const logged = start && (await this.#after(start, last, limit))
    // The change right after the cursor was dropped, maybe just now.
    const isLost = !logged || (start.sequence < last.sequence && limit > 0 && logged[0]?.sequence !== start.sequence + 1)
    if (isLost) return { changes: [], next: cursorOf(name, last), sequence: last.sequence, reset: true }
    const end = logged.at(-1) ?? start
    const changes = logged.flatMap(({ change }) => change ?? [])
    return { changes, next: cursorOf(name, end), sequence: end.sequence, reset: false }
  }

  async #after(start: LogPlace, last: LogPlace, limit: number): Promise<readonly Logged[] | undefined> {
    const isEnd = start.sequence === last.sequence && start.stamp === last.stamp
    return isEnd ? [] : this.#source.after(start, limit)
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

  #placeOf(cursor = ''): LogPlace | undefined {
    const [, name = '', digits, stamp] = /^([^.]*)\.(\d{1,15})(?:\.([\w-]{1,64}))?$/.exec(cursor) ?? []
    const last = digits === undefined ? undefined : this.#source.lastOf(name)
    return last !== undefined && Number(digits) <= last ? { sequence: Number(digits), stamp } : undefined
  }
}

function cursorOf(name: string, { sequence, stamp }: LogPlace): Cursor {
  return stamp === undefined ? `${name}.${sequence}` : `${name}.${sequence}.${stamp}`
}
