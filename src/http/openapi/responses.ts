import { STATUS_CODES } from 'node:http'
import type { Components } from './components.ts'
import { ERRORS, type ErrorStatus, errorRef } from './errors.ts'
import type { Operation } from './operations.ts'
import { contentOf } from './requests.ts'
import type { Header, Ref, Response, Schema } from './shapes.ts'

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }

/** Headers of answers, by name. */
export const RESPONSE_HEADERS: Readonly<Record<string, Header>> = {
  'X-Request-Id': { description: 'The id of the request, as the server’s log has it.', required: true, schema: text },
  ETag: {
    description: 'The version, in quotes; with more after a dash where the answer depends on more.',
    required: true,
    schema: text,
  },
  Location: { description: 'The address of what was made, or where to go.', required: true, schema: text },
  'WWW-Authenticate': { description: 'The scheme, and what is wrong with the token (RFC 6750).', required: true, schema: text },
  'Retry-After': { description: 'In how many seconds to try again.', required: true, schema: count },
  'RateLimit-Limit': { description: 'How many requests are answered in the period. Where they are counted.', schema: count },
  'RateLimit-Remaining': { description: 'How many are left. Where they are counted.', schema: count },
  'RateLimit-Reset': { description: 'In how many seconds the next period begins. Where they are counted.', schema: count },
}

const COUNTED = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/** Returns whether an operation needs a token. */
export function takesToken({ path, schema }: Operation): boolean {
  return path.startsWith('/api/') && schema.security === undefined
}

/** Every answer of an operation, by status. */
export function responsesOf(operation: Operation, components: Components): Record<string, Response | Ref> {
  const { response, traits = [] } = operation.schema
  const good = Object.entries((response ?? {}) as Record<string, Schema>).map(([status, schema]): [string, Response] => {
    return [status, successOf(operation, status, schema, components)]
  })
  const known: [string, Response][] = traits.includes('etag')
    ? [['304', { description: 'It is as the client has it.', headers: headerRefs(['X-Request-Id', 'ETag', ...COUNTED]) }]]
    : []
  const bad = errorsOf(operation).map((status): [string, Ref] => [String(status), errorRef(status, traits.includes('by-id'))])
  return Object.fromEntries([...good, ...known, ...bad])
}

function successOf(operation: Operation, status: string, schema: Schema, components: Components): Response {
  const description = typeof schema.description === 'string' ? schema.description : (STATUS_CODES[status] ?? 'An answer')
  const headers = headerRefs(successHeaders(operation, status))
  return hasBody(schema) ? { description, headers, content: contentOf(schema, components) } : { description, headers }
}

function hasBody({ type, content, properties, $ref }: Schema): boolean {
  return (type ?? content ?? properties ?? $ref) !== undefined && type !== 'null'
}

function successHeaders({ path, schema: { traits = [] } }: Operation, status: string): string[] {
  const isVersioned = traits.includes('etag') || traits.includes('version')
  const isLocated = traits.includes('location') || status.startsWith('3')
  return [
    'X-Request-Id',
    // What leads elsewhere has no bytes to know again.
    ...(isVersioned && !status.startsWith('3') ? ['ETag'] : []),
    ...(isLocated ? ['Location'] : []),
    ...(path.startsWith('/api/') ? COUNTED : []),
  ]
}

function headerRefs(names: readonly string[]): Record<string, Ref> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The errors that an operation answers: what it says itself, and what follows from what it takes. */
export function errorsOf(operation: Operation): ErrorStatus[] {
  const { method, path, schema } = operation
  const { errors = [], traits = [], querystring, body } = schema
  const isChange = method !== 'GET' && path.startsWith('/api/')
  const takesQuery = Object.keys((querystring as { properties?: object } | undefined)?.properties ?? {}).length > 0
  const all: ErrorStatus[] = [
    ...errors,
    ...(path.startsWith('/api/') ? ([400, 429, 500, 503] as const) : []),
    ...(takesToken(operation) ? ([401, 406] as const) : []),
    ...(path.includes('{') ? ([404, 414] as const) : []),
    ...(takesQuery ? ([422] as const) : []),
    ...(body ? ([413, 415, 422] as const) : []),
    ...(isChange ? ([507] as const) : []),
    ...(traits.includes('if-match') ? ([412] as const) : []),
    ...(traits.includes('idempotency-key') ? ([409, 422] as const) : []),
  ]
  return [...new Set(all)].filter((status) => status in ERRORS).sort((a, b) => a - b)
}
