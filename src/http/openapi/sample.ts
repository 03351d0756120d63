import type { Schema } from './shapes.ts'

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-11-20T09:00:00.000Z',
  date: '2026-11-20',
  email: 'ada@example.org',
  uri: 'https://example.org/',
}

const PLAIN: Readonly<Record<string, unknown>> = { string: 'text', integer: 1, number: 1, boolean: true, null: null }

/**
 * A value that a schema allows, to be shown: its own example where it has one, else one made of its parts. Ranges and patterns
 * are its own to see to.
 */
export function sample(schema: Schema): unknown {
  const { examples, default: usual, const: only, enum: choices, type, format } = schema
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  if (only !== undefined) return only
  if (usual !== undefined) return usual
  if (Array.isArray(choices)) return choices[0]
  const kind = Array.isArray(type) ? type[0] : type
  if (kind === 'object') return objectOf(schema)
  if (kind === 'array') return schema.items ? [sample(schema.items as Schema)] : []
  if (typeof format === 'string' && FORMATS[format]) return FORMATS[format]
  return typeof kind === 'string' ? PLAIN[kind] : null
}

function objectOf({ properties = {} }: Schema): Record<string, unknown> {
  const parts = Object.entries(properties as Record<string, Schema>)
  return Object.fromEntries(parts.map(([name, part]) => [name, sample(part)]))
}
