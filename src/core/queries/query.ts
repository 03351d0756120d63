import type { Json } from '#lib/json.ts'

/** The way two values are compared. Decided by the field's declared type, `any` if there is none. */
export type Comparison = 'text' | 'number' | 'instant' | 'boolean' | 'any'

/** The name of a way to compare in a query. What each means is in `operators.ts`. */
export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains'

/**
 * One condition on a field. `value` is a list for `in`; null means "not set". A record's list matches when one item does.
 * The field `id` is the key's id; `status` is what the clock makes of the stored one; `created_at` and `updated_at` are the head's.
 */
export interface Condition {
  field: string
  op: Operator
  value: Json
  as: Comparison
}

/** One sort key. Null is last both ways; ties are broken by id, ascending. */
export interface Sort {
  field: string
  descending: boolean
  as: Comparison
}

/** A query for a list. Every condition must hold. Unreadable documents are never in a list. */
export interface Query {
  where?: readonly Condition[]
  /** Only what is live now: a live status, begun, not over. */
  live?: boolean
  /** With `live`: also what is not, where its `author` is this text, or a list with it. */
  own?: string
  /** Default: by id. */
  sort?: readonly Sort[]
  offset?: number
  limit?: number
}

/** A part of a list, and how long the whole is. */
export interface Page<T> {
  items: T[]
  total: number
}
