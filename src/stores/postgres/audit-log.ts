import { type RawBuilder, sql } from 'kysely'
import { type AuditEntry, type AuditFilter, type AuditLog, type RequestOrigin, withOrigin } from '#core/audit-log.ts'
import type { Page } from '#core/queries/query.ts'
import type { Part } from '#core/store.ts'
import { Database } from './database.ts'

const DAY_MS = 86_400_000
/** Number of entries that are added, read or removed with one statement. */
const AT_ONCE = 500

interface Found {
  readonly id: string
  readonly at: number
  readonly entry: string
  readonly via: string | null
  readonly ip: string | null
}

/** An audit log in a table, shared by all nodes. */
export class PostgresAuditLog implements AuditLog {
  readonly #database: Database

  /** The database is opened and closed by who gives it. */
  constructor(database: Database) {
    this.#database = database
  }

  async append(entries: readonly AuditEntry[]): Promise<void> {
    for (let from = 0; from < entries.length; from += AT_ONCE) {
      const rows = entries.slice(from, from + AT_ONCE).map(rowOf)
      await this.#database.run((db) =>
        db
          .insertInto('audit')
          .values(rows)
          .onConflict((taken) => taken.column('id').doNothing())
          .execute(),
      )
    }
  }

  async note(origins: readonly RequestOrigin[]): Promise<void> {
    for (let from = 0; from < origins.length; from += AT_ONCE) {
      const rows = origins.slice(from, from + AT_ONCE).map(({ at, ...origin }) => ({ ...origin, at: Date.parse(at) }))
      await this.#database.run((db) =>
        db
          .insertInto('audit_requests')
          .values(rows)
          .onConflict((taken) => taken.column('request').doNothing())
          .execute(),
      )
    }
  }

  async page(filter: AuditFilter, { offset = 0, limit }: Part): Promise<Page<AuditEntry>> {
    const [items, total] = await Promise.all([
      this.#read(filter, sql`offset ${offset} limit ${limit ?? null}`),
      this.#database.read((db) => sql<{ n: number }>`select count(*) as n from audit a where ${conditionOf(filter)}`.execute(db)),
    ])
    return { items: items.map(entryOf), total: total.rows[0]?.n ?? 0 }
  }

  async *all(filter: AuditFilter): AsyncGenerator<AuditEntry> {
    let after: RawBuilder<unknown> = sql`true`
    for (;;) {
      const found = await this.#read(filter, sql`limit ${AT_ONCE}`, after)
      yield* found.map(entryOf)
      const last = found.at(-1)
      if (!last || found.length < AT_ONCE) return
      after = sql`(a.at, a.id) < (${last.at}::bigint, ${last.id})`
    }
  }

  async types(): Promise<readonly string[]> {
    // From one type to the next by the index: there are few types, and many entries.
    const { rows } = await this.#database.read((db) =>
      sql<{ type: string }>`with recursive named as (
          (select type from audit where kind = 'record' order by type limit 1)
          union all
          select (select a.type from audit a where a.kind = 'record' and a.type > named.type order by a.type limit 1)
          from named where named.type is not null
        ) select type from named where type is not null`.execute(db),
    )
    return rows.map(({ type }) => type).sort()
  }

  async sweep(before: number): Promise<void> {
    const day = Math.floor(before / DAY_MS) * DAY_MS
    for (const table of ['audit', 'audit_requests'] as const) {
      for (let gone = AT_ONCE; gone === AT_ONCE; ) {
        const result = await this.#database.run((db) =>
          sql`delete from ${sql.table(table)} where ctid = any(array(
            select ctid from ${sql.table(table)} where at < ${day} limit ${AT_ONCE}))`.execute(db),
        )
        gone = Number(result.numAffectedRows ?? 0n)
      }
    }
  }

  async close(): Promise<void> {}

  async #read(filter: AuditFilter, part: RawBuilder<unknown>, after: RawBuilder<unknown> = sql`true`): Promise<Found[]> {
    const { rows } = await this.#database.read((db) =>
      sql<Found>`select a.id, a.at, a.entry, r.via, r.ip
        from (select * from audit a where ${conditionOf(filter)} and ${after} order by a.at desc, a.id desc ${part}) a
        left join audit_requests r on r.request = a.request order by a.at desc, a.id desc`.execute(db),
    )
    return rows
  }
}

function rowOf(entry: AuditEntry) {
  const { id, at, actor, action, outcome, target, request_id: request } = entry
  const of = { kind: target?.kind ?? null, type: target?.type ?? null, target: target?.id ?? null }
  return { ...{ id, at: Date.parse(at), actor: actor.id, action, outcome, request }, ...of, entry: JSON.stringify(entry) }
}

function entryOf({ entry, via, ip }: Found): AuditEntry {
  return withOrigin(JSON.parse(entry) as AuditEntry, { via, ip })
}

function conditionOf({ actor, action, outcome, target, since, until, without }: AuditFilter): RawBuilder<unknown> {
  const conditions = [
    ...(actor === undefined ? [] : [sql`a.actor = ${actor}`]),
    ...(action === undefined ? [] : [sql`a.action = ${action}`]),
    ...(outcome === undefined ? [] : [sql`a.outcome = ${outcome}`]),
    ...(target === undefined ? [] : [sql`(a.kind = ${target.of} or a.type = ${target.of})`]),
    ...(target?.id === undefined ? [] : [sql`a.target = ${target.id}`]),
    ...(since === undefined ? [] : [sql`a.at >= ${since}`]),
    ...(until === undefined ? [] : [sql`a.at < ${until}`]),
    ...(without === undefined || without.kinds.length === 0
      ? []
      : [sql`(a.kind is null or a.kind <> all(${[...without.kinds]}::text[]))`]),
    ...(without === undefined || without.types.length === 0
      ? []
      : [sql`(a.kind is distinct from 'record' or a.type <> all(${[...without.types]}::text[]))`]),
  ]
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

/** Adds an entry to the log in a database, for who has not opened the site. */
export async function appendToAuditLog(url: string, entry: AuditEntry): Promise<void> {
  const database = await Database.open(url)
  await new PostgresAuditLog(database).append([entry]).finally(() => database.close())
}
