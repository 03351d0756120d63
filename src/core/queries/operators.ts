import type { Json } from '#lib/json.ts'
import { type Comparable, comparable, compareComparables, folded } from './comparison.ts'
import type { Comparison, Condition, Operator } from './query.ts'

/** The rules of an operator, whatever the store. */
export interface OperatorRules {
  /**
   * The form of its value in a query: one value of the field's kind, several of them with commas, or a text whatever the kind.
   */
  readonly takes: 'value' | 'list' | 'text'
  /** True if the word `null` in a query means "not set". */
  readonly takesNull: boolean
  /** The values that a field must have one of, or must have none of; undefined where it is not about being equal. */
  readonly equals?: 'any' | 'none'
  /** Words about its value for the API's description, where the field's kind does not say it all. */
  readonly description?: string
  /** Compares the items of a value that a document has, none if it is not set, with that of a condition. */
  matches(items: readonly Json[], condition: Condition): boolean
}

/**
 * The operators of conditions, in the order in which they are listed. A store that compares by itself has a table of its own over
 * the same union.
 */
export const OPERATORS: Readonly<Record<Operator, OperatorRules>> = {
  eq: { takes: 'value', takesNull: true, equals: 'any', matches: equalsAny },
  ne: { takes: 'value', takesNull: true, equals: 'none', matches: (items, condition) => !equalsAny(items, condition) },
  gt: ordering((order) => order > 0),
  gte: ordering((order) => order >= 0),
  lt: ordering((order) => order < 0),
  lte: ordering((order) => order <= 0),
  in: { takes: 'list', takesNull: false, equals: 'any', description: 'Any of these, with commas.', matches: equalsAny },
  contains: {
    takes: 'text',
    takesNull: false,
    description: 'A part of the text; case and accents do not count.',
    matches: containsText,
  },
}

/** The names of all operators, as queries have them. */
export const OPERATOR_NAMES = Object.keys(OPERATORS) as readonly Operator[]

/**
 * Returns whether a value meets a condition. A list matches if one of its items does. Null, absent and the empty list are "not
 * set".
 */
export function matches(value: Json | undefined, condition: Condition): boolean {
  return OPERATORS[condition.op].matches(itemsOf(value), condition)
}

/** The values that a condition compares with: a list's items where the operator takes a list. Nothing equals a list. */
export function wantedBy({ op, value }: Condition): readonly Json[] {
  return OPERATORS[op].takes === 'list' && Array.isArray(value) ? value : [value]
}

function ordering(holds: (order: number) => boolean): OperatorRules {
  const matches = (items: readonly Json[], { value, as }: Condition) => items.some((item) => isOrdered(item, value, as, holds))
  return { takes: 'value', takesNull: false, matches }
}

function itemsOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value.filter((item) => item !== null) : [value]
}

/** The values that a condition looks for, made ready: lists compare one condition with thousands of documents. */
interface Target {
  readonly values: ReadonlySet<Comparable>
  /** True if documents that have no value are among what is looked for. */
  readonly isUnset: boolean
}

const targets = new WeakMap<Condition, Target>()
const needles = new WeakMap<Condition, string>()

function equalsAny(items: readonly Json[], condition: Condition): boolean {
  const { values, isUnset } = targetOf(condition)
  return items.length === 0 ? isUnset : items.some((item) => values.has(comparable(item, condition.as)))
}

function targetOf(condition: Condition): Target {
  const known = targets.get(condition)
  if (known) return known
  const wanted = wantedBy(condition)
  const values = new Set(wanted.map((value) => comparable(value, condition.as)))
  // Nothing equals what can't be compared.
  values.delete(undefined)
  const target = { values, isUnset: wanted.includes(null) }
  targets.set(condition, target)
  return target
}

function containsText(items: readonly Json[], condition: Condition): boolean {
  const needle = needleOf(condition)
  if (needle === undefined) return false
  return items.some((item) => {
    const text = comparable(item, 'text')
    return typeof text === 'string' && folded(text).includes(needle)
  })
}

function needleOf(condition: Condition): string | undefined {
  const known = needles.get(condition)
  if (known !== undefined) return known
  const part = comparable(condition.value, 'text')
  if (typeof part !== 'string') return undefined
  const needle = folded(part)
  needles.set(condition, needle)
  return needle
}

function isOrdered(item: Json, wanted: Json, as: Comparison, holds: (order: number) => boolean): boolean {
  const [a, b] = as === 'any' ? alike(item, wanted) : [comparable(item, as), comparable(wanted, as)]
  return a !== undefined && b !== undefined && holds(compareComparables(a, b))
}

/** Without a declared type, two values that are both numbers are compared as such, else as texts. */
function alike(item: Json, wanted: Json) {
  const numbers = [comparable(item, 'number'), comparable(wanted, 'number')] as const
  if (typeof item === 'number' && numbers[1] !== undefined) return numbers
  return [comparable(item, 'text'), comparable(wanted, 'text')] as const
}
