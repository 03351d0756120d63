import type { Head } from '#core/document.ts'
import type { Condition, Query } from '#core/queries/query.ts'
import { instantOf, statusAt, statusTerm } from '#core/status.ts'
import type { Status } from '#core/types/content-type.ts'
import { Cache, isWithin } from '#lib/cache.ts'
import { ALL, type Extent, idsOf, isAmong, LIVE, plainValues } from './narrowing.ts'
import { NEWEST, type Order, Ordering, orderOf, type Row } from './orderings.ts'
import { Posting, valuesOf } from './posting.ts'

/** Number of answers, orders and postings cached for a kind, in addition to the usual ones. */
const KEPT_ANSWERS = 64
const KEPT_ORDERS = 8
const KEPT_POSTINGS = 8

/**
 * The readable documents of one kind. Lists in the usual order, whole or of one status, are kept ready: any page of them is a
 * slice. Every other list is worked out when asked for and kept until something of the kind changes.
 */
export class KindIndex {
  readonly #statuses: ReadonlyMap<string, Status>
  readonly #rows = new Map<string, Row>()
  readonly #timed = new Set<Row>()
  readonly #newest = new Ordering(NEWEST)
  readonly #live = new Ordering(NEWEST)
  readonly #byStatus = new Map<string, Ordering>()
  readonly #orders = new Cache<Ordering>({ most: KEPT_ORDERS })
  readonly #postings = new Cache<Posting>({ most: KEPT_POSTINGS })
  readonly #answers = new Cache<readonly Row[]>({ most: KEPT_ANSWERS })
  readonly #counts = new Cache<ReadonlyMap<string, number>>({ most: KEPT_ANSWERS })
  #lastStatusChange = Number.NEGATIVE_INFINITY
  #nextStatusChange = Number.POSITIVE_INFINITY

  constructor(statuses: ReadonlyMap<string, Status>) {
    this.#statuses = statuses
  }

  get size(): number {
    return this.#rows.size
  }

  set(head: Head, now: number): void {
    this.remove(head.key.id)
    this.#enter(this.#rowOf(head, now))
  }

  /**
   * Takes a head that may differ from the one there in its dates alone, which only few orders and postings go by; whether it
   * does.
   */
  redate(head: Head): boolean {
    const row = this.#rows.get(head.key.id)
    if (!row || (row.head.createdAt === head.createdAt && row.head.updatedAt === head.updatedAt)) return false
    row.head = head
    for (const { order } of [...this.#orders.values()]) if (order.isByDates) this.#orders.delete(order.name)
    for (const field of ['created_at', 'updated_at']) this.#postings.delete(field)
    this.#forgetAnswers()
    return true
  }

  remove(id: string): void {
    const row = this.#rows.get(id)
    if (row) this.#leave(row)
  }

  /** Every row that meets the query, in its order; not to be changed. */
  find(query: Query, now: number): readonly Row[] {
    this.#updateStatuses(now)
    return this.#find(query, orderOf(query.sort ?? []))
  }

  #find(query: Query, order: Order): readonly Row[] {
    const where = query.where ?? []
    const extent = this.#extentOf(query)
    const ready = order === NEWEST ? this.#ready(where, extent) : undefined
    if (ready) return ready
    const named = this.#named(where)
    if (named) return this.#among(named, where, extent, order)
    const name = [where, extent.name, order.name]
    const known = this.#answers.get(name)
    if (known) return known
    const answer = this.#select(where, extent, order)
    this.#answers.set(name, answer)
    return answer
  }

  /** Counts the query's rows for each value of a field. */
  count(query: Query, by: string, now: number): ReadonlyMap<string, number> {
    this.#updateStatuses(now)
    const where = query.where ?? []
    if (where.some(idsOf)) return countsOf(this.#find(query, NEWEST), by)
    const name = [where, this.#extentOf(query).name, by]
    const known = this.#counts.get(name)
    if (known) return known
    const counts = countsOf(this.#find(query, NEWEST), by)
    this.#counts.set(name, counts)
    return counts
  }

  /** The rows whose field, or an item of it, is this text. */
  holders(field: string, value: string, now: number): Iterable<Row> {
    this.#updateStatuses(now)
    return this.#posting(field).of(value)
  }

  /** Returns the extent of a query. A user who owns nothing that is not live sees the same as everybody. */
  #extentOf({ live = false, own }: Query): Extent {
    if (!live || own === undefined) return live ? LIVE : ALL
    const beside = new Set([...this.#posting('author').of(own)].filter((row) => !row.live))
    return beside.size === 0 ? LIVE : { live, beside, name: [own] }
  }

  /** The list that is kept in order for this query, where there is one. A status says by itself whether what has it is live. */
  #ready(where: readonly Condition[], { live, beside }: Extent): readonly Row[] | undefined {
    const [only, ...others] = where
    if (others.length > 0 || beside.size > 0) return undefined
    if (!only) return (live ? this.#live : this.#newest).rows()
    if (only.field !== 'status' || only.op !== 'eq' || typeof only.value !== 'string') return undefined
    if (live && !this.#statuses.get(only.value)?.live) return NO_ROWS
    return this.#byStatus.get(only.value)?.rows() ?? NO_ROWS
  }

  /** The rows that conditions on the id leave, looked up one by one; undefined where there is no such condition. */
  #named(where: readonly Condition[]): Set<Row> | undefined {
    const [first, ...others] = where.flatMap((condition) => {
      const ids = idsOf(condition)
      return ids ? [ids] : []
    })
    if (!first) return undefined
    const rows = new Set(first.flatMap((id) => this.#rows.get(id) ?? []))
    for (const ids of others.map((list) => new Set(list))) {
      for (const row of rows) if (!ids.has(row.head.key.id)) rows.delete(row)
    }
    return rows
  }

  /** Returns the rows that meet the conditions, in order. Not cached: queries by ids are seldom repeated. */
  #among(rows: ReadonlySet<Row>, where: readonly Condition[], extent: Extent, order: Order): readonly Row[] {
    const others = where.filter((condition) => !idsOf(condition))
    const found = [...rows].filter((row) => isAmong(row, others, extent))
    order.sort(found)
    return found
  }

  #select(where: readonly Condition[], extent: Extent, order: Order): readonly Row[] {
    const few = this.#narrow(where)
    const meets = (row: Row) => isAmong(row, where, extent)
    if (!few || few.size * 8 > this.#rows.size) return this.#ordered(order).rows().filter(meets)
    const found = [...few].filter(meets)
    order.sort(found)
    return found
  }

  /** The fewest rows that a posting says can meet the conditions; undefined where none of them is a plain one. */
  #narrow(where: readonly Condition[]): ReadonlySet<Row> | undefined {
    let few: ReadonlySet<Row> | undefined
    for (const condition of where) {
      const values = plainValues(condition)
      if (!values) continue
      const rows = this.#posting(condition.field).ofAny(values)
      if (!few || rows.size < few.size) few = rows
    }
    return few
  }

  #ordered(order: Order): Ordering {
    if (order === NEWEST) return this.#newest
    const known = this.#orders.get(order.name)
    if (known) return known
    const made = new Ordering(order, this.#rows.values())
    this.#orders.set(order.name, made)
    return made
  }

  #posting(field: string): Posting {
    const known = this.#postings.get(field)
    if (known) return known
    const made = new Posting(field)
    for (const row of this.#rows.values()) made.add(row)
    this.#postings.set(field, made)
    return made
  }

  /**
   * Updates the statuses that changed by the clock, which may be set back. That needs no timer: it is done before a query is
   * answered.
   */
  #updateStatuses(now: number): void {
    const isSetBack = now < this.#lastStatusChange
    if (!isSetBack && now < this.#nextStatusChange) return
    const due = [...(isSetBack ? this.#rows.values() : this.#timed)].filter((row) => !isWithin(row.term, now))
    for (const row of due) {
      this.#leave(row)
      this.#enter(this.#rowOf(row.head, now))
    }
    this.#nextStatusChange = Number.POSITIVE_INFINITY
    for (const { term } of this.#timed) this.#nextStatusChange = Math.min(this.#nextStatusChange, term.until)
    if (!isSetBack) return
    this.#lastStatusChange = Number.NEGATIVE_INFINITY
    for (const { term } of this.#rows.values()) this.#lastStatusChange = Math.max(this.#lastStatusChange, term.from)
  }

  #rowOf(head: Head, now: number): Row {
    const { fields } = head
    const status = statusAt(fields, this.#statuses, now)
    return {
      head,
      status,
      live: this.#statuses.get(status)?.live === true,
      time: instantOf(fields.published_at) ?? Number.NEGATIVE_INFINITY,
      term: statusTerm(fields, this.#statuses, now),
    }
  }

  #enter(row: Row): void {
    this.#rows.set(row.head.key.id, row)
    for (const ordering of this.#orderingsOf(row)) ordering.add(row)
    for (const posting of this.#postings.values()) posting.add(row)
    this.#lastStatusChange = Math.max(this.#lastStatusChange, row.term.from)
    if (row.term.until === Number.POSITIVE_INFINITY) return
    this.#timed.add(row)
    this.#nextStatusChange = Math.min(this.#nextStatusChange, row.term.until)
  }

  #leave(row: Row): void {
    this.#rows.delete(row.head.key.id)
    for (const ordering of this.#orderingsOf(row)) ordering.remove(row)
    for (const posting of this.#postings.values()) posting.remove(row)
    this.#timed.delete(row)
  }

  #forgetAnswers(): void {
    this.#answers.clear()
    this.#counts.clear()
  }

  #orderingsOf(row: Row): Ordering[] {
    this.#forgetAnswers()
    const status = this.#byStatus.get(row.status) ?? new Ordering(NEWEST)
    this.#byStatus.set(row.status, status)
    return [this.#newest, ...(row.live ? [this.#live] : []), status, ...this.#orders.values()]
  }
}

const NO_ROWS: readonly Row[] = []

function countsOf(rows: readonly Row[], by: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) for (const value of valuesOf(row, by)) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
