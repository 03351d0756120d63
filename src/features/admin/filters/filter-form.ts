import type { QueryParams } from '#http/requests/query.ts'
import type { FieldErrors } from '#lib/errors.ts'
import type { ListFilter } from '../../offered.ts'
import { localText } from '../forms/times.ts'
import { conditionsOf, type FilterCondition, type FilterOperator, operatorsOf, wordOf } from './conditions.ts'

/** The list that a form narrows. */
export interface FilterFormOf {
  readonly url: string
  readonly params: QueryParams
  readonly filters: readonly ListFilter[]
  /** Values to choose from, by the names of the filters. */
  readonly suggestions: ReadonlyMap<string, readonly string[]>
  readonly zone: string
  readonly errors: FieldErrors
}

/** Kinds of which there may be a from and a to. */
const RANGES: ReadonlySet<string> = new Set(['number', 'day', 'time'])

const YES = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
  { value: 'null', label: 'Not set' },
]

/** Returns the form by which a list is narrowed: a line for each filter, those of the address filled in. */
export function filterForm({ url, params, filters, suggestions, zone, errors }: FilterFormOf) {
  const conditions = conditionsOf(params, filters)
  const lines = filters.flatMap((filter) => {
    const held = conditions.filter((one) => one.filter === filter)
    const isOpen = held.length === 0 || (RANGES.has(filter.kind) && held.length === 1)
    const used = new Set(held.map(({ operator }) => operator))
    return [...held, ...(isOpen ? [undefined] : [])].map((condition) => ({ filter, condition, used }))
  })
  const shown = new Set(conditions.filter(({ filter }) => filter !== undefined).map(({ parameter }) => parameter))
  const hidden = Object.entries(params).filter(([name, value]) => value !== '' && !shown.has(name) && !OWN.test(name))
  return {
    action: url,
    hidden: [...hidden.map(([name, value]) => ({ name, value })), { name: 'filters', value: 'set' }],
    rows: lines.map(({ filter, condition, used }, n) => rowOf(filter, condition, { n, used, zone, errors, suggestions })),
    errors: Object.entries(errors).flatMap(([name, texts]) => (shown.has(name) ? [] : texts)),
  }
}

/** Parameters of the panel that begin anew with each form. */
const OWN = /^(?:filters|page|done|[fov]\d{1,3})$/

interface RowDeps extends Pick<FilterFormOf, 'zone' | 'errors' | 'suggestions'> {
  readonly n: number
  /** The operators of the filter's other lines. */
  readonly used: ReadonlySet<FilterOperator>
}

function rowOf(filter: ListFilter, condition: FilterCondition | undefined, { n, used, zone, errors, suggestions }: RowDeps) {
  const { name, label, kind } = filter
  const offered = operatorsOf(filter)
  const chosen = condition?.operator ?? offered.find((one) => !used.has(one)) ?? 'eq'
  const operators = offered.includes(chosen) ? offered : [...offered, chosen]
  const known = suggestions.get(name) ?? []
  const [error] = condition ? (errors[condition.parameter] ?? []) : []
  return {
    ...{ n, name, label },
    operators: operators.map((value) => ({ value, label: wordOf(value, kind), isSelected: value === chosen })),
    ...control(filter, condition, zone),
    ...(known.length > 0 && { suggestions: known }),
    ...(kind === 'terms' && { hint: 'Several with commas' }),
    // The API names the parameter.
    ...(error !== undefined && { error: error.replace(`The ${condition?.parameter} `, `${label} `) }),
  }
}

/** The control in which the value of a condition is typed. */
function control(filter: ListFilter, condition: FilterCondition | undefined, zone: string) {
  const value = condition?.value ?? ''
  switch (filter.kind) {
    case 'yes':
      return { control: 'select', options: optionsOf(YES, value) }
    case 'choice':
      return condition?.operator === 'in'
        ? { control: 'text', value }
        : { control: 'select', options: optionsOf(filter.options ?? [], value) }
    case 'number':
      return { control: 'number', value }
    case 'day':
      return { control: 'date', value }
    case 'time':
      return timeControl(value, zone)
    default:
      return { control: 'text', value }
  }
}

function optionsOf(options: readonly { readonly value: string; readonly label: string }[], value: string) {
  const all = value === '' || options.some((one) => one.value === value) ? options : [...options, { value, label: value }]
  return [
    { value: '', label: 'any', isSelected: value === '' },
    ...all.map((one) => ({ ...one, isSelected: one.value === value })),
  ]
}

/** A time is chosen by its day; one that is not the beginning of a day is shown whole. */
function timeControl(value: string, zone: string) {
  const at = Date.parse(value)
  if (Number.isNaN(at)) return { control: 'date', value }
  const local = localText(new Date(at).toISOString(), zone)
  return local.endsWith('T00:00') ? { control: 'date', value: local.slice(0, 10) } : { control: 'datetime-local', value: local }
}
