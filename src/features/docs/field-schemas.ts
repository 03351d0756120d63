import type { Field, FieldType, Rule } from '#core/content-type.ts'
import type { Schema } from '#http/openapi/shapes.ts'

const text = { type: 'string' }

/** The JSON Schema of a value, by type of field. */
const TYPES: Readonly<Record<FieldType, Schema>> = {
  text,
  markdown: { ...text, description: 'Markdown.' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  date: { ...text, format: 'date' },
  datetime: { ...text, format: 'date-time' },
  select: text,
  list: { type: 'array', items: {} },
  object: { type: 'object', additionalProperties: true },
  reference: { ...text, description: 'The id of a record.' },
  media: { ...text, description: 'The path or id of a file.' },
  slug: text,
  email: { ...text, format: 'email' },
  url: { ...text, format: 'uri' },
  color: { ...text, pattern: '^#(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$' },
  json: {},
}

/** Returns whether a value must be sent when a record is created. */
export function isRequired({ rules }: Field): boolean {
  return rules.some((rule) => rule.name === 'required')
}

/**
 * Returns the schema of the values that may be sent for a field. It leaves out what only the site can check (a value that no
 * other record has, an id that exists).
 */
export function inputSchema(field: Field): Schema {
  const base = TYPES[field.type]
  const options = field.options && field.type === 'select' ? { enum: field.options } : {}
  const limits = field.rules.map((rule) => limitOf(rule, base))
  return Object.assign({}, base, describedAs(field, base), options, ...limits)
}

/**
 * Returns the schema of a field's value in a response: null if there is none. An included reference is the record it leads to,
 * `target`.
 */
export function outputSchema(field: Field, target: Schema): Schema {
  const base = TYPES[field.type]
  const description = describedAs(field, base)
  if (field.type === 'json') return description
  if (field.type === 'reference') return { anyOf: [text, target, { type: 'null' }], ...description }
  const options = field.type === 'select' && field.options ? { enum: field.options } : {}
  return orNull({ ...base, ...description, ...options })
}

/** Returns the schema with null, which removes the value. */
export function orNull(schema: Schema): Schema {
  const { type, enum: choices } = schema
  return {
    ...schema,
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(Array.isArray(choices) && { enum: [...choices, null] }),
  }
}

function describedAs({ label, type, to }: Field, { description }: Schema): Schema {
  const kind = type === 'reference' && to !== undefined ? `The id of a record of the type "${to}".` : description
  return { description: kind === undefined ? `${label}.` : `${label}. ${kind}` }
}

function limitOf({ name, argument = '' }: Rule, { type }: Schema): Schema {
  const [least, most] = LIMITS[String(type)] ?? []
  if (least === undefined || most === undefined) return {}
  const [first, second] = argument.split(',').map(Number)
  if (name === 'min') return { [least]: first }
  if (name === 'max') return { [most]: first }
  if (name === 'between') return { [least]: first, [most]: second }
  return name === 'in' && type === 'string' ? { enum: argument.split(',').map((choice) => choice.trim()) } : {}
}

/** JSON Schema keywords for the least and greatest size, by type. */
const LIMITS: Readonly<Record<string, readonly [string, string]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
}
