import { sql } from 'kysely'
import { isPrivate, keyOf } from '#core/key.ts'
import type { Cursor, Feed, Unsubscribe } from '#core/store.ts'
import type { Database } from '../database.ts'
import type { Freshness } from './freshness.ts'

interface Found {
  readonly place: number
  readonly kind: string
  readonly id: string
  readonly removed: boolean
}

/**
 * The changes of all nodes, by sequence. A cursor is `<site>.<sequence>`; one of another database, or of changes that were
 * dropped, is answered with a reset.
 */
export class ChangeFeed {
  readonly #database: Database
  readonly #freshness: Freshness
  readonly #listeners = new Set<() => void>()

  constructor(database: Database, freshness: Freshness) {
    this.#database = database
    this.#freshness = freshness
    freshness.telling(() => this.#tell())
  }

  /** As `Store.changes`. */
  async after(cursor: Cursor | undefined, limit: number): Promise<Feed> {
    const last = await this.#freshness.now()
    const start = this.#sequenceOf(cursor, last)
    if (start === last) return this.#part([], last)
    if (start === undefined) return this.#reset(last)
    const { rows } = await this.#database.read((db) =>
      sql<Found>`select place, kind, id, removed from changes where place > ${start} order by place limit ${limit}`.execute(db),
    )
    // The change right after the cursor was dropped, maybe just now.
    if (limit > 0 && rows[0]?.place !== start + 1) return this.#reset(last)
    return this.#part(rows, rows.at(-1)?.place ?? start)
  }

  subscribe(listener: () => void): Unsubscribe {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  close(): void {
    this.#listeners.clear()
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  #part(rows: readonly Found[], sequence: number): Feed {
    const told = rows.filter(({ kind }) => !isPrivate(kind))
    return {
      changes: told.map(({ kind, id, removed }) => ({ key: keyOf(kind, id), removed })),
      next: this.#cursor(sequence),
      reset: false,
    }
  }

  #reset(last: number): Feed {
    return { ...this.#part([], last), reset: true }
  }

  #sequenceOf(cursor: Cursor | undefined, last: number): number | undefined {
    const [site, sequence = ''] = (cursor ?? '').split('.')
    if (site !== this.#freshness.site || !/^\d{1,15}$/.test(sequence)) return undefined
    return Number(sequence) <= last ? Number(sequence) : undefined
  }

  #cursor(sequence: number): Cursor {
    return `${this.#freshness.site}.${sequence}`
  }
}
