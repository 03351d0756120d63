import type { QueryParams } from '#http/requests/query.ts'
import type { ListFilter } from '../../offered.ts'
import { instantOf } from '../forms/times.ts'
import { isOperator, operatorsOf, parameterOf, WITHOUT_VALUE } from './conditions.ts'

const LINE = /^f(\d{1,3})$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * Returns the parameters of the list that a form of filters asks for: `f0=price&o0=gte&v0=3` is `filter[price][gte]=3`. Lines
 * without a value are left out, and so is the part of the list that was shown.
 */
export function filtersSent(params: QueryParams, filters: readonly ListFilter[], zone: string): QueryParams {
  const kept = Object.entries(params).filter(([name]) => !/^(?:filters|page|done|[fov]\d{1,3})$/.test(name))
  const lines = Object.entries(params).flatMap(([name, of]) => {
    const [, n] = LINE.exec(name) ?? []
    const filter = n === undefined ? undefined : filters.find((one) => one.name === of)
    if (!filter) return []
    const word = params[`o${n}`] ?? ''
    const operator = isOperator(word) ? word : (operatorsOf(filter)[0] ?? 'eq')
    const value = (params[`v${n}`] ?? '').trim()
    if (WITHOUT_VALUE.has(operator)) return [parameterOf(filter, operator, '')]
    return value === '' ? [] : [parameterOf(filter, operator, sentValue(filter, value, zone))]
  })
  return Object.fromEntries([...kept, ...lines])
}

/** A day means its beginning by the clocks of the site. */
function sentValue({ kind }: ListFilter, value: string, zone: string): string {
  if (kind === 'terms')
    return value
      .split(',')
      .map((term) => term.trim())
      .filter((term) => term !== '')
      .join(',')
  if (kind !== 'time') return value
  return instantOf(DAY.test(value) ? `${value}T00:00` : value, zone) ?? value
}
