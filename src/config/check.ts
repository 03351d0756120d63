import { type Fault, keyFault, valueFault } from './faults.ts'
import type { KeyPath } from './source.ts'
import { type AnySchema, childOf, expected, hintFor, keyHint, resolved, typesOf } from './words.ts'

/** The hint at unknown features: modules that ship are looked for there, too. */
const MODULES_HINT = 'Modules are switched on by `modules: { enabled: […] }`.'

/**
 * Fills the schema's defaults into `value`, in place, and returns the violations of the schema. It supports the keywords of JSON
 * Schema that the configuration's schema uses. A validator that compiles schemas costs each command 0.1 s.
 */
export function shapeFaults(value: unknown, given: AnySchema, path: KeyPath = []): Fault[] {
  const schema = resolved(given)
  if (schema.anyOf) {
    const fits = schema.anyOf.some((choice) => shapeFaults(value, choice, path).length === 0)
    return fits ? [] : [refused(value, schema, path)]
  }
  if (!fits(value, schema)) return [refused(value, schema, path)]
  if (Array.isArray(value)) return listFaults(value, schema, path)
  return isMap(value) ? mapFaults(value, schema, path) : []
}

function mapFaults(value: Record<string, unknown>, schema: AnySchema, path: KeyPath): Fault[] {
  const faults: Fault[] = []
  for (const [key, child] of Object.entries(value)) {
    const at = childOf(schema, key)
    if (!at && schema.additionalProperties === false) faults.push(unknownKey(key, schema, path))
    if (at && child === null) value[key] = emptied(at)
  }
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(value, key) && child.default !== undefined) value[key] = structuredClone(child.default)
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(value, key)) faults.push(missing(key, schema, path))
  }
  for (const [key, child] of Object.entries(value)) {
    const at = childOf(schema, key)
    if (at) faults.push(...shapeFaults(child, at, [...path, key]))
  }
  return faults
}

function missing(key: string, schema: AnySchema, path: KeyPath): Fault {
  const wanted = childOf(schema, key)
  const hint = wanted && `Write \`${key}:\` with ${expected(wanted)}.${wanted.description ? ` It is: ${wanted.description}` : ''}`
  return keyFault(path, `: the key "${key}" is missing.`, hint)
}

function listFaults(value: unknown[], schema: AnySchema, path: KeyPath): Fault[] {
  const { items } = schema
  const faults = items ? value.flatMap((item, index) => shapeFaults(item, items, [...path, index])) : []
  if (!schema.uniqueItems) return faults
  const seen = value.map((item) => JSON.stringify(item))
  const twice = seen.findIndex((item, index) => seen.indexOf(item) !== index)
  if (twice >= 0) faults.push(valueFault([...path, twice], `is there twice: ${seen[twice]}.`))
  return faults
}

/** A section with nothing under its name means the section's defaults. */
function emptied(schema: AnySchema): unknown {
  const types = typesOf(schema)
  if (types.includes('object') && !types.includes('null')) return structuredClone(schema.default ?? {})
  if (types.includes('array') && !types.includes('null')) return structuredClone(schema.default ?? [])
  return null
}

function fits(value: unknown, schema: AnySchema): boolean {
  if (schema.const !== undefined) return value === schema.const
  if (schema.enum) return schema.enum.includes(value)
  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => isOf(type, value))) return false
  if (typeof value === 'string') return value.length >= (schema.minLength ?? 0) && matches(value, schema.pattern)
  if (typeof value === 'number') return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity)
  if (Array.isArray(value)) return value.length >= (schema.minItems ?? 0)
  return !isMap(value) || Object.keys(value).length >= (schema.minProperties ?? 0)
}

function matches(value: string, pattern: string | undefined): boolean {
  return pattern === undefined || new RegExp(pattern, 'u').test(value)
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return Number.isFinite(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isMap(value)
  return type === 'null' ? value === null : typeof value === type
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refused(value: unknown, schema: AnySchema, path: KeyPath): Fault {
  return valueFault(path, `must be ${expected(schema)}.`, hintFor(schema, value))
}

function unknownKey(key: string, schema: AnySchema, path: KeyPath): Fault {
  const hint = keyHint(key, Object.keys(schema.properties ?? {}))
  const isFeature = path.length === 1 && path[0] === 'features'
  return keyFault([...path, key], ': there is no such key.', isFeature ? `${hint} ${MODULES_HINT}` : hint)
}
