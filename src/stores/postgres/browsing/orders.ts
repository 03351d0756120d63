import { type RawBuilder, sql } from 'kysely'
import type { Sort } from '#core/queries/query.ts'
import { BOOLEAN, factName, LONGEST_KEY, NUMBER, TEXT } from './facts.ts'
import { type Moment, statusAt } from './moment.ts'

/** An order of `documents d`: what has to be joined to them, and what they are ordered by. */
export interface Ordering {
  readonly joins: RawBuilder<unknown>
  readonly by: RawBuilder<unknown>
  /**
   * The same order in two steps, where an index has the first of its keys: first those that have the key, then those that don't.
   */
  readonly steps?: readonly [Step, Step]
}

/** A part of an order: which documents are in it besides. */
export interface Step {
  readonly joins: RawBuilder<unknown>
  readonly where: RawBuilder<boolean>
  readonly by: RawBuilder<unknown>
}

/** The order of some sort keys, as `orderHeads` has it: null last both ways, ties by id. */
export function orderingOf(sorts: readonly Sort[], moment: Moment): Ordering {
  const [first, ...rest] = sorts.map((sort, nth) => keyOf(sort, nth, moment))
  if (!first) return { joins: sql``, by: sql`d.id` }
  const others = { joins: rest.map(({ join }) => join), by: [...rest.flatMap(({ terms }) => terms), sql`d.id`] }
  const joins = [first.join, ...others.joins]
  const whole = { joins: sql.join(joins, sql` `), by: sql.join([...first.terms, ...others.by]) }
  if (!first.indexed) return whole
  const { key, terms } = first.indexed
  const having = { joins: whole.joins, where: sql<boolean>`${key} is not null`, by: sql.join([...terms, ...others.by]) }
  const lacking = { joins: whole.joins, where: sql<boolean>`${key} is null`, by: sql.join(others.by) }
  return { ...whole, steps: [having, lacking] }
}

/** The SQL of a sort. If an index has the key, `indexed` holds the key and the terms in whose order the index is. */
interface SortKey {
  readonly join: RawBuilder<unknown>
  readonly terms: readonly RawBuilder<unknown>[]
  readonly indexed?: { readonly key: RawBuilder<unknown>; readonly terms: readonly RawBuilder<unknown>[] }
}

/** The columns that have what a field is ordered by. */
const INSTANTS: ReadonlyMap<string, RawBuilder<unknown>> = new Map([
  ['published_at', sql`d.published`],
  ['expires_at', sql`d.expires`],
])

function keyOf(sort: Sort, nth: number, moment: Moment): SortKey {
  const { field, as, descending } = sort
  const ofColumn = (column: RawBuilder<unknown>) => ({ join: sql``, terms: [lastNull(column, descending)] })
  if (field === 'id') return ofColumn(sql`d.id`)
  if (field === 'status') return ofColumn(sql`nullif(${statusAt(moment)}, '')`)
  const column = as === 'instant' ? INSTANTS.get(field) : undefined
  return column ? ofColumn(column) : factKey(sort, nth, moment)
}

/** A list is ordered by its first item. */
function factKey({ field, as, descending }: Sort, nth: number, { kind }: Moment): SortKey {
  const fact = sql.id(`sort${nth}`)
  const join = sql`left join facts ${fact} on ${fact}.doc = d.doc and ${fact}.kind = ${kind} and ${fact}.field = ${factName(field)} and ${fact}.nth = 0`
  if (as === 'any') return { join, terms: valuesOfAny(fact).map((value) => lastNull(value, descending)) }
  const values = as === 'number' || as === 'instant' ? [sql`${fact}.${sql.id(as)}`] : textsOf(fact)
  const [key = sql`null`] = values
  const indexed = { key, terms: values.map((value) => (descending ? sql`${value} desc` : sql`${value}`)) }
  return { join, terms: values.map((value) => lastNull(value, descending)), indexed }
}

/** Long texts begin alike and go on differently. An index has the beginnings; only for what is long is more looked up. */
function textsOf(fact: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const whole = sql`(select f.whole from facts f
    where f.doc = ${fact}.doc and f.field = ${fact}.field and f.nth = 0 and length(${fact}.text) > ${sql.lit(LONGEST_KEY)})`
  return [sql`${fact}.text`, whole]
}

/** Numbers come before texts and texts before booleans; the rest has no order. */
function valuesOfAny(fact: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const [text, whole] = textsOf(fact)
  return [
    sql`case when ${fact}.type in (${sql.lit(NUMBER)}, ${sql.lit(TEXT)}, ${sql.lit(BOOLEAN)}) then ${fact}.type end`,
    sql`case when ${fact}.type = ${sql.lit(NUMBER)} then ${fact}.number end`,
    sql`case when ${fact}.type <> ${sql.lit(NUMBER)} then ${text} end`,
    sql`${whole}`,
  ]
}

function lastNull(value: RawBuilder<unknown>, descending: boolean): RawBuilder<unknown> {
  return descending ? sql`${value} desc nulls last` : sql`${value} asc nulls last`
}
