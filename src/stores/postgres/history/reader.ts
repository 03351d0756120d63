import { sql } from 'kysely'
import { datedHead } from '#core/dates.ts'
import type { Document } from '#core/document.ts'
import type { Revision, RevisionNumber } from '#core/history/revision.ts'
import { isPrivate, type Key, keyOf, keyText } from '#core/key.ts'
import type { Page } from '#core/queries/query.ts'
import type { Latest, Part } from '#core/store.ts'
import { Cache } from '#lib/cache.ts'
import type { Database } from '../database.ts'
import type { Rows } from '../documents/rows.ts'
import type { Freshness } from '../following/freshness.ts'
import { chainOf, type Link, type RevisionRow, revisionOf } from './chain.ts'

/** Bytes of revisions kept in memory, over all records, and those of one. */
const KEPT_BYTES = 20 * 1024 * 1024
const LINK_BYTES = 400

/** The revisions of records, read when asked for and kept as long as nothing is written of the record. */
export class HistoryReader {
  readonly #database: Database
  readonly #rows: Rows
  readonly #freshness: Freshness
  readonly #kept = new Cache<readonly Link[]>({ bytes: KEPT_BYTES, sizeOf: (links) => links.length * LINK_BYTES })

  constructor(database: Database, rows: Rows, freshness: Freshness) {
    this.#database = database
    this.#rows = rows
    this.#freshness = freshness
  }

  /** As `Store.history`. */
  async history(key: Key, { offset = 0, limit }: Part): Promise<Page<Revision> | undefined> {
    if (isPrivate(key.kind)) return undefined
    const links = await this.#links(key)
    const items = links.slice(offset, limit === undefined ? undefined : offset + limit).map(({ revision }) => revision)
    return { items, total: links.length }
  }

  /** As `Store.latest`. */
  async latest({ offset = 0, limit }: Part): Promise<Latest[]> {
    const { rows } = await this.#database.read((db) =>
      sql<RevisionRow & { kind: string; id: string }>`
        select r.kind, r.id, r.number, r.at, r.action, r.version, r.is_end, w.name, w.email, w.message
        from revisions r join writes w on w.place = r.place
        where not (r.version is null and r.action = 'moved') and not exists (
          select from revisions newer where newer.kind = r.kind and newer.id = r.id and newer.place > r.place)
        order by r.at desc, r.kind, r.id limit ${limit ?? null} offset ${offset}`.execute(db),
    )
    return rows.map((row) => ({ key: keyOf(row.kind, row.id), ...revisionOf(row) }))
  }

  /** As `Store.at`. */
  async at(key: Key, number: RevisionNumber): Promise<Document | undefined> {
    if (isPrivate(key.kind)) return undefined
    const links = await this.#links(key)
    const link = links.find(({ revision }) => revision.number === number)
    const bytes = link && (await this.#bytes(link))
    if (!link || !bytes) return undefined
    const first = links.at(-1)?.revision ?? link.revision
    const dates = { ...(!first.isEnd && { createdAt: first.at }), ...(!link.revision.isEnd && { updatedAt: link.revision.at }) }
    const document = this.#rows.documentOf({ key, file: link.file, bytes, dates: {} })
    return { ...datedHead(document, dates), file: link.file }
  }

  async #links(key: Key): Promise<readonly Link[]> {
    const asOf = await this.#freshness.now()
    const text = keyText(key)
    const known = this.#kept.get(text, this.#freshness.stateOf(text))
    if (known) return known
    const links = await this.#database.read((db) => chainOf(db, key))
    this.#freshness.keep(this.#kept, text, links, { of: text, asOf })
    return links
  }

  async #bytes({ kind, id, place }: Link): Promise<Buffer | undefined> {
    const query = (db: Parameters<Parameters<Database['read']>[0]>[0]) =>
      db.selectFrom('revisions').select('bytes').where('kind', '=', kind).where('id', '=', id).where('place', '=', place)
    const row = await this.#database.read((db) => query(db).executeTakeFirst())
    return row?.bytes ?? undefined
  }
}
