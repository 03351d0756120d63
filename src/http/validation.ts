import { Ajv, type ErrorObject } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { type FieldErrors, InvalidInput } from '../core/errors.ts'
import { type QuerySchema, queryCheck } from './query.ts'

/**
 * How Fastify checks what comes in: queries by name (values are the feature's), bodies against their schema as they are. Nothing is coerced,
 * nothing removed, and what is wrong is InvalidInput by field.
 */
export function validators(): FastifySchemaCompiler<object> {
  let ajv: Ajv | undefined
  return ({ schema, httpPart }) => {
    if (httpPart === 'querystring') return queryCheck(schema as QuerySchema)
    if (httpPart !== 'body') return () => true
    ajv ??= new Ajv({ allErrors: false, coerceTypes: false, removeAdditional: false, useDefaults: false, strict: true })
    const check = ajv.compile(schema)
    return (body: unknown) => (check(body) ? true : { error: new InvalidInput(messages(check.errors ?? [])) })
  }
}

function messages(errors: readonly ErrorObject[]): FieldErrors {
  return Object.fromEntries(errors.map((error) => [fieldOf(error), [messageOf(error)]]))
}

function fieldOf({ keyword, params, instancePath }: ErrorObject): string {
  if (keyword === 'required') return String(params.missingProperty)
  if (keyword === 'additionalProperties') return String(params.additionalProperty)
  return instancePath.split('/')[1] || 'body'
}

function messageOf(error: ErrorObject): string {
  const name = fieldOf(error)
  if (error.keyword === 'required') return `The ${name} is required.`
  if (error.keyword === 'additionalProperties') return `There is no field "${name}".`
  return `The ${name} ${error.message ?? 'is not valid'}.`
}
