import { OWN_KEYS } from '#core/format/names.ts'
import { ownKeyIn } from '#core/queries/comparison.ts'
import { OPERATOR_NAMES, OPERATORS } from '#core/queries/operators.ts'
import type { Comparison, Condition } from '#core/queries/query.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { comparisonOf } from '#core/types/types.ts'
import { nameParts } from '#http/requests/url-encoded.ts'
import { BadRequest } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { nearest } from '#lib/text/nearest.ts'
import { indexFault } from '../names.ts'

/** One `filter[field][op]=value`: the condition it stands for, or what is wrong with its value, as a sentence. */
export interface Filter {
  readonly name: string
  readonly condition?: Condition
  readonly fault?: string
}

/** Most characters of a part that is looked for: looking takes as many steps as both texts multiplied. */
const LONGEST_PART = 256

/** Reads one filter; throws BadRequest where the field or the operator is not known. `null` as a value means "not set". */
export function filterOf(type: ContentType, name: string, text: string): Filter {
  const [field, word] = partsOf(name)
  const op = OPERATOR_NAMES.find((known) => known === word)
  if (!op) throw new BadRequest(unknownOperator(name, word))
  const fault = ownKeyIn(field) === undefined ? indexFault(type, field) : undefined
  if (fault) throw new BadRequest(`${name}: ${fault}`)
  const as = comparisonOf(field, type.fields)
  const { takes, takesNull } = OPERATORS[op]
  if (text === 'null' && takesNull) return { name, condition: { field, op, value: null, as } }
  const texts = takes === 'list' ? text.split(',').map((item) => item.trim()) : [text]
  if (takes === 'text' && text.length > LONGEST_PART)
    return { name, fault: `The ${name} must have at most ${LONGEST_PART} characters.` }
  const values = texts.map((item) => (takes === 'text' ? item : parsed(item, as)))
  if (values.includes(undefined)) return { name, fault: `The ${name} must be ${WORDS[as]}.` }
  const known = values.filter((value) => value !== undefined)
  return { name, condition: { field, op, value: takes === 'list' ? known : (known[0] ?? null), as } }
}

/**
 * The field and the operator of `filter[field][op]`; what stands in `own` is a field by the name of both, as `fieldOf` knows it.
 */
function partsOf(name: string): [field: string, operator: string] {
  const [, field, word, ofOwn, ...more] = nameParts(name) ?? []
  const isForm = field && word !== '' && ofOwn !== '' && more.length === 0
  if (isForm && field === 'own' && word !== undefined) return [ownKey(name, word), ofOwn ?? 'eq']
  if (isForm && ofOwn === undefined) return [field, word ?? 'eq']
  throw new BadRequest(`The parameter "${name}" is not of the form filter[field] or filter[field][op].`)
}

function ownKey(name: string, key: string): string {
  if (OWN_KEYS.includes(key)) return `own[${key}]`
  throw new BadRequest(`${name}: there is no key "${key}" in own. Known are ${OWN_KEYS.join(', ')}.`)
}

function unknownOperator(name: string, word: string): string {
  const near = nearest(word, OPERATOR_NAMES)
  return `${name}: there is no operator "${word}". ${near ? `Did you mean "${near}"?` : `Known are ${OPERATOR_NAMES.join(', ')}.`}`
}

const WORDS: Readonly<Record<Comparison, string>> = {
  text: 'a text',
  any: 'a text',
  number: 'a number',
  boolean: 'true or false',
  instant: 'a date (2026-01-31) or a time (2026-01-31T12:00:00Z)',
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:\d{2})?)?$/

function parsed(text: string, as: Comparison): Json | undefined {
  if (as === 'number') return /^-?\d+(?:\.\d+)?$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined
  if (as === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  if (as === 'instant') return instant(text)
  return text
}

/** A time without an offset is UTC; a `+` that a form decoded to a space is read as one. */
function instant(text: string): string | undefined {
  const plus = text.replace(/ (\d{2}:\d{2})$/, (whole, zone: string) => (text.length > 16 ? `+${zone}` : whole)).replace(' ', 'T')
  if (!INSTANT.test(plus)) return undefined
  const zoned = plus.length > 10 && !/(?:[Zz]|[+-]\d{2}:\d{2})$/.test(plus) ? `${plus}Z` : plus
  const time = Date.parse(zoned)
  // A day that Date takes for another (February 30) is refused.
  if (!isDay(plus.slice(0, 10))) return undefined
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
