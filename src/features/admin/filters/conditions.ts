import { labelOf } from '#core/types/fields.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { FilterKind, ListFilter } from '../../offered.ts'

/** An operator of the panel: one of the API's, or that something is there at all. */
export type FilterOperator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains' | 'set' | 'unset'

/** A part of an address that narrows a list. `filter` is undefined where the resource names none for it. */
export interface FilterCondition {
  /** The parameter of the address. */
  readonly parameter: string
  readonly filter: ListFilter | undefined
  readonly operator: FilterOperator
  readonly value: string
}

/** Parameters that are no filter. */
const OTHERS: ReadonlySet<string> = new Set(['page', 'per_page', 'sort', 'q', 'columns', 'done', 'deleted', 'filters'])

const WORDS: Readonly<Record<FilterOperator, string>> = {
  eq: 'is',
  ne: 'is not',
  contains: 'contains',
  in: 'is one of',
  gte: 'at least',
  lte: 'at most',
  gt: 'over',
  lt: 'under',
  set: 'is not empty',
  unset: 'is empty',
}

const IN_TIME: Partial<typeof WORDS> = { eq: 'is on', gte: 'from', lte: 'until', gt: 'after', lt: 'before' }

/** The operators that are offered for each kind, the most wanted first. */
const OFFERED: Readonly<Record<FilterKind, readonly FilterOperator[]>> = {
  text: ['contains', 'eq', 'ne', 'unset', 'set'],
  name: ['eq', 'ne', 'in', 'unset', 'set'],
  number: ['gte', 'lte', 'eq', 'ne', 'unset', 'set'],
  day: ['gte', 'lte', 'eq', 'unset', 'set'],
  // A time is hardly ever equal to another.
  time: ['gte', 'lt', 'unset', 'set'],
  yes: ['eq'],
  choice: ['eq', 'ne', 'unset', 'set'],
  terms: ['eq'],
}

/** Operators that need no value. */
export const WITHOUT_VALUE: ReadonlySet<FilterOperator> = new Set(['set', 'unset'])

/** Returns the operators that are offered for a filter. */
export function operatorsOf({ kind, name }: ListFilter): readonly FilterOperator[] {
  // Each record has a status.
  return name === 'status' ? ['eq', 'ne'] : OFFERED[kind]
}

/** Returns the words for an operator between a label and a value. */
export function wordOf(operator: FilterOperator, kind: FilterKind): string {
  if (kind === 'terms') return 'is one of'
  return ((kind === 'day' || kind === 'time') && IN_TIME[operator]) || WORDS[operator]
}

/** Returns the parameter and the value that stand for a condition in an address. */
export function parameterOf({ name, parameter }: ListFilter, operator: FilterOperator, value: string): [string, string] {
  const field = `filter[${name}]`
  switch (operator) {
    case 'eq':
      return [parameter ?? field, value]
    case 'set':
      return [`${field}[ne]`, 'null']
    case 'unset':
      return [field, 'null']
    default:
      return [`${field}[${operator}]`, value]
  }
}

/** Returns what narrows the list of an address. */
export function conditionsOf(params: QueryParams, filters: readonly ListFilter[]): FilterCondition[] {
  return Object.entries(params)
    .filter(([name, value]) => !OTHERS.has(name) && value !== '')
    .map(([parameter, value]) => {
      const [, field, word = 'eq'] = /^filter\[([^\]]+)\](?:\[([a-z]+)\])?$/.exec(parameter) ?? []
      const filter = filters.find((one) => (field === undefined ? one.parameter === parameter : one.name === field))
      const operator = isOperator(word) ? word : 'eq'
      // Whether it is true, false or neither is one choice.
      const isAny = value === 'null' && filter?.kind !== 'yes' && field !== undefined
      if (isAny && operator === 'eq') return { parameter, filter, operator: 'unset', value: '' }
      if (isAny && operator === 'ne') return { parameter, filter, operator: 'set', value: '' }
      return { parameter, filter, operator, value }
    })
}

/** Returns the label of a condition that no filter is named for. */
export function labelOfParameter(parameter: string): string {
  const [, field = parameter] = /^filter\[([^\]]+)\]/.exec(parameter) ?? []
  return labelOf(field)
}

/** Returns whether a text names an operator of an address, or of a form. */
export function isOperator(text: string): text is FilterOperator {
  return Object.hasOwn(WORDS, text)
}
