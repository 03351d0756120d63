import { formatRules, parseRules } from '#core/rules/parse.ts'
import type { Rule } from '#core/types/content-type.ts'
import type { Operation } from '#http/openapi/operations.ts'
import type { Schema } from '#http/openapi/shapes.ts'
import type { BodyRules } from '#module/routing.ts'
import type { DeclaredRoute } from './declared-routes.ts'

const ANYTHING: Schema = { type: 'object', additionalProperties: true }
/** Keys by which a schema is found elsewhere, or finds another. */
const NAMES: ReadonlySet<string> = new Set(['title', '$id', '$ref', '$schema', 'definitions', '$defs'])
/** Schemas that are nested deeper are taken for anything. */
const DEEPEST = 20

/** The schemas of values by the rules that say what they are. */
const TYPES: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  array: { type: 'array', items: {} },
  object: ANYTHING,
  email: { type: 'string', format: 'email' },
  url: { type: 'string', format: 'uri' },
  date: { type: 'string', format: 'date-time' },
  slug: { type: 'string' },
}

/** Returns a route of a module as the description of the API has it, below a heading of the module's name. */
export function describedRoute(module: string, { method, path, options, auth }: DeclaredRoute): Operation {
  const { summary, description, query, response, body } = options
  const words = [module, method.toLowerCase(), ...path.split('/').filter((part) => part !== '' && part !== 'api')]
  const takesBody = method !== 'GET' && method !== 'DELETE'
  return {
    method,
    path: path.replaceAll(/:(\w+)/g, '{$1}'),
    operationId: words.map((word) => word.replaceAll(/\W/g, '_')).join('_'),
    bodyOptional: body === undefined,
    schema: {
      tags: [module],
      summary: summary ?? `${method} ${path}`,
      ...(description !== undefined && { description }),
      ...(query !== undefined && { querystring: nameless(query) }),
      ...(takesBody && { body: body === undefined ? ANYTHING : bodySchema(body) }),
      response: { '2XX': response === undefined ? ANYTHING : nameless(response) },
      ...(auth === 'public' ? { security: [] } : auth !== 'token' && { errors: [403] }),
    },
  }
}

function bodySchema(body: BodyRules | object): Schema {
  if (!('rules' in body)) return nameless(body)
  const fields = Object.entries(body.rules as BodyRules['rules']).map(([name, text]) => ({ name, rules: parseRules(text).rules }))
  const required = fields.filter(({ rules }) => rules.some((rule) => rule.name === 'required')).map(({ name }) => name)
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(fields.map(({ name, rules }) => [name, valueSchema(rules)])),
    ...(required.length > 0 && { required }),
  }
}

function valueSchema(rules: readonly Rule[]): Schema {
  const type = rules.map(({ name }) => TYPES[name]).find((schema) => schema !== undefined) ?? {}
  const words = formatRules(rules).join(' | ')
  return { ...type, ...(words !== '' && { description: `Rules: ${words}` }) }
}

/** A schema without the names that all shapes of the API share, and without references, which lead nowhere here. */
function nameless(schema: object, depth = 0): Schema {
  if (depth > DEEPEST) return {}
  const kept = Object.entries(schema).filter(([name]) => !NAMES.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === 'properties' ? fieldsOf(value, depth) : part(value, depth)]),
  )
}

/** Names of fields are no names of shapes. */
function fieldsOf(fields: unknown, depth: number): unknown {
  if (typeof fields !== 'object' || fields === null) return {}
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, part(value, depth)]))
}

function part(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((one) => part(one, depth))
  return typeof value === 'object' && value !== null ? nameless(value, depth + 1) : value
}
