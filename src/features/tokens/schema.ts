import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { many, one } from '#http/answers/shapes.ts'

const text = { type: 'string' } as const
const time = { type: ['string', 'null'], format: 'date-time' } as const
const names = { type: 'array', items: text } as const

const properties = {
  id: text,
  name: text,
  scopes: { ...names, description: 'Rights, each for all types or for one: `content:read`, `content:write@posts`.' },
  types: { ...names, description: 'The only types that it knows of; empty for all.' },
  created_at: { ...time, description: '`null` for one of the configuration.' },
  expires_at: { ...time, description: '`null` for one that does not expire.' },
  last_used_at: { ...time, description: 'To the hour.' },
  configured: { type: 'boolean', description: 'True for one of the configuration, which is not revoked here.' },
  owner: {
    type: ['object', 'null'],
    required: ['id', 'name'],
    additionalProperties: false,
    properties: { id: text, name: text },
    description: 'Whose it is. It may do what both its scopes and its owner allow at that moment.',
  },
} as const satisfies Record<string, JSONSchema>

const required = ['id', 'name', 'scopes', 'types', 'created_at', 'expires_at', 'last_used_at', 'configured', 'owner'] as const

/** The shape of a token, without its secret. */
const tokenView = {
  title: 'Token',
  type: 'object',
  required,
  additionalProperties: false,
  properties,
} as const satisfies JSONSchema

/** Tokens, and which part of the list they are. */
export const tokenList = many(tokenView)

/** An answer with a new token and its secret. */
export const madeToken = one({
  title: 'NewToken',
  type: 'object',
  required: [...required, 'token'],
  additionalProperties: false,
  properties: {
    ...properties,
    token: {
      type: ['string', 'null'],
      description: 'The secret, shown this once. `null` in the answer to a request that is repeated with its `Idempotency-Key`.',
    },
  },
})

const entries = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 200 }, maxItems: 100 } as const

/** A token to be made. */
export const newToken = {
  title: 'TokenRequest',
  type: 'object',
  required: ['name', 'scopes'],
  additionalProperties: false,
  properties: {
    name: { ...text, maxLength: 100, examples: ['ci'], description: 'The name in lists and commits.' },
    scopes: {
      ...entries,
      minItems: 1,
      examples: [['read']],
      description: 'Scopes or presets (`read`, `edit`, `admin`), each for all types or narrowed by `@type`.',
    },
    types: { ...entries, default: [], examples: [['posts']], description: 'The only types that it knows of.' },
    expires: {
      ...text,
      maxLength: 40,
      default: '90d',
      examples: ['90d', '2027-01-01T00:00:00Z', 'never'],
      description: 'A length of time, the moment of its end (RFC 3339), or `never`.',
    },
  },
} as const satisfies JSONSchema

/** A token to be made, as it is sent. */
export type NewToken = FromSchema<typeof newToken>

/** The response for a token that was revoked. */
export const revokedToken = one({
  type: 'object',
  required: ['id', 'deleted'],
  additionalProperties: false,
  properties: { id: text, deleted: { type: 'boolean' } },
})
