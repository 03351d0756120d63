import { type RawBuilder, sql } from 'kysely'
import type { Comparison, Sort } from '../../../core/query.ts'
import { BOOLEAN, factName, NUMBER, TEXT } from './facts.ts'
import { type Moment, statusAt } from './moment.ts'

/** An order of `documents d`: what has to be joined to it, and what it is ordered by. */
export interface Ordering {
  readonly joins: RawBuilder<unknown>
  readonly by: RawBuilder<unknown>
}

/** The order of some sort keys, as `orderHeads` has it: null last both ways, ties by id. */
export function orderingOf(sorts: readonly Sort[], moment: Moment): Ordering {
  const keys = sorts.map((sort, nth) => ({ ...keyOf(sort, nth, moment), descending: sort.descending }))
  const terms = keys.flatMap(({ values, descending }) => values.map((value) => directed(value, descending)))
  return {
    joins: sql.join(
      keys.flatMap(({ join }) => join ?? []),
      sql` `,
    ),
    by: sql.join([...terms, sql`d.id`]),
  }
}

interface SortKey {
  readonly values: readonly RawBuilder<unknown>[]
  readonly join?: RawBuilder<unknown>
}

/** The columns that have what a field is ordered by. */
const INSTANTS: ReadonlyMap<string, RawBuilder<unknown>> = new Map([
  ['published_at', sql`d.published`],
  ['expires_at', sql`d.expires`],
])

function keyOf({ field, as }: Sort, nth: number, moment: Moment): SortKey {
  if (field === 'id') return { values: [sql`d.id`] }
  if (field === 'status') return { values: [sql`nullif(${statusAt(moment)}, '')`] }
  const column = as === 'instant' ? INSTANTS.get(field) : undefined
  return column ? { values: [column] } : factKey(field, as, nth)
}

/** A list is ordered by its first item. */
function factKey(field: string, as: Comparison, nth: number): SortKey {
  const fact = sql.id(`sort${nth}`)
  const join = sql`left join facts ${fact} on ${fact}.doc = d.doc and ${fact}.field = ${factName(field)} and ${fact}.nth = 0`
  if (as === 'number') return { join, values: [sql`${fact}.number`] }
  if (as === 'instant') return { join, values: [sql`${fact}.instant`] }
  if (as !== 'any') return { join, values: [sql`${fact}.text`] }
  return { join, values: valuesOfAny(fact) }
}

/** Numbers come before texts and texts before booleans; the rest has no order. */
function valuesOfAny(fact: RawBuilder<unknown>): RawBuilder<unknown>[] {
  return [
    sql`case when ${fact}.type in (${sql.lit(NUMBER)}, ${sql.lit(TEXT)}, ${sql.lit(BOOLEAN)}) then ${fact}.type end`,
    sql`case when ${fact}.type = ${sql.lit(NUMBER)} then ${fact}.number end`,
    sql`case when ${fact}.type <> ${sql.lit(NUMBER)} then ${fact}.text end`,
  ]
}

function directed(value: RawBuilder<unknown>, descending: boolean): RawBuilder<unknown> {
  return descending ? sql`${value} desc nulls last` : sql`${value} asc nulls last`
}
