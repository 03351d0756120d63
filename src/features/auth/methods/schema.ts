import type { JSONSchema } from 'json-schema-to-ts'
import { errorShape } from '#http/openapi/errors.ts'
import { tokenResponse } from '../sessions/schema.ts'

const text = { type: 'string' } as const satisfies JSONSchema
const email = { ...text, maxLength: 320, examples: ['ada@example.org'] } as const satisfies JSONSchema
const html = { schema: text } as const

/** The body of a request for a code. */
export const codeRequest = {
  type: 'object',
  additionalProperties: false,
  required: ['email'],
  properties: { email },
} as const satisfies JSONSchema

/** The body of a request for a link. */
export const linkRequest = {
  type: 'object',
  additionalProperties: false,
  required: ['email'],
  properties: {
    email,
    to: { ...text, maxLength: 2000, description: 'Where the browser is led when the link was used: one of auth.redirects.' },
  },
} as const satisfies JSONSchema

/** The answer to a request for a code or a link: the same for each address. */
export const onItsWay = {
  type: 'object',
  title: 'OnItsWay',
  description: 'If the address is somebody’s, an e-mail is on its way to it.',
  additionalProperties: false,
  required: ['message', 'expires_in'],
  properties: { message: text, expires_in: { type: 'integer', description: 'How long it will be good for, in seconds.' } },
} as const satisfies JSONSchema

/** The body of a sign-in with a code. */
export const codeInput = {
  type: 'object',
  additionalProperties: false,
  required: ['email', 'code'],
  properties: { email, code: { ...text, maxLength: 100, description: 'As it came by mail; good once.', examples: ['482913'] } },
} as const satisfies JSONSchema

/** The body of a sign-in with a password. */
export const passwordLogin = {
  type: 'object',
  additionalProperties: false,
  required: ['email', 'password'],
  properties: { email, password: text },
} as const satisfies JSONSchema

/** The body of a change of one's password. */
export const passwordInput = {
  type: 'object',
  additionalProperties: false,
  required: ['password'],
  properties: {
    password: {
      ...text,
      description: 'The new one: of 15 characters or more unless the site says otherwise, 128 at most, and hard to guess.',
    },
    current: { ...text, description: 'Not needed within ten minutes of signing in by a code or a link.' },
  },
} as const satisfies JSONSchema

/** The parameter of a link. */
export const linkQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { token: { ...text, description: 'As it came by mail.' } },
} as const satisfies JSONSchema

/** The form of the page that a link opens. */
export const linkForm = {
  type: 'object',
  additionalProperties: false,
  required: ['token'],
  properties: { token: { ...text, maxLength: 100 } },
} as const satisfies JSONSchema

/** The responses to a link: tokens for clients that ask for JSON, a page for browsers. */
export const linkAnswers = {
  200: {
    description: 'To who accepts application/json, the tokens, and the link is spent; else a page with a button that spends it.',
    content: { 'application/json': { schema: tokenResponse }, 'text/html': html },
  },
  401: {
    description: 'The link is unknown, over, spent, or not the newest.',
    content: { 'application/json': { schema: errorShape }, 'text/html': html },
  },
} as const

/** The responses to the button of that page. */
export const formAnswers = {
  200: tokenResponse,
  302: { type: 'null', description: 'To the address that was asked for with the link, with a code for POST /api/auth/exchange.' },
} as const
