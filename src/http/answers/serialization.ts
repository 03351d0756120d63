import type { FastifySerializerCompiler } from 'fastify'

/** The parts of a JSON Schema that say what may leave. */
interface Outgoing {
  readonly properties?: Readonly<Record<string, Outgoing>>
  readonly items?: Outgoing
  readonly additionalProperties?: unknown
}

/**
 * Returns the serializers with which Fastify converts the result of a handler to JSON. Properties that the response schema does
 * not name are left out, unless it has `additionalProperties: true`. Nothing is compiled: that would take a third of the server's
 * start, and frequent responses are bytes already.
 */
export function serializers(): FastifySerializerCompiler<unknown> {
  return ({ schema }) =>
    (value) =>
      JSON.stringify(onlyNamed(schema as Outgoing, value))
}

/** Returns a value without the properties that a response schema does not name. */
export function onlyNamed(schema: Outgoing | undefined, value: unknown): unknown {
  if (schema === undefined || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => onlyNamed(schema.items, item))
  const { properties } = schema
  if (!properties) return value
  const kept = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name) || schema.additionalProperties)
  return Object.fromEntries(kept.map(([name, item]) => [name, onlyNamed(properties[name], item)]))
}
