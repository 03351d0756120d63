import type { JSONSchema } from 'json-schema-to-ts'
import type { Ref, Response } from './shapes.ts'

/** The shape of every error: a label for the status, and a sentence. */
export const errorShape = {
  title: 'Error',
  type: 'object',
  required: ['error', 'message'],
  additionalProperties: false,
  properties: {
    error: { type: 'string', description: 'The label of the status.' },
    message: { type: 'string', description: 'What is wrong, as a sentence.' },
  },
} as const satisfies JSONSchema

const invalid = {
  ...errorShape,
  title: 'ValidationError',
  properties: {
    ...errorShape.properties,
    errors: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
      description: 'What is wrong with each field. Not there where a record’s file can not be read.',
    },
  },
} as const satisfies JSONSchema

/** The shape of an error about several things. */
const byId = {
  ...errorShape,
  title: 'ErrorById',
  properties: {
    ...errorShape.properties,
    errors: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
      description: 'What is wrong with each, by its id; with the request itself, by field. Not there where it is none of these.',
    },
  },
} as const satisfies JSONSchema

const fields = { type: ['object', 'null'], additionalProperties: true } as const

const conflict = {
  ...errorShape,
  title: 'ConflictError',
  properties: {
    ...errorShape.properties,
    conflict: {
      anyOf: [
        {
          title: 'Overlap',
          type: 'object',
          required: ['fields', 'base', 'yours', 'theirs'],
          additionalProperties: false,
          description:
            'Where edits overlap: the fields, as they were in the version that was started from, as they were sent, and as they are.',
          properties: { fields: { type: 'array', items: { type: 'string' } }, base: fields, yours: fields, theirs: fields },
        },
        {
          title: 'Taken',
          type: 'object',
          required: ['field', 'value'],
          additionalProperties: false,
          description: 'Where a value that must be unique is another’s.',
          properties: { field: { type: 'string' }, value: { type: 'string' } },
        },
        {
          title: 'InUse',
          type: 'object',
          required: ['used_by'],
          additionalProperties: false,
          description: 'Where something is not removed for what uses it.',
          properties: {
            used_by: {
              type: 'array',
              items: {
                type: 'object',
                required: ['type', 'id'],
                additionalProperties: false,
                properties: { type: { type: 'string' }, id: { type: 'string' } },
              },
            },
          },
        },
      ],
    },
  },
} as const satisfies JSONSchema

interface ErrorKind {
  readonly name: string
  readonly label: string
  readonly when: string
  readonly message: string
  readonly shape?: object
  readonly more?: object
  readonly headers?: readonly string[]
}

const COUNTED = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/** The errors that routes answer, by status. */
export const ERRORS = {
  400: {
    name: 'BadRequest',
    label: 'Bad request',
    when: 'Malformed JSON or address, a parameter that is not known, a body of more than 32 levels or 1,000 keys.',
    message: 'There is no parameter "pag". Did you mean "page"?',
  },
  401: {
    name: 'Unauthorized',
    label: 'Unauthorized',
    when: 'Who asks is not known: no token, or one that is unknown, expired or revoked.',
    message: 'The token is unknown, expired or revoked.',
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    label: 'Forbidden',
    when: 'The token or the role lacks a right; the message names it.',
    message: 'This needs the right content:write for "posts".',
  },
  404: {
    name: 'NotFound',
    label: 'Not found',
    when: 'It is not there, or who asks may not know of it.',
    message: 'The record was not found.',
  },
  406: {
    name: 'NotAcceptable',
    label: 'Not acceptable',
    when: 'The Accept header leaves no room for JSON.',
    message: 'This address answers application/json only.',
  },
  409: {
    name: 'Conflict',
    label: 'Conflict',
    when: 'What is to be made is there already, edits overlap, or a status can not follow the one there is.',
    message: 'The id "hello" is taken.',
    shape: conflict,
  },
  412: {
    name: 'PreconditionFailed',
    label: 'Precondition failed',
    when: 'If-Match names a version that is not the current one.',
    message: 'The record has changed since you read it.',
  },
  413: {
    name: 'PayloadTooLarge',
    label: 'Payload too large',
    when: 'The body is too large.',
    message: 'The body is larger than this address takes.',
  },
  414: {
    name: 'UriTooLong',
    label: 'URI too long',
    when: 'A part of the address is longer than any id can be.',
    message: 'A part of the address is too long.',
  },
  415: {
    name: 'UnsupportedMediaType',
    label: 'Unsupported media type',
    when: 'The body is of another content type, or encoded.',
    message: 'Send the body as application/json.',
  },
  422: {
    name: 'ValidationFailed',
    label: 'Validation failed',
    when: 'A value is not allowed; `errors` says which. For a record whose file can not be read the label is "Unreadable record".',
    message: 'The title is required.',
    shape: invalid,
    more: { errors: { title: ['The title is required.'] } },
  },
  429: {
    name: 'TooManyRequests',
    label: 'Too many requests',
    when: 'Too many requests in too short a time.',
    message: 'Only 600 requests are answered in a minute.',
    headers: ['Retry-After', ...COUNTED],
  },
  500: {
    name: 'ServerError',
    label: 'Server error',
    when: 'Something went wrong on the server.',
    message: 'Something went wrong on the server. Its log has the details, under the X-Request-Id of this answer.',
  },
  503: {
    name: 'Unavailable',
    label: 'Unavailable',
    when: 'Not just now: try again after as many seconds as Retry-After says.',
    message: 'The server is shutting down.',
    headers: ['Retry-After'],
  },
  507: {
    name: 'InsufficientStorage',
    label: 'Insufficient storage',
    when: 'The disk is full; nothing was changed.',
    message: 'The disk is full.',
  },
} as const satisfies Readonly<Record<number, ErrorKind>>

/** A status of an error that a route can answer. */
export type ErrorStatus = keyof typeof ERRORS

/** The errors that routes of several things (`by-id`) answer in the place of those of one. */
const OF_SEVERAL = {
  403: severalOf(403),
  404: severalOf(404),
  409: severalOf(409),
  422: severalOf(422),
} as const satisfies Readonly<Partial<Record<ErrorStatus, ErrorKind>>>

function severalOf(status: ErrorStatus): ErrorKind {
  const { name, label, when, message }: ErrorKind = ERRORS[status]
  return { name: `${name}ById`, label, when, message, shape: byId, more: { errors: { hello: [message] } } }
}

/** Returns the responses of errors by their names; `shown` makes of a shape what stands in the document. */
export function errorResponses(shown: (shape: object) => Readonly<Record<string, unknown>>): Record<string, Response> {
  const all: readonly ErrorKind[] = [...Object.values(ERRORS), ...Object.values(OF_SEVERAL)]
  return Object.fromEntries(all.map((kind) => [kind.name, errorResponse(kind, shown)]))
}

/** Returns a reference to the response for this status; of a route of several things, to the one that is told by id. */
export function errorRef(status: ErrorStatus, isById = false): Ref {
  const several: Readonly<Partial<Record<ErrorStatus, ErrorKind>>> = OF_SEVERAL
  const { name } = (isById ? several[status] : undefined) ?? ERRORS[status]
  return { $ref: `#/components/responses/${name}` }
}

/** An answer, with an example. */
function errorResponse(kind: ErrorKind, shown: (shape: object) => Readonly<Record<string, unknown>>): Response {
  const { label, when, message, shape = errorShape, more = {}, headers = [] } = kind
  const names = ['X-Request-Id', ...headers]
  return {
    description: when,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: { 'application/json': { schema: shown(shape), example: { error: label, message, ...more } } },
  }
}
