import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import { type QuerySchema, queryCheck } from './query.ts'

/** A check: true, or the error. */
type Check = (value: unknown) => true | { error: Error }

/**
 * Returns the validators with which Fastify checks requests: queries by name (values are up to the feature), bodies against their
 * schema as they are. Nothing is coerced or removed, and problems are reported as InvalidInput by field.
 */
export function validators(): FastifySchemaCompiler<object> {
  let made: Promise<Ajv> | undefined
  const compile = async (schema: object): Promise<Check> => {
    made ??= newAjv()
    const valid = (await made).compile(schema)
    return (body) => valid(body) || { error: new InvalidInput(messages(valid.errors ?? [])) }
  }
  return ({ schema, httpPart }) => {
    if (httpPart === 'querystring') return queryCheck(schema as QuerySchema)
    return httpPart === 'body' ? bodyCheck(() => compile(schema)) : () => true
  }
}

/** Checks values against JSON Schemas of others, each compiled when it is first needed. */
export class SchemaChecks {
  readonly #compiled = new WeakMap<object, Promise<ValidateFunction>>()
  #ajv: Promise<Ajv> | undefined

  /** Resolves with what is wrong with a value, by field; undefined where nothing is. Rejects for a schema that is none. */
  async errors(schema: object, value: unknown): Promise<FieldErrors | undefined> {
    const valid = await this.#valid(schema)
    return valid(value) ? undefined : messages(valid.errors ?? [])
  }

  #valid(schema: object): Promise<ValidateFunction> {
    const known = this.#compiled.get(schema)
    if (known) return known
    this.#ajv ??= newAjv()
    const made = this.#ajv.then((ajv) => ajv.compile(schema))
    this.#compiled.set(schema, made)
    return made
  }
}

/** Compiled when the first body comes: a server that is only read from starts sooner. */
function bodyCheck(compile: () => Promise<Check>): ReturnType<FastifySchemaCompiler<object>> {
  let check: Check | undefined
  const result = (body: unknown): ReturnType<Check> | Promise<true> => {
    if (check) return check(body)
    return compile().then((made) => {
      check = made
      const first = made(body)
      // Fastify takes a fault only as a rejection here.
      if (first !== true) throw first.error
      return true as const
    })
  }
  // Its types know only promises of a brand of their own.
  return result as ReturnType<FastifySchemaCompiler<object>>
}

/**
 * Takes schemas for right: to check one against the schema of schemas takes 30 times as long as to compile it, and the tests of
 * OpenAPI do that.
 */
async function newAjv(): Promise<Ajv> {
  const { Ajv } = await import('ajv')
  const strictness = { allErrors: false, coerceTypes: false, removeAdditional: false, useDefaults: false, strict: true }
  return new Ajv({ ...strictness, meta: false, validateSchema: false })
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
  return `The ${name} ${wordsOf(error)}.`
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
  null: 'null',
}

type Params = Readonly<Record<string, unknown>>

/** Messages for a value that breaks a schema keyword, as the end of "The title …". */
const WORDS: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `must be ${[type].flat().map(kindOf).join(' or ')}`,
  enum: ({ allowedValues }) => `must be one of ${[allowedValues].flat().map(String).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `may be at most ${limit}`,
  minLength: ({ limit }) => atLeast(limit, 'characters'),
  maxLength: ({ limit }) => `may have at most ${limit} characters`,
  minItems: ({ limit }) => atLeast(limit, 'entries'),
  maxItems: ({ limit }) => `may have at most ${limit} ${limit === 1 ? 'entry' : 'entries'}`,
  minProperties: ({ limit }) => atLeast(limit, 'fields'),
  maxProperties: ({ limit }) => `may have at most ${limit} ${limit === 1 ? 'field' : 'fields'}`,
  uniqueItems: () => 'must not have the same entry twice',
}

function wordsOf({ keyword, params }: ErrorObject): string {
  return WORDS[keyword]?.(params) ?? 'is not of the form that is asked for'
}

function kindOf(type: unknown): string {
  return KINDS[String(type)] ?? 'something else'
}

function atLeast(limit: unknown, what: string): string {
  return limit === 1 ? 'must not be empty' : `must have at least ${limit} ${what}`
}
