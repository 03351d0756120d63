import type { JSONSchema } from 'json-schema-to-ts'

const text = { type: 'string' } as const satisfies JSONSchema

/** The answer to who signed in. */
export const tokenResponse = {
  type: 'object',
  title: 'TokenResponse',
  description: 'What to ask with from now on: the token in the Authorization header; the refresh token, once, for the next ones.',
  additionalProperties: false,
  required: ['token', 'token_type', 'expires_in', 'refresh_token'],
  properties: {
    token: { ...text, description: 'A JWT: "Authorization: Bearer <token>".' },
    token_type: { enum: ['Bearer'] },
    expires_in: { type: 'integer', description: 'Seconds until the token is over.' },
    refresh_token: { ...text, description: 'Good once, for POST /api/auth/refresh.' },
  },
} as const satisfies JSONSchema

/** The body of a refresh. */
export const refreshInput = {
  type: 'object',
  additionalProperties: false,
  required: ['refresh_token'],
  properties: { refresh_token: { ...text, maxLength: 200 } },
} as const satisfies JSONSchema

/**
 * The body of a sign-out: empty for the session of the token, a refresh token for a client without a valid token, or all
 * sessions.
 */
export const logoutInput = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    refresh_token: { ...text, maxLength: 200, description: 'Ends the session it is of; then no other token is needed.' },
    all: { type: 'boolean', default: false, description: 'Ends all sessions of the person, on all devices.' },
  },
} as const satisfies JSONSchema

/** The body of an exchange. */
export const exchangeInput = {
  type: 'object',
  additionalProperties: false,
  required: ['code'],
  properties: { code: { ...text, maxLength: 200, description: 'As it came in the address: good once, for a minute.' } },
} as const satisfies JSONSchema

/** The keys that access tokens are read by (RFC 7517). */
export const keySet = {
  type: 'object',
  title: 'KeySet',
  required: ['keys'],
  additionalProperties: false,
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kty', 'crv', 'x', 'kid', 'use', 'alg'],
        additionalProperties: false,
        properties: {
          kty: { enum: ['OKP'] },
          crv: { enum: ['Ed25519'] },
          x: text,
          kid: text,
          use: { enum: ['sig'] },
          alg: { enum: ['EdDSA'] },
        },
      },
    },
  },
} as const satisfies JSONSchema

/** The answer to a request that is done and has nothing to say. */
export const nothing = { type: 'null', description: 'Done.' } as const satisfies JSONSchema

/** The signed-in user. */
export const meView = {
  type: 'object',
  title: 'Me',
  additionalProperties: false,
  required: ['id', 'email', 'name', 'handle', 'role', 'created_at', 'has_password'],
  properties: {
    id: text,
    email: text,
    name: text,
    handle: { ...text, description: 'What the author of their records is.' },
    role: text,
    created_at: { type: ['string', 'null'] },
    has_password: { type: 'boolean' },
  },
} as const satisfies JSONSchema
