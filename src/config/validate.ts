import { Ajv, type ErrorObject } from 'ajv'
import { BadConfig } from '../core/errors.ts'
import { nearest } from '../lib/nearest.ts'
import type { AnySchema } from './environment.ts'
import { type Config, configSchema } from './schema.ts'
import type { KeyPath, Source } from './source.ts'

/** One thing that is wrong with a configuration. */
export interface Fault {
  path: KeyPath
  /** Whether the key or the value at the path is what is wrong. */
  part: 'key' | 'value'
  message: string
  hint?: string
}

/** Fills in the defaults, in place, and says what breaks the schema: nothing, where the value is a Config. */
export function shapeFaults(value: unknown): Fault[] {
  const ajv = new Ajv({
    allErrors: true,
    useDefaults: true,
    verbose: true,
    strict: false,
    validateSchema: false,
    allowUnionTypes: true,
  })
  const valid = ajv.validate(configSchema as AnySchema, value)
  return valid ? [] : explain(ajv.errors ?? [], value)
}

/** The error for these faults: the first in the file, well, and how many more there are. */
export function badConfig(source: Source, faults: readonly Fault[]): BadConfig {
  const placed = faults.map((fault) => ({ fault, at: source.at(fault.path, fault.part) }))
  placed.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
  const [first] = placed
  if (!first) throw new Error('There is no fault to tell.')
  const more = placed.length - 1
  const rest = more > 0 ? ` (and ${more} more ${more === 1 ? 'mistake' : 'mistakes'})` : ''
  return new BadConfig(`${first.fault.message}${rest}`, first.at, first.fault.hint)
}

/** A configuration that was found to have no faults. */
export function proven(value: unknown): Config {
  return value as Config
}

function explain(errors: readonly ErrorObject[], value: unknown): Fault[] {
  const choices = errors.filter((error) => error.keyword === 'anyOf').map((error) => error.instancePath)
  // What failed inside an anyOf says less than the anyOf itself.
  const telling = errors.filter(({ keyword, schemaPath }) => keyword === 'anyOf' || !/\/anyOf\//.test(schemaPath))
  const faults = telling.map((error) => faultOf(error, pathOf(error.instancePath, value)))
  return faults.length > 0
    ? faults
    : choices.map((path) => ({ path: pathOf(path, value), part: 'value', message: 'is not allowed' }))
}

function faultOf(error: ErrorObject, path: KeyPath): Fault {
  const schema = (error.parentSchema ?? {}) as AnySchema
  if (error.keyword === 'additionalProperties') return unknownKey(path, String(error.params.additionalProperty), schema)
  const name = path.length > 0 ? path.join('.') : 'The configuration'
  if (error.keyword === 'required')
    return { path, part: 'key', message: `${name}: the key "${error.params.missingProperty}" is missing.` }
  if (error.keyword === 'uniqueItems') return { path, part: 'value', message: `${name} holds something twice.` }
  return { path, part: 'value', message: `${name} must be ${expected(schema)}.`, ...hintOf(schema, error.data) }
}

function unknownKey(path: KeyPath, key: string, schema: AnySchema): Fault {
  const known = Object.keys((schema.properties as object | undefined) ?? {})
  const near = nearest(key, known)
  const name = [...path, key].join('.')
  const hint = near ? `Did you mean "${near}"?` : `Known keys here: ${known.join(', ')}.`
  return { path: [...path, key], part: 'key', message: `${name}: there is no such key.`, hint }
}

function hintOf(schema: AnySchema, data: unknown): { hint?: string } {
  const options = Array.isArray(schema.enum) ? schema.enum.filter((option) => typeof option === 'string') : []
  const near = typeof data === 'string' ? nearest(data, options) : undefined
  if (near) return { hint: `Did you mean "${near}"?` }
  const pattern = String(schema.pattern ?? '')
  if (typeof data === 'number' && pattern.includes('ms|s|m|h|d'))
    return { hint: `Write the unit: ${data}s, ${data}m, ${data}h or ${data}d.` }
  if (typeof data === 'string' && /^(?:on|off|yes|no)$/i.test(data)) {
    return { hint: `Write ${/^(?:on|yes)$/i.test(data) ? 'true' : 'false'}.` }
  }
  return typeof schema.description === 'string' ? { hint: schema.description } : {}
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

/** What a schema wants, as the end of "must be …". */
export function expected(schema: AnySchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.join(', ')}`
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((choice) => expected(choice as AnySchema)).join(' or ')
  const kinds = [schema.type].flat().map((kind) => KINDS[String(kind)] ?? 'something else')
  const words = kinds.join(' or ')
  if (Array.isArray(schema.examples) && [schema.type].flat().includes('string'))
    return `${words} such as ${schema.examples.join(', ')}`
  return `${words}${bounds(schema)}`
}

function bounds(schema: AnySchema): string {
  const { minimum, maximum } = schema
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `, at least ${minimum}`
  if (schema.minLength !== undefined) return ' that is not empty'
  return schema.minItems !== undefined || schema.minProperties !== undefined ? ' that is not empty' : ''
}

/** The keys of a JSON pointer; the ones that lead into lists as numbers. */
function pathOf(pointer: string, value: unknown): KeyPath {
  const path: (string | number)[] = []
  let at: unknown = value
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(at) ? Number(key) : key)
    at = (at as Record<string, unknown> | undefined)?.[key]
  }
  return path
}
