import type { FastifySerializerCompiler } from 'fastify'

/** The parts of a JSON Schema that say what may leave. */
interface Outgoing {
  readonly properties?: Readonly<Record<string, Outgoing>>
  readonly items?: Outgoing
  readonly additionalProperties?: unknown
}

/**
 * How Fastify turns what a handler returns into JSON: what the response schema does not name stays here, unless it says `additionalProperties: true`.
 * Nothing is compiled: that would take a third of the server's start, and what is asked for often is bytes already.
 */
export function serializers(): FastifySerializerCompiler<unknown> {
  return ({ schema }) =>
    (value) =>
      JSON.stringify(only(schema as Outgoing, value))
}

function only(schema: Outgoing | undefined, value: unknown): unknown {
  if (schema === undefined || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => only(schema.items, item))
  const { properties } = schema
  if (!properties) return value
  const kept = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name) || schema.additionalProperties)
  return Object.fromEntries(kept.map(([name, item]) => [name, only(properties[name], item)]))
}
