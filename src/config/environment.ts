import { BadConfig } from '../core/errors.ts'
import type { KeyPath, Source } from './source.ts'

/** A JSON Schema, as far as it is looked into here. */
export interface AnySchema {
  readonly [keyword: string]: unknown
}

const NAME = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/**
 * The configuration with `${NAME}` and `${NAME:-default}` filled in. A value that stands where the schema wants no string becomes the number,
 * true, false or null that it spells. Throws BadConfig where a variable is not set and has no default.
 */
export function substitute(
  source: Source,
  schema: AnySchema,
  env: NodeJS.ProcessEnv,
  unused: (path: KeyPath) => boolean,
): unknown {
  const walk = (value: unknown, path: KeyPath, at: AnySchema | undefined): unknown => {
    if (typeof value === 'string') return unused(path) ? value : fill(value, path, at)
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index], at?.items as AnySchema | undefined))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, walk(child, [...path, key], childOf(at, key))]))
  }
  const fill = (value: string, path: KeyPath, at: AnySchema | undefined): string | number | boolean | null => {
    if (!value.includes('${')) return value
    const filled = value.replaceAll(NAME, (_, name: string, otherwise: string | undefined) => {
      const set = env[name]
      if (set !== undefined && (set !== '' || otherwise === undefined)) return set
      if (otherwise !== undefined) return otherwise
      const hint = `Set ${name}, or give a default: \${${name}:-…}.`
      throw new BadConfig(`${path.join('.')}: the environment variable ${name} is not set.`, source.at(path), hint)
    })
    return wantsString(at) ? filled : plain(filled)
  }
  return walk(source.value, [], schema)
}

function childOf(schema: AnySchema | undefined, key: string): AnySchema | undefined {
  const properties = schema?.properties as Record<string, AnySchema> | undefined
  if (properties && Object.hasOwn(properties, key)) return properties[key]
  return typeof schema?.additionalProperties === 'object' ? (schema.additionalProperties as AnySchema) : undefined
}

function wantsString(schema: AnySchema | undefined): boolean {
  if (!schema) return true
  const types = [schema.type].flat()
  if (types.includes('string')) return true
  const choices = (schema.anyOf ?? []) as AnySchema[]
  if (choices.length > 0) return choices.some(wantsString)
  return types[0] === undefined && !(Array.isArray(schema.enum) && schema.enum.includes(true)) && schema.const === undefined
}

function plain(text: string): string | number | boolean | null {
  if (/^-?[0-9]{1,15}(?:\.[0-9]+)?$/.test(text)) return Number(text)
  if (text === 'true') return true
  if (text === 'false') return false
  return text === 'null' ? null : text
}
