import { nearest } from '#lib/text/nearest.ts'
import { definitions } from './schema/content.ts'

/** A JSON Schema, as far as it is looked into here. */
export interface AnySchema {
  /** The name of a definition: `#/definitions/field`, which holds alone. */
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly AnySchema[]
  readonly properties?: Readonly<Record<string, AnySchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | AnySchema
  readonly items?: AnySchema
  readonly uniqueItems?: boolean
  readonly minItems?: number
  readonly minProperties?: number
  readonly minLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly description?: string
}

const NAMED: Readonly<Record<string, AnySchema>> = Object.fromEntries(
  Object.entries(definitions).map(([name, schema]) => [`#/definitions/${name}`, schema]),
)

/** The schema that a schema stands for: the definition it refers to, or itself. */
export function resolved(schema: AnySchema): AnySchema {
  return schema.$ref === undefined ? schema : (NAMED[schema.$ref] ?? schema)
}

/** The schema of the value that `key` has in an object of `schema`; undefined where it has none. */
export function childOf(schema: AnySchema | undefined, key: string): AnySchema | undefined {
  const isNamed = schema?.properties && Object.hasOwn(schema.properties, key)
  const child = isNamed ? schema.properties[key] : schema?.additionalProperties
  return typeof child === 'object' ? resolved(child) : undefined
}

/** The types a schema names; none where it names no type. */
export function typesOf(schema: AnySchema): readonly string[] {
  if (schema.type === undefined) return []
  return typeof schema.type === 'string' ? [schema.type] : schema.type
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys and values',
  null: 'null',
}

/** Describes the values that a schema expects, as the end of "must be …". */
export function expected(schema: AnySchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (schema.anyOf) return schema.anyOf.map(expected).join(' or ')
  const kinds = typesOf(schema)
  const words = kinds
    .map((kind) => (isAddress(schema) && kind === 'string' ? 'an address' : (KINDS[kind] ?? 'something else')))
    .join(' or ')
  if (kinds.includes('string') && schema.examples) return `${words} such as ${schema.examples.join(', ')}`
  return words.replace(/(?= or null$)|$/, bounds(schema))
}

function isAddress({ pattern }: AnySchema): boolean {
  return pattern?.startsWith('^https?://') === true
}

function bounds({ minimum, maximum, minLength, minItems, minProperties }: AnySchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `, at least ${minimum}`
  return (minLength ?? minItems ?? minProperties) ? ' that is not empty' : ''
}

/** Returns a hint for a value that its schema rejects. */
export function hintFor(schema: AnySchema, value: unknown): string | undefined {
  const options = (schema.enum ?? []).filter((option) => typeof option === 'string')
  const near = typeof value === 'string' ? nearest(value, options) : undefined
  if (near) return `Did you mean "${near}"?`
  if (typeof value === 'number' && schema.pattern?.includes('[smhd]'))
    return `Write the unit: ${value}s, ${value}m, ${value}h or ${value}d.`
  if (typeof value === 'number' && schema.pattern?.includes('KiB')) return `Write the unit: ${value}KiB or ${value}MiB.`
  if ((typesOf(schema).includes('boolean') || schema.enum?.includes(true)) && /^(?:on|off|yes|no)$/i.test(String(value))) {
    return `Write ${/^(?:on|yes)$/i.test(String(value)) ? 'true' : 'false'}.`
  }
  return allowed(schema) ?? (schema.description === undefined ? undefined : `What belongs here: ${schema.description}`)
}

/** Returns an example of a value that a schema allows. Undefined if none can be shown. */
function allowed(schema: AnySchema): string | undefined {
  const { minimum, maximum, properties, examples, default: usual } = schema
  if (schema.pattern?.startsWith('^(off|[1-9]')) return limit(usual === 'off' ? '600,1' : String(usual))
  if (minimum !== undefined) return maximum === undefined ? `At least ${minimum}.` : `From ${minimum} to ${maximum}.`
  if (typesOf(schema).includes('object')) return properties && `The keys under it: ${Object.keys(properties).join(', ')}.`
  const sample = examples?.[0] ?? usual ?? schema.enum?.[0]
  return sample === undefined ? undefined : `For instance ${typeof sample === 'string' ? sample : JSON.stringify(sample)}.`
}

function limit(text: string): string {
  const [count, minutes] = text.split(',')
  return `Write "${text}": ${count} requests in ${minutes === '1' ? 'a minute' : `${minutes} minutes`}, or off.`
}

/** Returns a hint for an unknown key. */
export function keyHint(key: string, known: readonly string[], what = 'Known keys here'): string {
  const near = nearest(key, known)
  if (near) return `Did you mean "${near}"?`
  return known.length > 0 ? `${what}: ${known.join(', ')}.` : 'None is known here.'
}
