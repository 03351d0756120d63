import { sql } from 'kysely'
import { isPrivate, keyOf } from '#core/key.ts'
import { type ChangeSource, FeedReader, type Logged } from '../../engine/feed-reader.ts'
import type { Database } from '../database.ts'
import type { Freshness } from './freshness.ts'

interface Found {
  readonly place: number
  readonly kind: string
  readonly id: string
  readonly removed: boolean
}

/** The changes of all nodes, by sequence. In cursors the site is the name of the log. */
export class ChangeFeed implements ChangeSource {
  readonly reader = new FeedReader(this)
  readonly #database: Database
  readonly #freshness: Freshness
  #last = 0

  constructor(database: Database, freshness: Freshness) {
    this.#database = database
    this.#freshness = freshness
    freshness.telling(() => this.reader.tell())
  }

  async now(): Promise<{ name: string; last: number }> {
    this.#last = await this.#freshness.now()
    return { name: this.#freshness.site, last: this.#last }
  }

  /** A log of another name is that of another database. */
  lastOf(name: string): number | undefined {
    return name === this.#freshness.site ? this.#last : undefined
  }

  async after(sequence: number, limit: number): Promise<readonly Logged[]> {
    const { rows } = await this.#database.read((db) =>
      sql<Found>`select place, kind, id, removed from changes where place > ${sequence} order by place limit ${limit}`.execute(
        db,
      ),
    )
    return rows.map(({ place, kind, id, removed }) => ({
      sequence: place,
      change: isPrivate(kind) ? undefined : { key: keyOf(kind, id), removed },
    }))
  }
}
