import { fieldOf } from '#core/queries/comparison.ts'
import { matches, OPERATORS, wantedBy } from '#core/queries/operators.ts'
import type { Condition } from '#core/queries/query.ts'
import type { Row } from './orderings.ts'

/** The part of a kind that a query covers: all, or the live rows and these rows beside. */
export interface Extent {
  readonly live: boolean
  readonly beside: ReadonlySet<Row>
  /** Equal for two that are the same while nothing changes. */
  readonly name: boolean | readonly [string]
}

/** All there is. */
export const ALL: Extent = { live: false, beside: new Set(), name: false }

/** The extent that everybody sees. */
export const LIVE: Extent = { live: true, beside: new Set(), name: true }

/** Returns whether a row is in an extent and meets conditions. */
export function isAmong(row: Row, where: readonly Condition[], { live, beside }: Extent): boolean {
  return (row.live || !live || beside.has(row)) && where.every((c) => matches(fieldOf(row.head, c.field, row.status), c))
}

/** The ids of which a condition asks for one. */
export function idsOf(condition: Condition): string[] | undefined {
  return condition.field === 'id' ? plainValues(condition) : undefined
}

/** The texts a field must have one of, where a condition comes to that. */
export function plainValues(condition: Condition): string[] | undefined {
  const { op, as } = condition
  if (OPERATORS[op].equals !== 'any' || (as !== 'text' && as !== 'any')) return undefined
  const items = wantedBy(condition)
  return items.every((item) => item !== null && typeof item !== 'object') ? items.map(String) : undefined
}
