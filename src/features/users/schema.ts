import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { many, one } from '#http/answers/shapes.ts'

const text = { type: 'string' } as const

/** The shape of a user. */
export const userView = {
  title: 'User',
  type: 'object',
  required: ['id', 'email', 'name', 'handle', 'role', 'disabled', 'created_at'],
  additionalProperties: false,
  properties: {
    id: text,
    email: text,
    name: text,
    handle: { ...text, description: 'What the author of their records is.' },
    role: { ...text, description: 'viewer, contributor, author, editor, admin, owner, or one of the configuration.' },
    disabled: { type: 'boolean', description: 'True for who may not sign in.' },
    created_at: { type: ['string', 'null'] },
  },
} as const satisfies JSONSchema

/** A user as shown to callers who may read users. */
export type UserView = FromSchema<typeof userView>

/** Users, and which part of the list they are. */
export const userList = many(userView)

/** An answer with one user. */
export const oneUser = one(userView)

/** A user to be created. */
export const newUser = {
  title: 'NewUser',
  type: 'object',
  required: ['email'],
  additionalProperties: false,
  properties: {
    email: { ...text, description: 'Where the invitation goes.', examples: ['ada@example.org'] },
    name: { ...text, description: 'If nothing is said, made of the email.' },
    handle: { ...text, description: 'If nothing is said, made of the name.' },
    role: { ...text, default: 'viewer' },
  },
} as const satisfies JSONSchema

/** The change of a user. A change of the role, or of `disabled`, ends everything that they are signed in with. */
export const userChange = {
  title: 'UserChange',
  type: 'object',
  additionalProperties: false,
  properties: { name: text, role: text, disabled: { type: 'boolean' } },
} as const satisfies JSONSchema

/** The response for a removed user. */
export const removedUser = one({
  type: 'object',
  required: ['id', 'deleted'],
  additionalProperties: false,
  properties: { id: text, deleted: { type: 'boolean' } },
})
