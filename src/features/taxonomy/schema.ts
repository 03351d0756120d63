import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { many } from '#http/answers/shapes.ts'
import { pagingQuery } from '#http/requests/paging.ts'
import { removed } from '../records/schemas/record.ts'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const

/** The shape of a term. */
export const term = {
  title: 'Term',
  type: 'object',
  required: ['id', 'type', 'name', 'slug', 'description', 'parent', 'count', 'declared'],
  additionalProperties: false,
  properties: {
    id: { ...text, description: 'What records bear.' },
    type: { ...text, description: 'The taxonomy, in singular.' },
    name: { ...text, description: 'Of a term that is not declared, the one that records write most often.' },
    slug: { ...text, description: 'The id; sent anew, it becomes another, in all records.' },
    description: textOrNull,
    parent: { ...textOrNull, description: 'The id of the term above it.' },
    count: { type: 'integer', description: 'How many records that the reader may see bear it or a term below it.' },
    declared: { type: 'boolean', description: 'False for a term that is there by being borne alone.' },
  },
  examples: [{ id: 'news', type: 'tag', name: 'News', slug: 'news', description: null, parent: null, count: 12, declared: true }],
} as const satisfies JSONSchema

/** A term as clients see it. */
export type TermView = FromSchema<typeof term>

/** Terms, and which part of the list they are. */
export const terms = many(term)

/** A term to be created or changed. The feature checks the values. */
export const termInput = {
  title: 'TermInput',
  type: 'object',
  additionalProperties: true,
  properties: {
    type: { description: 'The taxonomy, in singular or plural; needed for a new term.' },
    name: { description: 'A text on one line, of at most 200 characters; needed for a new term.' },
    slug: { description: 'The id; if nothing is said, made from the name.' },
    description: { description: 'A text, or null.' },
    parent: { description: 'The id or the name of the term above, or null.' },
  },
  examples: [{ type: 'tag', name: 'News' }],
} as const satisfies JSONSchema

/** The response for a removed term. */
export const removedTerm = {
  ...removed,
  title: 'RemovedTerm',
  properties: { ...removed.properties, replaced_with: textOrNull },
} as const satisfies JSONSchema

/** The path parameters: a taxonomy, and a term of it. */
export const params = {
  type: 'object',
  properties: {
    kind: { ...text, description: 'A taxonomy, in singular or plural.', examples: ['tags'] },
    id: { ...text, description: 'The id of a term.', examples: ['news'] },
  },
} as const satisfies JSONSchema

/** Parameters of a list of terms. */
export const listQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...pagingQuery.properties,
    sort: { ...text, enum: ['name', '-name', 'count', '-count'], default: 'name' },
    parent: { ...text, description: 'Only the terms right below this one; null: those below none.' },
  },
} as const satisfies JSONSchema

/** Parameters of a removal. */
export const removeQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { replace_with: { ...text, description: 'The term that takes its place in all records.' } },
} as const satisfies JSONSchema
