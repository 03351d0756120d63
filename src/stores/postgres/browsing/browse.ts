import { type RawBuilder, sql } from 'kysely'
import type { Kind } from '#core/key.ts'
import { ownBy } from '#core/queries/extent.ts'
import type { Query } from '#core/queries/query.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import type { Database } from '../database.ts'
import type { HeadRow } from '../documents/rows.ts'
import type { DocumentTable } from '../tables.ts'
import { holds, isOneOfThose } from './conditions.ts'
import { factName, LONGEST_KEY, restored } from './facts.ts'
import { isLive, type Moment, momentOf, statusAt } from './moment.ts'
import { type Ordering, orderingOf } from './orders.ts'

/** The columns of a head or, if whole documents are requested, of a document. */
export type Row = HeadRow & Partial<Pick<DocumentTable, 'bytes'>>

/** A part of a list, and how long the whole is. */
export interface Rows {
  readonly rows: Row[]
  readonly total: number
}

/** The part of documents that is requested: the columns of their heads, all columns, or only their number. */
export type Extent = 'head' | 'document' | 'none'

/** Lists, counts and questions of uniqueness, answered by the database by the clock's now; only readable documents are in any. */
export class Browse {
  readonly #database: Database
  readonly #types: ContentTypes
  readonly #clock: Clock

  constructor(database: Database, types: ContentTypes, clock: Clock) {
    this.#database = database
    this.#types = types
    this.#clock = clock
  }

  /** The rows of a page in their order. `limit: 0` and `none` ask for the total alone. */
  async page(kind: Kind, query: Query, what: Extent): Promise<Rows> {
    const moment = this.#moment(kind)
    const conditions = conditionsOf(kind, query, moment)
    if (what === 'none' || query.limit === 0) return { rows: [], total: await this.#total(conditions) }
    const { offset = 0, limit } = query
    const docs = docsOf(orderingOf(query.sort ?? [], moment), conditions, { offset, limit })
    const isWhole = offset === 0 && limit === undefined
    // Which documents they are is known from indexes; only then are their rows looked up.
    const statement = sql<Row & { total: number | null; nth: number | null }>`
      select all_of.total, page.* from (${isWhole ? sql`select null::bigint as total` : totalOf(conditions)}) all_of
      left join (
        select picked.nth, ${columns(what)}
        from unnest(${docs}) with ordinality as picked (doc, nth) join documents r on r.doc = picked.doc
      ) page on true order by page.nth`
    const found = await this.#database.read((db) => statement.execute(db))
    const rows = found.rows.filter(({ nth }) => nth !== null)
    return { rows, total: found.rows[0]?.total ?? rows.length }
  }

  /** Counts the query's documents for each value of a field. An item of a list counts, each text once. */
  async count(kind: Kind, query: Query, by: string): Promise<Map<string, number>> {
    const moment = this.#moment(kind)
    const statement = countOf(by, conditionsOf(kind, query, moment), moment)
    const { rows } = await this.#database.read((db) => statement.execute(db))
    return new Map(rows.map(({ value, count }) => [restored(value), count]))
  }

  /**
   * Returns the time at which the clock next changes the status of any document of a kind, in milliseconds since 1970. Undefined
   * if it never will.
   */
  async nextStatusChange(kind: Kind, now: number): Promise<number | undefined> {
    const { live } = momentOf(kind, this.#types.shape(kind), now)
    const of = (column: RawBuilder<number | null>) => sql`
      (select min(${column}) as at from documents d
       where d.kind = ${kind} and d.readable and ${column} > ${now}::float8 and d.status = any(${live}::text[]))`
    const statement = sql<{ at: number | null }>`
      select min(at) as at from (${of(sql`d.published`)} union all ${of(sql`d.expires`)}) changes`
    const { rows } = await this.#database.read((db) => statement.execute(db))
    return rows[0]?.at ?? undefined
  }

  #moment(kind: Kind): Moment {
    return momentOf(kind, this.#types.shape(kind), this.#clock.now())
  }

  async #total(conditions: RawBuilder<boolean>): Promise<number> {
    const { rows } = await this.#database.read((db) => totalOf(conditions).execute(db))
    return rows[0]?.total ?? 0
  }
}

function conditionsOf(kind: Kind, { where = [], live, own }: Query, moment: Moment): RawBuilder<boolean> {
  const extent = own === undefined ? isLive(moment) : sql<boolean>`(${isLive(moment)} or ${isOneOfThose([kind], ownBy(own))})`
  const all = [sql`d.kind = ${kind} and d.readable`, ...(live ? [extent] : []), ...where.map((one) => holds(one, moment))]
  return sql`${sql.join(all, sql` and `)}`
}

/** The documents of a page in their order, as an array. */
function docsOf({ joins, by, steps }: Ordering, conditions: RawBuilder<boolean>, { offset, limit }: Slice): RawBuilder<number[]> {
  if (!steps || limit === undefined) {
    return sql`array(select d.doc from documents d ${joins} where ${conditions} order by ${by}
      limit ${limit ?? null}::bigint offset ${offset}::bigint)`
  }
  const end = offset + limit
  const [having, lacking] = steps.map(
    (step) =>
      sql`array(select d.doc from documents d ${step.joins} where ${conditions} and ${step.where} order by ${step.by} limit ${end}::bigint)`,
  )
  // The second is worked out only where the first doesn't fill the page; \`offset 0\` keeps the first from being worked out
  // twice.
  return sql`(select (case when cardinality(having_it.docs) >= ${end}::bigint then having_it.docs else having_it.docs || ${lacking} end)[${offset + 1}::int:${end}::int]
    from (select ${having} as docs offset 0) having_it)`
}

interface Slice {
  readonly offset: number
  readonly limit: number | undefined
}

function totalOf(conditions: RawBuilder<boolean>): RawBuilder<{ total: number }> {
  return sql`select count(*) as total from documents d where ${conditions}`
}

const HEAD = sql`r.kind, r.id, r.file, r.version, r.head, r.problem, r.created_at, r.updated_at`

function columns(what: Extent): RawBuilder<unknown> {
  return what === 'document' ? sql`${HEAD}, r.bytes` : HEAD
}

function countOf(by: string, conditions: RawBuilder<boolean>, moment: Moment): RawBuilder<{ value: string; count: number }> {
  if (by === 'id') return sql`select d.id as value, count(*) as count from documents d where ${conditions} group by 1`
  if (by === 'status') {
    return sql`select value, count(*) as count from (select ${statusAt(moment)} as value from documents d where ${conditions}) as statuses
      where value <> '' group by 1`
  }
  // What has the same text as an item before it has a place below 0. Long texts are counted apart, for the index has only the
  // others whole.
  const counted = (text: RawBuilder<string | null>, which: RawBuilder<boolean>) => sql`
    select ${text} as value, count(*) as count from documents d
    join facts f on f.doc = d.doc and f.kind = ${moment.kind} and f.field = ${factName(by)} and f.nth >= 0 and ${which}
    where ${conditions} group by 1`
  const short = counted(sql`f.text`, sql`f.text is not null and length(f.text) <= ${sql.lit(LONGEST_KEY)}`)
  return sql`${short} union all ${counted(sql`f.whole`, sql`f.whole is not null`)}`
}
