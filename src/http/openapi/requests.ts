import type { Components } from './components.ts'
import type { Operation } from './operations.ts'
import type { Trait } from './route-words.ts'
import { sample } from './sample.ts'
import type { Content, OperationObject, Parameter, Ref, Schema } from './shapes.ts'

/** Headers of requests, by what a route does. */
export const REQUEST_HEADERS: Readonly<Record<string, Parameter>> = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of what the client has: 304 where that is still so.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag or version that the change is about: 412 where it is not the current one any more.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'For 24 hours, the same request with the same key is answered as the first time, and not done again.',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
}

const HEADER_OF: Readonly<Partial<Record<Trait, string>>> = {
  etag: 'IfNoneMatch',
  'if-match': 'IfMatch',
  'idempotency-key': 'IdempotencyKey',
}

/** The parameters of an operation. */
export function parametersOf({ path, schema }: Operation, components: Components): (Parameter | Ref)[] {
  const headers = (schema.traits ?? []).flatMap((trait) => HEADER_OF[trait] ?? [])
  return [
    ...pathParameters(path, propertiesOf(schema.params)),
    ...queryParameters((schema.querystring ?? {}) as Schema, components),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
}

function pathParameters(path: string, said: Readonly<Record<string, Schema>>): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description, ...schema } = said[name] ?? { type: 'string' }
    return { name, in: 'path', required: true, ...(typeof description === 'string' && { description }), schema }
  })
}

/** The parameters of a query by its schema. */
export function queryParameters(query: Schema, components: Components): Parameter[] {
  const required = Array.isArray(query.required) ? query.required : []
  const named = Object.entries(propertiesOf(query)).map(([name, { description, ...rest }]): Parameter => {
    const schema = components.use(rest)
    const deep = rest.type === 'object' ? { style: 'deepObject', explode: true } : {}
    const isRequired = required.includes(name)
    return {
      name,
      in: 'query',
      ...(isRequired && { required: true }),
      ...(typeof description === 'string' && { description }),
      ...deep,
      schema,
    }
  })
  return [...named, ...freeParameters(query.additionalProperties)]
}

/** Returns parameters whose names the schema does not know: an object in the query without a name of its own. */
function freeParameters(rest: unknown): Parameter[] {
  if (typeof rest !== 'object' || rest === null) return []
  const { title, description, ...values } = rest as Schema
  const schema = { type: 'object', additionalProperties: values }
  return [{ name: String(title), in: 'query', description: String(description), style: 'form', explode: true, schema }]
}

function propertiesOf(schema: unknown): Readonly<Record<string, Schema>> {
  return ((schema ?? {}) as { properties?: Record<string, Schema> }).properties ?? {}
}

/** The body that an operation takes; nothing where it takes none. */
export function requestBodyOf(
  { schema: { body }, bodyOptional = false }: Operation,
  components: Components,
): OperationObject['requestBody'] {
  if (body === undefined) return undefined
  const content = contentOf(body as Schema, components)
  return { required: !bodyOptional, content }
}

/** The content types of a body, which may be said one by one (`content`), as Fastify has it. */
export function contentOf(body: Schema, components: Components): Content {
  const types = (body.content ?? { 'application/json': { schema: body } }) as Readonly<Record<string, { schema: Schema }>>
  const media = Object.entries(types).map(([name, { schema }]) => [
    name,
    { schema: components.use(schema), ...exampleOf(name, schema) },
  ])
  return Object.fromEntries(media)
}

function exampleOf(type: string, schema: Schema): { example?: unknown } {
  return type.endsWith('json') ? { example: sample(schema) } : {}
}
