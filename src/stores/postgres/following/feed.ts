import { sql } from 'kysely'
import { readDetail } from '#core/feed/changed-state.ts'
import type { Action } from '#core/history/revision.ts'
import { isPrivate, keyOf, keyOfText } from '#core/key.ts'
import type { Changed } from '#core/store.ts'
import { type ChangeSource, FeedReader, type Logged, type LogPlace } from '#stores/engine/feed-reader.ts'
import type { Database } from '../database.ts'
import type { Freshness } from './freshness.ts'

/** A change, and the revision that it made; nulls where there is none. */
interface Found {
  readonly place: number
  readonly stamp: string | null
  readonly kind: string
  readonly id: string
  readonly removed: boolean
  readonly action: string | null
  readonly version: string | null
  readonly moved_from: string | null
  readonly name: string | null
  readonly email: string | null
  readonly request: string | null
  readonly at: number | null
  readonly detail: string | null
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

  async now(): Promise<{ name: string; last: LogPlace }> {
    await this.#freshness.now()
    const { sequence, stamp } = this.#freshness.end
    this.#last = sequence
    return { name: this.#freshness.site, last: { sequence, stamp: stamp ?? undefined } }
  }

  /** A log of another name is that of another database. */
  lastOf(name: string): number | undefined {
    return name === this.#freshness.site ? this.#last : undefined
  }

  async after({ sequence, stamp }: LogPlace, limit: number): Promise<readonly Logged[] | undefined> {
    // A write has the sequence of its first change, and one revision of each document.
    const { rows } = await this.#database.read((db) =>
      sql<Found>`select c.place, c.stamp, c.kind, c.id, c.removed, c.detail, r.action, r.version, r.moved_from, w.name, w.email, w.request, w.at
        from (select place, stamp, kind, id, removed, detail from changes where place >= ${sequence} order by place limit ${limit + 1}) c
        left join lateral (select place, action, version, moved_from from revisions
          where kind = c.kind and id = c.id and place <= c.place order by place desc limit 1) r on true
        left join writes w on w.place = r.place
        order by c.place`.execute(db),
    )
    const [first] = rows
    if (stamp !== undefined && first?.place === sequence && first.stamp !== stamp) return undefined
    return rows
      .filter(({ place }) => place > sequence)
      .slice(0, limit)
      .map((row) => {
        const { place, stamp, kind } = row
        return { sequence: place, ...(stamp !== null && { stamp }), change: isPrivate(kind) ? undefined : changeOf(row) }
      })
  }
}

function changeOf({ kind, id, removed, action, version, moved_from, name, email, request, at, detail }: Found): Changed {
  const from = keyOfText(moved_from ?? '')
  return {
    key: keyOf(kind, id),
    removed,
    action: (action ?? 'external') as Action,
    ...(version !== null && { version }),
    ...(name !== null && email !== null && { by: { name, email } }),
    ...(request !== null && { request }),
    ...(from && { from }),
    ...(at !== null && { at }),
    ...readDetail(detail),
  }
}
