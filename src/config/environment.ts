import { badConfig, type Fault } from './faults.ts'
import type { KeyPath, Source } from './source.ts'
import { type AnySchema, childOf, typesOf } from './words.ts'

const NAME = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/**
 * The configuration with `${NAME}` and `${NAME:-default}` filled in, a copy. What stands where the schema wants no string becomes
 * the number, true, false or null that it spells. Values at `unused` paths stay as they are. Throws BadConfig where variables are
 * not set and have no default.
 */
export function substitute(
  source: Source,
  schema: AnySchema,
  env: NodeJS.ProcessEnv,
  unused: (path: KeyPath) => boolean,
): unknown {
  const unset: Fault[] = []
  const walk = (value: unknown, path: KeyPath, at: AnySchema | undefined): unknown => {
    if (typeof value === 'string') return unused(path) ? value : fill(value, path, at)
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index], at?.items))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, walk(child, [...path, key], childOf(at, key))]))
  }
  const fill = (value: string, path: KeyPath, at: AnySchema | undefined): string | number | boolean | null => {
    if (!value.includes('${')) return value
    const text = expand(value, env, (name) => {
      unset.push(notSet(path, name))
      return ''
    })
    return wantsString(at) ? text : plain(text)
  }
  const whole = walk(source.value, [], schema)
  if (unset.length > 0) throw badConfig(source, unset)
  return whole
}

/**
 * The text at a path with its `${NAME}` filled in. Throws BadConfig, with the place, where a variable is not set and has no
 * default.
 */
export function filled(text: string, source: Source, path: KeyPath, env: NodeJS.ProcessEnv): string {
  return expand(text, env, (name) => {
    throw badConfig(source, [notSet(path, name)])
  })
}

/**
 * `text` with its `${NAME}` filled in; `missing` stands in for a variable that is not set and has no default. An empty one counts
 * as not set where there is a default.
 */
function expand(text: string, env: NodeJS.ProcessEnv, missing: (name: string) => string): string {
  return text.replaceAll(NAME, (_, name: string, otherwise: string | undefined) => {
    const set = env[name]
    if (set !== undefined && (set !== '' || otherwise === undefined)) return set
    return otherwise ?? missing(name)
  })
}

function notSet(path: KeyPath, name: string): Fault {
  const hint = `Set ${name}, or give a default: \${${name}:-…}.`
  return { path, part: 'value', message: `${path.join('.')}: the environment variable ${name} is not set.`, hint }
}

function wantsString(schema: AnySchema | undefined): boolean {
  if (!schema) return true
  if (schema.anyOf) return schema.anyOf.some(wantsString)
  if (schema.enum) return !schema.enum.some((option) => typeof option === 'boolean')
  const types = typesOf(schema)
  return schema.const === undefined && (types.length === 0 || types.includes('string'))
}

function plain(text: string): string | number | boolean | null {
  if (/^-?[0-9]{1,15}(?:\.[0-9]+)?$/.test(text)) return Number(text)
  if (text === 'true') return true
  if (text === 'false') return false
  return text === 'null' ? null : text
}
