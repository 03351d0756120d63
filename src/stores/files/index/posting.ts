import { fieldOf } from '#core/queries/comparison.ts'
import type { Row } from './orderings.ts'

const NONE: ReadonlySet<Row> = new Set()

/** The rows for each value of one field; an item of a list counts. Values are compared as texts. */
export class Posting {
  readonly #field: string
  readonly #rows = new Map<string, Set<Row>>()

  constructor(field: string) {
    this.#field = field
  }

  add(row: Row): void {
    for (const value of valuesOf(row, this.#field)) {
      const rows = this.#rows.get(value)
      if (rows) rows.add(row)
      else this.#rows.set(value, new Set([row]))
    }
  }

  remove(row: Row): void {
    for (const value of valuesOf(row, this.#field)) {
      const rows = this.#rows.get(value)
      rows?.delete(row)
      if (rows?.size === 0) this.#rows.delete(value)
    }
  }

  of(value: string): ReadonlySet<Row> {
    return this.#rows.get(value) ?? NONE
  }

  /** The rows with any of these values. */
  ofAny(values: readonly string[]): ReadonlySet<Row> {
    const [only, ...others] = values
    if (only === undefined) return NONE
    return others.length === 0 ? this.of(only) : new Set(values.flatMap((value) => [...this.of(value)]))
  }
}

/** The texts a row has in a field, each once. */
export function valuesOf(row: Row, field: string): Set<string> {
  const value = fieldOf(row.head, field, row.status)
  const items = Array.isArray(value) ? value : [value]
  return new Set(items.filter((item) => item !== undefined && item !== null && typeof item !== 'object').map(String))
}
