import { OPERATOR_NAMES, OPERATORS } from '#core/queries/operators.ts'
import type { Comparison } from '#core/queries/query.ts'
import type { Schema } from './shapes.ts'

const text = { type: 'string' }
const nothing = { const: 'null' }

/**
 * The schema of the values that a field is compared with in a query, by kind of comparison. The word `null` means a missing
 * value.
 */
const VALUES: Readonly<Record<Comparison, Schema>> = {
  text,
  number: { anyOf: [{ type: 'number' }, nothing] },
  boolean: { anyOf: [{ type: 'boolean' }, nothing] },
  instant: { ...text, description: 'A date (2026-01-31) or a time (2026-01-31T12:00:00Z).' },
  any: { type: ['string', 'number', 'boolean'] },
}

const names = OPERATOR_NAMES.map((name) => (OPERATORS[name].takes === 'list' ? `${name} (with commas)` : name))
const operatorList = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

/** A field that a list can be filtered by. */
export type FilterField = readonly [name: string, as: Comparison]

/**
 * The filters of a list as parameters that generated clients can send, by name: `filter` for `filter[f]=v`, and one `filter[f]`
 * for each field, for `filter[f][op]=v`. All are objects in the style deepObject, which OpenAPI defines for one level alone.
 * `others` is for fields that are not known.
 */
export function filterParameters(fields: readonly FilterField[], others: boolean): Record<string, Schema> {
  const equal = fields.map(([name, as]) => [name, VALUES[as]])
  const filter = {
    type: 'object',
    additionalProperties: others && VALUES.any,
    description: `By field, filter[f]=v; null is what is not there. With an operator, filter[f][op]=v: ${operatorList}. At most ten.`,
    properties: Object.fromEntries(equal),
  }
  return { filter, ...Object.fromEntries(fields.map(([name, as]) => [`filter[${name}]`, byOperator(as)])) }
}

/** A shape that is the same for all fields whose values are compared so: its title is its name. */
function byOperator(as: Comparison): Schema {
  const operators = Object.entries(OPERATORS).map(([name, { takes, description }]) => {
    const shape = takes === 'value' ? VALUES[as] : text
    return [name, description === undefined ? shape : { ...shape, description }]
  })
  return {
    title: `FilterBy${as.charAt(0).toUpperCase()}${as.slice(1)}`,
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(operators),
  }
}
