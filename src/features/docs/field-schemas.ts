import type { Field, FieldType, Rule } from '#core/types/content-type.ts'
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
  url: { ...text, format: 'uri-reference' },
  color: { ...text, pattern: '^#(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$' },
  json: {},
}

/** Returns whether a value must be sent when a record is created. */
export function isRequired({ rules }: Field): boolean {
  return rules.some((rule) => rule.name === 'required')
}

/** `takesOthers`: objects take keys that are not among their fields, as the type does. */
interface Taking {
  readonly takesOthers: boolean
}

/**
 * Returns the schema of the values that may be sent for a field, as deep as it is declared. It leaves out what only the site can
 * check (a value that no other record has, an id that exists).
 */
export function inputSchema(field: Field, taking: Taking): Schema {
  if (field.multiple) return listOf(field, (one) => inputSchema(one, taking))
  const base = TYPES[field.type]
  const options = field.options && field.type === 'select' ? { enum: field.options } : {}
  const limits = field.rules.map((rule) => limitOf(rule, base))
  return Object.assign({}, base, describedAs(field, base), options, inputParts(field, taking), ...limits)
}

function inputParts({ of, fields }: Field, taking: Taking): Schema {
  if (of) return { items: nullableItem(of, inputSchema(of, taking)) }
  if (!fields) return {}
  const parts = [...fields.values()]
  const required = parts.filter(isRequired).map(({ name }) => name)
  return {
    properties: Object.fromEntries(
      parts.map((part) => [part.name, isRequired(part) ? inputSchema(part, taking) : orNull(inputSchema(part, taking))]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: taking.takesOthers,
  }
}

function nullableItem({ rules }: Field, schema: Schema): Schema {
  return rules.some(({ name }) => name === 'nullable') ? orNull(schema) : schema
}

/**
 * Returns the schema of a field's value in a response: null if there is none. An included reference is the record it leads to,
 * `target`; a reference within an object is an id.
 */
export function outputSchema(field: Field, target?: Schema): Schema {
  if (field.multiple) return orNull(listOf(field, (one) => outputSchema(one, target)))
  const base = TYPES[field.type]
  const description = describedAs(field, base)
  if (field.type === 'json') return description
  if (field.type === 'reference') return { anyOf: [text, ...(target ? [target] : []), { type: 'null' }], ...description }
  const options = field.type === 'select' && field.options ? { enum: field.options } : {}
  return orNull({ ...base, ...description, ...options, ...outputParts(field, target) })
}

function outputParts({ of, fields }: Field, target: Schema | undefined): Schema {
  if (of) return { items: outputSchema(of, target) }
  if (!fields) return {}
  return { properties: Object.fromEntries([...fields.values()].map((part) => [part.name, outputSchema(part)])) }
}

/** The list of values that a field with `multiple` is; its rules of size are the list's. */
function listOf(field: Field, itemOf: (one: Field) => Schema): Schema {
  const { multiple: _, ...one } = field
  const base = { type: 'array' }
  const sizes = field.rules.filter(({ name }) => name !== 'in').map((rule) => limitOf(rule, base))
  const others = field.rules.filter(({ name }) => !['min', 'max', 'between', 'required'].includes(name))
  return Object.assign({}, base, describedAs(field, {}), { items: itemOf({ ...one, rules: others }) }, ...sizes)
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

function describedAs({ label, help, type, to }: Field, { description }: Schema): Schema {
  const kind = type === 'reference' && to !== undefined ? `The id of a record of the type "${to}".` : description
  return { description: [`${label}.`, help, kind].filter((part) => part !== undefined).join(' ') }
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
