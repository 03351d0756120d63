import type { Head } from '#core/document.ts'
import { compareKeys, fieldOf, type SortKey, sortable } from '#core/queries/comparison.ts'
import type { Sort } from '#core/queries/query.ts'
import type { Term } from '#lib/cache.ts'
import { cacheKey } from '#lib/cache-key.ts'
import { compareText } from '#lib/text/compare.ts'

/** A head in the index, with what the clock makes of it. A change of either makes a new row. */
export interface Row {
  /** Changed in place where its dates alone change. */
  head: Head
  readonly status: string
  readonly live: boolean
  /** `published_at` in milliseconds, -Infinity if there is none. */
  readonly time: number
  /** The time in which its status is what it is. */
  readonly term: Term
}

/** One order of rows. */
export interface Order {
  /** A name that is shared by two queries for the same order. */
  readonly name: string
  /** True if it depends on the dates that history knows. */
  readonly isByDates: boolean
  compare(a: Row, b: Row): number
  /** All of them at once, in place: what comparing costs is then paid once a row. */
  sort(rows: Row[]): void
}

/** From so many changes on, as a share of the rows, they are sorted again as a whole rather than put into place one by one. */
const MANY = 1 / 128

/**
 * Rows kept in one order. What comes and goes is taken in when the order is next asked for: a few rows are put into their places,
 * many are sorted together, so that a change of branch costs no more than a start.
 */
export class Ordering {
  readonly order: Order
  #rows: Row[] = []
  #added: Row[]
  readonly #removed = new Set<Row>()

  constructor(order: Order, rows: Iterable<Row> = []) {
    this.order = order
    this.#added = [...rows]
  }

  /** All rows in order; not to be changed. */
  rows(): readonly Row[] {
    const changes = this.#added.length + this.#removed.size
    if (changes > this.#rows.length * MANY + 1) this.#rebuild()
    else if (changes > 0) this.#place()
    return this.#rows
  }

  add(row: Row): void {
    this.#added.push(row)
  }

  /** Takes out a row that was added. */
  remove(row: Row): void {
    this.#removed.add(row)
  }

  #rebuild(): void {
    const rows = [...this.#rows, ...this.#added]
    this.#rows = this.#removed.size === 0 ? rows : rows.filter((row) => !this.#removed.has(row))
    this.#forgetChanges()
    this.order.sort(this.#rows)
  }

  #place(): void {
    for (const row of this.#removed) {
      const place = this.#placeOf(row)
      if (this.#rows[place] === row) this.#rows.splice(place, 1)
    }
    for (const row of this.#added) if (!this.#removed.has(row)) this.#rows.splice(this.#placeOf(row), 0, row)
    this.#forgetChanges()
  }

  #forgetChanges(): void {
    this.#added = []
    this.#removed.clear()
  }

  /** The first place whose row does not come before `row`. */
  #placeOf(row: Row): number {
    let low = 0
    let high = this.#rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.#rows[middle]
      if (other && this.order.compare(other, row) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The order of lists where nothing else is asked for: newest first, undated last, ties by id. */
export const NEWEST: Order = {
  name: nameOf([{ field: 'published_at', descending: true, as: 'instant' }]),
  isByDates: false,
  compare: compareNewest,
  sort: (rows) => rows.sort(compareNewest),
}

/** The order of some sort keys, ties by id. */
export function orderOf(sorts: readonly Sort[]): Order {
  const name = nameOf(sorts)
  if (name === NEWEST.name) return NEWEST
  const keysOf = (row: Row) => sorts.map((sort) => sortable(fieldOf(row.head, sort.field, row.status), sort.as))
  const compare = (a: Row, b: Row) => compareAll(sorts, keysOf(a), keysOf(b)) || compareText(a.head.key.id, b.head.key.id)
  const isByDates = sorts.some(({ field }) => field === 'created_at' || field === 'updated_at')
  return { name, isByDates, compare, sort: (rows) => sortDecorated(rows, sorts, keysOf) }
}

function nameOf(sorts: readonly Sort[]): string {
  return cacheKey(sorts.map(({ field, as, descending }) => [field, as, descending]))
}

function compareNewest(a: Row, b: Row): number {
  if (a.time !== b.time) return a.time > b.time ? -1 : 1
  return compareText(a.head.key.id, b.head.key.id)
}

function sortDecorated(rows: Row[], sorts: readonly Sort[], keysOf: (row: Row) => SortKey[]): void {
  const decorated = rows.map((row) => ({ row, keys: keysOf(row) }))
  decorated.sort((a, b) => compareAll(sorts, a.keys, b.keys) || compareText(a.row.head.key.id, b.row.head.key.id))
  for (const [place, { row }] of decorated.entries()) rows[place] = row
}

function compareAll(sorts: readonly Sort[], a: SortKey[], b: SortKey[]): number {
  for (const [i, { descending }] of sorts.entries()) {
    const order = compareKeys(a[i], b[i], descending)
    if (order !== 0) return order
  }
  return 0
}
